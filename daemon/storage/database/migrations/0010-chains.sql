-- The embedded local network. What it holds is what was minted, less the fees: no other row makes or destroys a lamport.
CREATE TABLE chain_genesis (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  hash TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  -- Blockhashes are recognised by it, so that one that was issued before a restart still stands after it.
  blockhash_key BLOB NOT NULL,
  faucet_seed BLOB NOT NULL
);
CREATE TABLE chain_accounts (
  address TEXT PRIMARY KEY,
  lamports INTEGER NOT NULL CHECK (lamports > 0)
) WITHOUT ROWID;
CREATE TABLE chain_transactions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  signature TEXT NOT NULL UNIQUE,
  slot INTEGER NOT NULL,
  block_time INTEGER NOT NULL,
  wire BLOB NOT NULL,
  -- The error as JSON; null when it was carried out.
  error TEXT,
  fee INTEGER NOT NULL,
  minted INTEGER NOT NULL,
  compute_units INTEGER NOT NULL,
  -- JSON arrays, in the order of the transaction's account keys.
  pre_balances TEXT NOT NULL,
  post_balances TEXT NOT NULL,
  logs TEXT NOT NULL,
  -- `[length] text`, joined by `; `, as the network's own lists have it.
  memo TEXT
);
CREATE INDEX chain_transactions_minted ON chain_transactions (minted) WHERE minted > 0;
CREATE TABLE chain_mentions (
  address TEXT NOT NULL,
  seq INTEGER NOT NULL REFERENCES chain_transactions (seq),
  PRIMARY KEY (address, seq)
) WITHOUT ROWID;

-- Payments by hand. The signed transfer stands here before it is sent: whoever asks again for the same one sends the same one again.
CREATE TABLE wallet_transfers (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Of its entry in the ledger.
  id TEXT NOT NULL UNIQUE,
  scope TEXT,
  key TEXT,
  body_sha256 TEXT,
  wallet TEXT NOT NULL,
  network TEXT NOT NULL,
  recipient TEXT NOT NULL,
  lamports INTEGER NOT NULL,
  is_real INTEGER NOT NULL,
  signature TEXT NOT NULL,
  wire TEXT NOT NULL,
  -- `signed`, then `sent` or `refused`.
  state TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE UNIQUE INDEX wallet_transfers_key ON wallet_transfers (scope, key) WHERE key IS NOT NULL;
CREATE INDEX wallet_transfers_by_time ON wallet_transfers (created_ms, id);
CREATE INDEX wallet_transfers_unsettled ON wallet_transfers (seq) WHERE state = 'signed';
