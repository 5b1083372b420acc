-- What the operator thinks of an answer. It ends with its request.
CREATE TABLE ask_ratings (
  request_id TEXT PRIMARY KEY REFERENCES asks (request_id) ON DELETE CASCADE,
  value TEXT NOT NULL, -- up or down
  note TEXT NOT NULL,
  rated_ms INTEGER NOT NULL
) STRICT;
