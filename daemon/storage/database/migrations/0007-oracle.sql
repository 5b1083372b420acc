CREATE TABLE oracle_impressions (
  agent_key TEXT PRIMARY KEY,
  shown INTEGER NOT NULL
);

CREATE TABLE oracle_messages_through (
  agent_key TEXT NOT NULL,
  requester_key TEXT NOT NULL,
  day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (agent_key, requester_key, day)
);
CREATE INDEX oracle_messages_through_requester ON oracle_messages_through (requester_key);
