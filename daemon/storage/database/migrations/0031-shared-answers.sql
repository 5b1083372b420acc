-- Responses to requests that change shared tables, by Idempotency-Key. Only commands write here.
CREATE TABLE shared_answers (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  response TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX shared_answers_created ON shared_answers (created_ms);
INSERT INTO shared_answers SELECT scope, key, body_sha256, response, created_ms FROM idempotency
  WHERE scope = 'cluster create' OR scope GLOB 'post c_*' ORDER BY created_ms, scope, key;
DELETE FROM idempotency WHERE scope = 'cluster create' OR scope GLOB 'post c_*';
