-- Documents that came with a question, apart from what happens to it: a row of SQLite is rewritten whole with every change of its state, and they are up to half a megabyte.
CREATE TABLE turn_documents (
  turn TEXT PRIMARY KEY REFERENCES turns (turn) ON DELETE CASCADE,
  documents TEXT NOT NULL
) STRICT;
INSERT INTO turn_documents SELECT turn, context_docs FROM turns WHERE context_docs <> '[]';
ALTER TABLE turns DROP COLUMN context_docs;

CREATE TABLE ask_documents (
  request_id TEXT PRIMARY KEY REFERENCES asks (request_id) ON DELETE CASCADE,
  documents TEXT NOT NULL
) STRICT;
INSERT INTO ask_documents SELECT request_id, context_docs FROM asks WHERE context_docs <> '[]';
ALTER TABLE asks DROP COLUMN context_docs;
