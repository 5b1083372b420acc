-- Bytes by which requests of other users of this machine made the store grow, by uid, as of a moment: they are given back over days, so that a restart
-- gives nobody a fresh budget. -1 stands for connections whose user could not be told, -2 for all users together.
CREATE TABLE peer_usage (
  uid INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL CHECK (bytes > 0),
  as_of_ms INTEGER NOT NULL
) STRICT;

-- How many challenges of an agent nobody has taken up, and how many of its deposit keys no money ever came for.
CREATE INDEX till_payments_asked ON till_payments (agent, counterparty, expires_ms) WHERE state = 'challenged' AND signature IS NULL;
CREATE INDEX till_accounts_waiting ON till_accounts (agent, created_ms) WHERE kind = 'balance' AND moves = 0;
