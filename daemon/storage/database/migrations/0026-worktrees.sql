-- isolation: the operator's choice. place: where its turns work since the first one, with the reason. place_of: whose worktree it shares.
ALTER TABLE conversations ADD COLUMN isolation TEXT;
ALTER TABLE conversations ADD COLUMN place TEXT;
ALTER TABLE conversations ADD COLUMN place_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN place_of TEXT REFERENCES conversations (conv) ON DELETE SET NULL;
UPDATE conversations SET place = 'project', place_reason = 'It began in the project folder.'
  WHERE from_outside = 0 AND conv IN (SELECT conv FROM turns WHERE started_ms IS NOT NULL);
-- The row exists from before its folder is made until after it is removed, also when its conversation is gone.
CREATE TABLE worktrees (
  conv TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('creating', 'ready', 'removing')),
  -- Where the project folder is within it; empty at its top.
  prefix TEXT NOT NULL,
  base TEXT NOT NULL,
  base_branch TEXT,
  branch TEXT,
  -- JSON list of the paths that were copied or linked into it.
  provided TEXT NOT NULL DEFAULT '[]',
  created_ms INTEGER NOT NULL,
  used_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_place_of ON conversations (place_of) WHERE place_of IS NOT NULL;
