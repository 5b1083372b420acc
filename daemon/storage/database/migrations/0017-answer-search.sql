-- What the built-in search reported beside its answer, as JSON: confidence, searched, total. NULL for other clients, and for answers before this.
ALTER TABLE asks ADD COLUMN search TEXT;
ALTER TABLE messages ADD COLUMN search TEXT;
