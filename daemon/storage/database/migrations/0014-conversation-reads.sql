-- How far the operator has read: the newest message seen. What was said before this was counted is read.
ALTER TABLE conversations ADD COLUMN read_seq INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET read_seq = coalesce((SELECT max(seq) FROM messages WHERE messages.conv = conversations.conv), 0);
