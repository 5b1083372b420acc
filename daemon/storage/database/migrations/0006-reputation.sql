CREATE TABLE reputation_reports (
  seq INTEGER PRIMARY KEY,
  agent_key TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  reporter TEXT NOT NULL,
  reporter_agent_id TEXT,
  ts INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  body TEXT NOT NULL,
  sig TEXT NOT NULL,
  reliability REAL,
  speed REAL,
  quality REAL,
  settlement REAL,
  proof TEXT NOT NULL,
  proof_key TEXT UNIQUE,
  filed_at INTEGER NOT NULL
);
CREATE INDEX reputation_reports_agent ON reputation_reports (agent_key, seq);
CREATE INDEX reputation_reports_reporter_agent ON reputation_reports (lower(reporter_agent_id)) WHERE reporter_agent_id IS NOT NULL;
