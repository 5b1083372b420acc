-- How often this daemon asked an agent, and how often it answered. Both are halved together, so that recent ones count more.
CREATE TABLE oracle_responses (
  agent_key TEXT PRIMARY KEY,
  asked INTEGER NOT NULL,
  answered INTEGER NOT NULL CHECK (answered <= asked)
);
