-- 1 once a live socket of the agent accepted the message.
ALTER TABLE hub_inbox ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
