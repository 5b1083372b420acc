CREATE TABLE used_nonces (
  pubkey TEXT NOT NULL,
  nonce TEXT NOT NULL,
  forget_after INTEGER NOT NULL,
  UNIQUE (pubkey, nonce)
);
CREATE INDEX used_nonces_by_age ON used_nonces (forget_after);
