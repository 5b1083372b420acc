-- The network whose stream this store follows, and how far it was applied.
CREATE TABLE network_state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  network TEXT NOT NULL,
  -- When the stream was created: a stream of the same name made anew starts at 1 again.
  stream_created TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  -- The snapshot that is being loaded: its rows are incomplete until this is NULL again.
  loading TEXT
) STRICT;

-- The daemons of the network. The id is the first key of a daemon; the key changes when it is rotated.
CREATE TABLE network_daemons (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  joined_ms INTEGER NOT NULL,
  left_ms INTEGER
) STRICT, WITHOUT ROWID;

-- Keys that were rotated away. None of them signs a command again.
CREATE TABLE network_old_keys (
  key TEXT PRIMARY KEY,
  daemon TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Ids of applied commands, for as long as a command of that time is accepted.
CREATE TABLE network_commands (
  id TEXT PRIMARY KEY,
  time_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX network_commands_by_time ON network_commands (time_ms);

-- Which daemon owns what: only its commands change it.
CREATE TABLE network_owners (
  area TEXT NOT NULL,
  entity TEXT NOT NULL,
  daemon TEXT NOT NULL,
  PRIMARY KEY (area, entity)
) STRICT, WITHOUT ROWID;
