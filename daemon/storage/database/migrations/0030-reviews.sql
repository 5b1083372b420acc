-- Comments on a conversation's changes. turn is that of the message in which it was sent; state is draft or sent.
CREATE TABLE review_comments (
  seq INTEGER PRIMARY KEY,
  comment TEXT NOT NULL UNIQUE,
  conv TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  path TEXT NOT NULL,
  side TEXT,
  start_line INTEGER,
  end_line INTEGER,
  quote TEXT NOT NULL,
  text TEXT NOT NULL,
  state TEXT NOT NULL,
  author TEXT,
  turn TEXT REFERENCES turns (turn) ON DELETE SET NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX review_comments_conv ON review_comments (conv, state);
CREATE INDEX review_comments_turn ON review_comments (turn);
-- Reviews asked of members, by the turn that reviews. patch is what it was given, until the turn has ended.
CREATE TABLE review_asks (
  turn TEXT PRIMARY KEY REFERENCES turns (turn) ON DELETE CASCADE,
  about TEXT NOT NULL REFERENCES conversations (conv) ON DELETE CASCADE,
  member TEXT NOT NULL,
  patch TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX review_asks_about ON review_asks (about);
-- Merges that were begun and not finished, with what the next process needs to finish or drop them.
CREATE TABLE merge_moves (
  seq INTEGER PRIMARY KEY,
  conv TEXT NOT NULL,
  state TEXT NOT NULL,
  branch TEXT NOT NULL,
  before_commit TEXT NOT NULL,
  after_commit TEXT NOT NULL,
  place TEXT,
  worktree TEXT NOT NULL,
  tip TEXT NOT NULL,
  head TEXT NOT NULL,
  lock_name TEXT NOT NULL
) STRICT;
