-- `seq` is never given twice, here and to posts: it is the place in a list that a cursor names.
CREATE TABLE boards (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  cluster TEXT NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  about TEXT NOT NULL,
  props TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (cluster, slug)
);

-- `lat` and `lon` are the post's own point, `has_place` whether it sets a place at all: one that does not is where its board is, which is kept nowhere else,
-- so that moving a board or a cluster rewrites no post. `lang` is the primary subtag of its own language. Long columns stand last: what a search looks at
-- comes before them.
CREATE TABLE posts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  board INTEGER NOT NULL REFERENCES boards (seq) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  has_place INTEGER NOT NULL,
  lat REAL,
  lon REAL,
  lang TEXT,
  ttl TEXT NOT NULL,
  author TEXT NOT NULL,
  props TEXT,
  file TEXT,
  title TEXT NOT NULL,
  body TEXT NOT NULL
);
-- Holds all that a list looks at before it takes a post.
CREATE INDEX posts_board ON posts (board, seq, expires_at, lang, has_place, lat, lon);
CREATE INDEX posts_expiry ON posts (expires_at) WHERE expires_at IS NOT NULL;

-- Where posts with a point of their own are, for `near`. The board is a dimension like the others, one board as far from the next as a degree: a search never
-- wades through the posts of other boards in the same city.
CREATE VIRTUAL TABLE post_places USING rtree (post, board_from, board_to, south, north, west, east);
CREATE TRIGGER post_placed AFTER INSERT ON posts WHEN new.lat IS NOT NULL
BEGIN
  INSERT INTO post_places VALUES (new.seq, new.board, new.board, new.lat, new.lat, new.lon, new.lon);
END;
CREATE TRIGGER post_unplaced AFTER DELETE ON posts WHEN old.lat IS NOT NULL
BEGIN
  DELETE FROM post_places WHERE post = old.seq;
END;

-- What happened on boards, for `history`. It outlives the boards and posts it tells of, not their cluster.
CREATE TABLE board_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster TEXT NOT NULL,
  event TEXT NOT NULL,
  board TEXT NOT NULL,
  slug TEXT NOT NULL,
  post TEXT,
  title TEXT,
  ts INTEGER NOT NULL
);
CREATE INDEX board_events_cluster ON board_events (cluster, seq);
CREATE INDEX board_events_age ON board_events (ts);
