-- How the built-in search found an answer, as JSON of at most 16 KiB. It ends with its request.
CREATE TABLE ask_traces (
  request_id TEXT PRIMARY KEY REFERENCES asks (request_id) ON DELETE CASCADE,
  trace TEXT NOT NULL
) STRICT;
