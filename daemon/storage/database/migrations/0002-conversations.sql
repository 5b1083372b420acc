CREATE TABLE conversations (
  seq INTEGER PRIMARY KEY,
  conv TEXT NOT NULL UNIQUE,
  member TEXT,
  agent_type TEXT NOT NULL,
  title TEXT NOT NULL,
  client TEXT,
  model TEXT,
  effort TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  from_outside INTEGER NOT NULL DEFAULT 0,
  sessions TEXT NOT NULL DEFAULT '{}',
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE INDEX conversations_member ON conversations (member, archived);
CREATE INDEX conversations_order ON conversations (archived, pinned, updated_ms);

CREATE TABLE turns (
  seq INTEGER PRIMARY KEY,
  turn TEXT NOT NULL UNIQUE,
  conv TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  state TEXT NOT NULL,
  profile TEXT NOT NULL,
  text TEXT NOT NULL,
  context_docs TEXT NOT NULL,
  outcome TEXT,
  code TEXT,
  reason TEXT,
  client TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  effort TEXT NOT NULL DEFAULT '',
  usage TEXT,
  created_ms INTEGER NOT NULL,
  started_ms INTEGER,
  finished_ms INTEGER
);
CREATE INDEX turns_open ON turns (conv, seq) WHERE state <> 'ended';
CREATE INDEX turns_conversation ON turns (conv, seq);

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conv TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  turn TEXT NOT NULL,
  role TEXT NOT NULL,
  text TEXT NOT NULL,
  calls TEXT NOT NULL DEFAULT '[]',
  citations TEXT NOT NULL DEFAULT '[]',
  dropped_citations INTEGER NOT NULL DEFAULT 0,
  doc_names TEXT NOT NULL DEFAULT '[]',
  from_outside INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL
);
CREATE INDEX messages_conversation ON messages (conv, seq);

CREATE TABLE permissions (
  pid TEXT PRIMARY KEY,
  conv TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  turn TEXT NOT NULL,
  tool TEXT NOT NULL,
  target TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  decision TEXT,
  decided_by TEXT
);
CREATE INDEX permissions_open ON permissions (conv) WHERE decision IS NULL;

CREATE VIRTUAL TABLE messages_text USING fts5 (text, content = '', contentless_delete = 1);

ALTER TABLE asks ADD COLUMN turn TEXT;
CREATE INDEX asks_turn ON asks (turn);
