-- The slot of the transaction `seen`; null where none was seen, and where an earlier version saw it.
ALTER TABLE till_addresses ADD COLUMN seen_slot INTEGER;
