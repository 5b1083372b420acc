-- Files of a conversation's folder, kept as a commit on refs/meshd/<conv>/<checkpoint>. Its messages are those of turns up to
-- last_seq that are not in hidden, a JSON array of [first, last] turn sequence numbers.
CREATE TABLE checkpoints (
  seq INTEGER PRIMARY KEY,
  conv TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  checkpoint TEXT NOT NULL,
  kind TEXT NOT NULL,
  turn TEXT,
  commit_id TEXT NOT NULL,
  tree TEXT NOT NULL,
  files INTEGER NOT NULL,
  additions INTEGER NOT NULL,
  deletions INTEGER NOT NULL,
  left_out TEXT NOT NULL,
  others TEXT NOT NULL,
  last_seq INTEGER NOT NULL,
  hidden TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  UNIQUE (conv, checkpoint)
) STRICT;
-- Ended turns whose checkpoint is not made yet. problem: why the last attempt failed.
CREATE TABLE checkpoints_due (
  turn TEXT PRIMARY KEY REFERENCES turns (turn) ON DELETE CASCADE,
  conv TEXT NOT NULL,
  problem TEXT
) STRICT;
CREATE INDEX checkpoints_due_conv ON checkpoints_due (conv);
-- A change of files that is under way, from the checkpoint kept to the tree target. hidden: the messages that it sets aside, like
-- that of a checkpoint; null when it leaves them.
CREATE TABLE rewinds (
  conv TEXT PRIMARY KEY REFERENCES conversations (conv) ON DELETE CASCADE,
  kept TEXT NOT NULL,
  target TEXT NOT NULL,
  hidden TEXT
) STRICT;
-- The messages that are set aside in a conversation at present.
CREATE TABLE conversation_rewinds (
  conv TEXT PRIMARY KEY REFERENCES conversations (conv) ON DELETE CASCADE,
  hidden TEXT NOT NULL
) STRICT;
-- Rows of messages that are set aside, each as JSON.
CREATE TABLE messages_aside (
  seq INTEGER PRIMARY KEY,
  conv TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  turn TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;
CREATE INDEX messages_aside_conv ON messages_aside (conv);
-- The files with which a forked conversation begins in a worktree of its own. is_done: they are there.
CREATE TABLE conversation_forks (
  conv TEXT PRIMARY KEY REFERENCES conversations (conv) ON DELETE CASCADE,
  tree TEXT NOT NULL,
  is_done INTEGER NOT NULL
) STRICT;
-- Deleted conversations whose references are still in the repository.
CREATE TABLE checkpoint_refs_gone (conv TEXT PRIMARY KEY) STRICT;
CREATE TRIGGER checkpoint_refs_of_deleted BEFORE DELETE ON conversations
WHEN EXISTS (SELECT 1 FROM checkpoints WHERE conv = old.conv)
  OR EXISTS (SELECT 1 FROM conversation_forks WHERE conv = old.conv)
BEGIN
  INSERT OR IGNORE INTO checkpoint_refs_gone (conv) VALUES (old.conv);
END;
