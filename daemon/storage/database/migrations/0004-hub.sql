-- `seq` is never given twice, here and to channels: what was asked for on behalf of one that is gone meets nobody.
CREATE TABLE hub_agents (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_key TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  rid TEXT NOT NULL,
  api_key_sha256 BLOB NOT NULL,
  description TEXT,
  capabilities TEXT NOT NULL,
  card TEXT,
  verified INTEGER NOT NULL,
  registered_ms INTEGER NOT NULL
);

-- Beside the row that identifies an agent, so that a heartbeat rewrites two numbers and no card.
CREATE TABLE hub_watermarks (
  agent INTEGER PRIMARY KEY REFERENCES hub_agents (seq) ON DELETE CASCADE,
  last_seen_ms INTEGER NOT NULL
);

-- How far each agent that polls has read the receipts of what it sent.
CREATE TABLE hub_polling_agents (
  agent INTEGER PRIMARY KEY REFERENCES hub_agents (seq) ON DELETE CASCADE,
  receipts_read INTEGER NOT NULL
);

CREATE TABLE hub_channels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL
);

CREATE TABLE hub_channel_members (
  channel INTEGER NOT NULL REFERENCES hub_channels (seq) ON DELETE CASCADE,
  agent INTEGER NOT NULL REFERENCES hub_agents (seq) ON DELETE CASCADE,
  joined_ms INTEGER NOT NULL,
  UNIQUE (channel, agent)
);
CREATE INDEX hub_channel_members_agent ON hub_channel_members (agent);

-- The message log. `seq` is the `_id` on the wire: it only ever rises. One of receiver and channel says whom a message is to.
CREATE TABLE hub_messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL,
  sender INTEGER NOT NULL REFERENCES hub_agents (seq) ON DELETE CASCADE,
  receiver INTEGER REFERENCES hub_agents (seq) ON DELETE CASCADE,
  channel INTEGER REFERENCES hub_channels (seq) ON DELETE CASCADE,
  room_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  sent_ms INTEGER NOT NULL
);
CREATE INDEX hub_messages_room ON hub_messages (room_id, seq);
CREATE INDEX hub_messages_sender ON hub_messages (sender);
CREATE INDEX hub_messages_receiver ON hub_messages (receiver) WHERE receiver IS NOT NULL;
CREATE INDEX hub_messages_channel ON hub_messages (channel) WHERE channel IS NOT NULL;
CREATE INDEX hub_messages_age ON hub_messages (sent_ms);

-- What waits for each agent.
CREATE TABLE hub_inbox (
  agent INTEGER NOT NULL REFERENCES hub_agents (seq) ON DELETE CASCADE,
  message INTEGER NOT NULL REFERENCES hub_messages (seq) ON DELETE CASCADE,
  UNIQUE (agent, message)
);
CREATE INDEX hub_inbox_message ON hub_inbox (message);

CREATE TABLE hub_receipts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message INTEGER NOT NULL REFERENCES hub_messages (seq) ON DELETE CASCADE,
  sender INTEGER NOT NULL REFERENCES hub_agents (seq) ON DELETE CASCADE,
  reader INTEGER NOT NULL REFERENCES hub_agents (seq) ON DELETE CASCADE,
  read_ms INTEGER NOT NULL
);
CREATE INDEX hub_receipts_message ON hub_receipts (message);
CREATE INDEX hub_receipts_sender ON hub_receipts (sender, seq);
CREATE INDEX hub_receipts_reader ON hub_receipts (reader);

CREATE TABLE hub_contacts (
  owner INTEGER NOT NULL REFERENCES hub_agents (seq) ON DELETE CASCADE,
  contact INTEGER NOT NULL REFERENCES hub_agents (seq) ON DELETE CASCADE,
  added_ms INTEGER NOT NULL,
  UNIQUE (owner, contact)
);
CREATE INDEX hub_contacts_contact ON hub_contacts (contact);
