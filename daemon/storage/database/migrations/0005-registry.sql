CREATE TABLE registry_agents (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  rid TEXT,
  api_key_hash BLOB,
  description TEXT,
  capabilities TEXT NOT NULL DEFAULT '[]',
  endpoint TEXT,
  agent_card TEXT,
  is_away INTEGER NOT NULL DEFAULT 0,
  pubkey TEXT,
  is_verified INTEGER NOT NULL DEFAULT 0,
  avail_status TEXT,
  registered_ms INTEGER,
  catalog TEXT
);
CREATE UNIQUE INDEX registry_bound_keys ON registry_agents (pubkey) WHERE is_verified = 1;

CREATE TABLE registry_seen (
  seq INTEGER PRIMARY KEY REFERENCES registry_agents (seq) ON DELETE CASCADE,
  last_seen_ms INTEGER NOT NULL
);

CREATE VIRTUAL TABLE registry_text USING fts5 (words, content = '', contentless_delete = 1);
