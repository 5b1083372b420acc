CREATE TABLE asks (
  seq INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  member TEXT NOT NULL,
  conv TEXT NOT NULL,
  session TEXT,
  status TEXT NOT NULL,
  text TEXT NOT NULL,
  context_docs TEXT NOT NULL,
  caller TEXT NOT NULL,
  client TEXT NOT NULL,
  model TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  started_ms INTEGER,
  finished_ms INTEGER,
  collected_ms INTEGER,
  result_text TEXT,
  citations TEXT,
  receipt TEXT,
  error_code TEXT,
  error_message TEXT
);
CREATE INDEX asks_live ON asks (member, status) WHERE status IN ('queued', 'running', 'needs_input');
CREATE INDEX asks_conversation ON asks (member, session);
CREATE INDEX asks_created ON asks (created_ms);

CREATE VIRTUAL TABLE asks_text USING fts5 (text, result_text, content = '', contentless_delete = 1);

CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  response TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_created ON idempotency (created_ms);
