-- Credentials are SHA-256 digests. A cluster without an `admin_sha256` is administered by nobody.
CREATE TABLE clusters (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  slug TEXT,
  name TEXT NOT NULL,
  topic TEXT NOT NULL,
  description TEXT NOT NULL,
  visibility TEXT NOT NULL,
  boards_enabled INTEGER NOT NULL,
  props TEXT,
  token_sha256 BLOB,
  admin_sha256 BLOB,
  created_ms INTEGER NOT NULL
);
CREATE INDEX clusters_slug ON clusters (slug) WHERE slug IS NOT NULL;
CREATE INDEX clusters_catalog ON clusters (seq) WHERE visibility = 'public';

-- Every slug that was ever given, so that none is given twice. It says nothing of whose it was.
CREATE TABLE cluster_slugs (
  slug TEXT PRIMARY KEY,
  base TEXT NOT NULL,
  number INTEGER NOT NULL
);
CREATE INDEX cluster_slugs_base ON cluster_slugs (base, number);
