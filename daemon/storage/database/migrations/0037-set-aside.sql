-- Transactions that a network lists and does not return, past which a scan of an address went on.
CREATE TABLE till_set_aside (
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  signature TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  tried_ms INTEGER NOT NULL,
  PRIMARY KEY (network, address, signature)
) STRICT;
