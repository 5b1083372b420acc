-- The sequence of the newest snapshot of the network that this daemon made or loaded.
ALTER TABLE network_state ADD COLUMN snapshot_sequence INTEGER NOT NULL DEFAULT 0;

-- A post that is gone belongs to nobody, however it went.
CREATE TRIGGER network_post_gone AFTER DELETE ON posts
BEGIN
  DELETE FROM network_owners WHERE area = 'post' AND entity = old.id;
END;
