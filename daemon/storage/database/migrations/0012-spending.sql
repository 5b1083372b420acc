-- Calls to agents that may cost something. Times are epoch milliseconds.
CREATE TABLE calls (
  seq INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  agent TEXT NOT NULL,
  agent_id TEXT,
  agent_url TEXT,
  skill TEXT NOT NULL,
  -- JSON; null once the call has ended.
  input TEXT,
  asked_mode TEXT NOT NULL,
  max_lamports INTEGER,
  topup_lamports INTEGER,
  wants_report INTEGER NOT NULL,
  -- A request is on its way that may be carried out, and paid for, without another word.
  is_committed INTEGER NOT NULL DEFAULT 0,
  -- Up to this the operator has said yes.
  approved_lamports INTEGER,
  -- What waits for the operator, as JSON.
  wanted TEXT,
  waiting_ms INTEGER,
  mode TEXT,
  amount_lamports INTEGER,
  network TEXT,
  is_real INTEGER NOT NULL DEFAULT 0,
  payment_id TEXT,
  signature TEXT,
  latency_ms INTEGER,
  result TEXT,
  reputation_filed TEXT,
  error_code TEXT,
  error_message TEXT,
  reason TEXT,
  created_ms INTEGER NOT NULL,
  answered_ms INTEGER,
  finished_ms INTEGER
);
CREATE INDEX calls_live ON calls (state) WHERE state IN ('running', 'waiting');
CREATE INDEX calls_created ON calls (created_ms);

-- The spent side of the ledger.
CREATE TABLE spent_payments (
  seq INTEGER PRIMARY KEY,
  payment_id TEXT NOT NULL UNIQUE,
  call_id TEXT,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  mode TEXT,
  agent TEXT NOT NULL,
  agent_url TEXT NOT NULL,
  skill TEXT,
  address TEXT,
  amount_lamports INTEGER NOT NULL,
  network TEXT NOT NULL,
  is_real INTEGER NOT NULL,
  nonce TEXT,
  -- Of the challenge, epoch seconds.
  expires_at INTEGER,
  -- Of a debt: what is written on the transfer that pays it.
  settle_memo TEXT,
  -- Of a debt: the entry whose transfer pays it, once that is under way.
  settled_by TEXT,
  signature TEXT,
  -- The signed transfer until the network has it for good.
  wire TEXT,
  signed_ms INTEGER,
  api_key_last4 TEXT,
  reason TEXT,
  latency_ms INTEGER,
  -- 1 from when it is reserved under the caps until it is certain that nothing is paid.
  is_counted INTEGER NOT NULL,
  counted_ms INTEGER,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE INDEX spent_payments_call ON spent_payments (call_id);
CREATE INDEX spent_payments_order ON spent_payments (created_ms, payment_id);
CREATE INDEX spent_payments_counted ON spent_payments (counted_ms) WHERE is_counted = 1;
CREATE INDEX spent_payments_owed ON spent_payments (agent_url) WHERE state = 'owed';
-- A challenge is paid once, whoever shows it again.
CREATE UNIQUE INDEX spent_payments_nonce ON spent_payments (address, nonce) WHERE nonce IS NOT NULL;
CREATE UNIQUE INDEX spent_payments_signature ON spent_payments (network, signature) WHERE signature IS NOT NULL;

CREATE TABLE spending_caps (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  per_call_lamports INTEGER NOT NULL,
  per_day_lamports INTEGER NOT NULL
);
