import { expect, it } from 'vitest';
import { PaymentSecret } from './payment-secret.js';

const secret = new PaymentSecret(Buffer.alloc(32, 7));
const DEBT = ['solana:local', 'ours', 'painter', 'caller'] as const;

it('a key and a memo stay the same across restarts and versions, because callers hold them', () => {
  expect(secret.refundKey('nonce-1')).toBe('tk_w6m_uYcPKgIw-hxooiCmr21xJhnVo__pELK46f0W6zI');
  expect(secret.settleMemo(...DEBT)).toBe('settle_E9p_OkYa4Ttcy-5J31Gv0BLmGboYED8s');
});

it('another nonce, debt or secret has another key and memo', () => {
  const other = new PaymentSecret(Buffer.alloc(32, 8));
  const keys = [secret.refundKey('nonce-1'), secret.refundKey('nonce-2'), other.refundKey('nonce-1')];
  expect(new Set(keys).size).toBe(3);
  const changed = DEBT.map((_, at) =>
    secret.settleMemo(
      ...(DEBT.map((word, index) => (index === at ? `${word}2` : word)) as [string, string, string, string]),
    ),
  );
  expect(new Set([secret.settleMemo(...DEBT), other.settleMemo(...DEBT), ...changed]).size).toBe(6);
});
