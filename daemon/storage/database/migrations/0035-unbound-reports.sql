-- For the number of recent reports by keys that no agent has bound, which each daemon is allowed.
CREATE INDEX reputation_reports_unbound ON reputation_reports (agent_key, daemon, filed_at) WHERE proof = 'unbound';
