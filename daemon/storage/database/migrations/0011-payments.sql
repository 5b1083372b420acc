-- Where money is, for each address that agents of this daemon are paid at: all accounts of an address add up to nothing, and what `chain` is below
-- nothing is what came in there. `balance` is a deposit key's, `owed` what a key's post-paid calls come to (below nothing: a debt; above: paid ahead),
-- `unmatched` what came with a memo that nobody waits for. Keys and memos are SHA-256 digests. What a caller is told must be a safe integer.
CREATE TABLE till_accounts (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('chain', 'unmatched', 'balance', 'owed', 'earned')),
  agent TEXT NOT NULL,
  holder TEXT NOT NULL,
  memo_sha256 BLOB UNIQUE,
  last4 TEXT,
  min_lamports INTEGER NOT NULL DEFAULT 0,
  lamports INTEGER NOT NULL DEFAULT 0,
  moves INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  UNIQUE (network, address, kind, agent, holder),
  CHECK (
    CASE kind
      WHEN 'chain' THEN lamports <= 0
      WHEN 'balance' THEN lamports BETWEEN 0 AND 9007199254740991
      WHEN 'owed' THEN lamports BETWEEN -9007199254740991 AND 9007199254740991
      ELSE lamports >= 0
    END
  )
) STRICT;
CREATE INDEX till_accounts_unused ON till_accounts (created_ms) WHERE moves = 0;
CREATE INDEX till_accounts_agent ON till_accounts (agent, kind) WHERE agent <> '';

-- Every lamport's way from one account to another. Balances change by it alone.
CREATE TABLE till_journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  why TEXT NOT NULL,
  from_account INTEGER NOT NULL REFERENCES till_accounts (id),
  to_account INTEGER NOT NULL REFERENCES till_accounts (id),
  lamports INTEGER NOT NULL CHECK (lamports > 0),
  payment TEXT,
  created_ms INTEGER NOT NULL,
  CHECK (from_account <> to_account)
) STRICT;
CREATE TRIGGER till_journal_moves AFTER INSERT ON till_journal
BEGIN
  UPDATE till_accounts SET lamports = lamports - new.lamports, moves = moves + 1 WHERE id = new.from_account;
  UPDATE till_accounts SET lamports = lamports + new.lamports, moves = moves + 1 WHERE id = new.to_account;
END;
CREATE TRIGGER till_journal_unchanged BEFORE UPDATE ON till_journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is only added to');
END;
CREATE TRIGGER till_journal_kept BEFORE DELETE ON till_journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is only added to');
END;
CREATE TRIGGER till_accounts_kept BEFORE DELETE ON till_accounts WHEN old.moves > 0
BEGIN
  SELECT RAISE(ABORT, 'an account that the journal names stays');
END;
CREATE TRIGGER till_accounts_by_journal BEFORE UPDATE OF lamports ON till_accounts WHEN new.moves <> old.moves + 1
BEGIN
  SELECT RAISE(ABORT, 'money moves by the journal');
END;
CREATE TRIGGER till_accounts_start_empty BEFORE INSERT ON till_accounts WHEN new.lamports <> 0 OR new.moves <> 0
BEGIN
  SELECT RAISE(ABORT, 'money comes by the journal');
END;

-- Calls that cost something, and what came in for them. A call without payment stands here from its challenge on.
CREATE TABLE till_payments (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  mode TEXT,
  agent TEXT NOT NULL,
  skill TEXT,
  network TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 9007199254740991),
  counterparty TEXT,
  nonce TEXT UNIQUE,
  signature TEXT,
  account INTEGER REFERENCES till_accounts (id),
  last4 TEXT,
  free_for TEXT,
  request_sha256 TEXT,
  reason TEXT,
  latency_ms INTEGER,
  expires_ms INTEGER,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX till_payments_newest ON till_payments (created_ms, id);
CREATE INDEX till_payments_running ON till_payments (seq) WHERE state = 'paid';
CREATE INDEX till_payments_open ON till_payments (expires_ms) WHERE state = 'challenged' AND signature IS NULL;
CREATE INDEX till_payments_free ON till_payments (created_ms) WHERE mode = 'free';
CREATE INDEX till_payments_account ON till_payments (account, state) WHERE account IS NOT NULL;

-- What a challenge asks for: JSON of its rows.
CREATE TABLE till_challenges (
  payment TEXT PRIMARY KEY REFERENCES till_payments (id) ON DELETE CASCADE,
  terms TEXT NOT NULL
) STRICT;

-- The first answer to a proof, which every repeat of it gets.
CREATE TABLE till_results (
  payment TEXT PRIMARY KEY REFERENCES till_payments (id),
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  refund INTEGER REFERENCES till_accounts (id),
  kept_until_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX till_results_age ON till_results (kept_until_ms);

-- Transactions that were seen. One pays for one thing; what is `unmatched` may still be claimed by a proof.
CREATE TABLE till_signatures (
  network TEXT NOT NULL,
  signature TEXT NOT NULL,
  address TEXT NOT NULL,
  spent_on TEXT NOT NULL CHECK (spent_on IN ('proof', 'deposit', 'debt', 'unmatched')),
  payment TEXT NOT NULL,
  PRIMARY KEY (network, signature, address)
) STRICT;
CREATE UNIQUE INDEX till_signatures_spent ON till_signatures (network, signature) WHERE spent_on <> 'unmatched';

-- Up to which transaction an address has been looked through; null when it had none. One that is not wanted any more is looked at no more.
CREATE TABLE till_addresses (
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  seen TEXT,
  wanted_ms INTEGER NOT NULL,
  PRIMARY KEY (network, address)
) STRICT;

-- Free calls taken, by UTC day.
CREATE TABLE till_free_calls (
  day TEXT NOT NULL,
  agent TEXT NOT NULL,
  caller TEXT NOT NULL,
  calls INTEGER NOT NULL CHECK (calls >= 0),
  PRIMARY KEY (day, agent, caller)
) STRICT;
