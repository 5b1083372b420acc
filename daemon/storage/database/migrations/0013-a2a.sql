-- Where callers want to be told of their tasks; secrets are kept with the credentials. Times are epoch milliseconds.
CREATE TABLE a2a_push_configs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  request_id TEXT NOT NULL,
  config_id TEXT NOT NULL,
  member TEXT NOT NULL,
  url TEXT NOT NULL,
  version TEXT NOT NULL,
  -- The status that was told last.
  sent_status TEXT,
  created_ms INTEGER NOT NULL,
  UNIQUE (request_id, config_id)
);
