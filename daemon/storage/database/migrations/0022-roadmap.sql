-- The newest turn that worked on each task of the roadmap. in_hand is 1 until the file holds what became of it.
CREATE TABLE roadmap_work (
  task TEXT PRIMARY KEY,
  turn TEXT NOT NULL UNIQUE REFERENCES turns (turn) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  in_hand INTEGER NOT NULL
) STRICT;
-- Whether ready tasks are given out, and how many at once. One row at most.
CREATE TABLE roadmap_run (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  running INTEGER NOT NULL,
  parallel INTEGER NOT NULL
) STRICT;
