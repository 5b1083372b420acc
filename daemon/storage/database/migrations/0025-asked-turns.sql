-- The turn that asked for a turn, and its member. ends_with_parent is 1 when the parent waits for the answer, so that both end together.
CREATE TABLE asked_turns (
  turn TEXT PRIMARY KEY REFERENCES turns (turn) ON DELETE CASCADE,
  conv TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  parent TEXT REFERENCES turns (turn) ON DELETE SET NULL,
  parent_conv TEXT NOT NULL,
  ends_with_parent INTEGER NOT NULL
) STRICT;
CREATE INDEX asked_turns_parent ON asked_turns (parent);
CREATE INDEX asked_turns_conv ON asked_turns (conv);
CREATE INDEX asked_turns_parent_conv ON asked_turns (parent_conv);
-- The turn of the orchestrator's conversation that tells of the run.
ALTER TABLE roadmap_run ADD COLUMN turn TEXT REFERENCES turns (turn) ON DELETE SET NULL;
