-- The daemon that sent a report; '' before there was a network. `proof_seen` is the proof that it verified itself: it stands in
-- `proof` too, and counts in the score, when that daemon hosts the agent.
ALTER TABLE reputation_reports ADD COLUMN daemon TEXT NOT NULL DEFAULT '';
ALTER TABLE reputation_reports ADD COLUMN proof_seen TEXT;
UPDATE reputation_reports SET proof_seen = proof WHERE proof_key IS NOT NULL;
CREATE INDEX reputation_reports_nonce ON reputation_reports (agent_key, reporter, nonce);
