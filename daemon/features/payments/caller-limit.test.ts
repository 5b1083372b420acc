import { describe, expect, it } from 'vitest';
import { OPEN_CHALLENGES_MAX, OPEN_CHALLENGES_PER_KEY_MAX, WAITING_DEPOSIT_KEYS_MAX } from '../../contract/limits.js';
import { CHALLENGE_SECONDS } from '../../contract/payments.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import {
  createTestPaymentProcessor,
  PAYMENT,
  type TestPaymentProcessor,
} from '../../testing/processes/test-payment-processor.js';
import { limitForCaller } from './caller-limit.js';

const DAY_MS = 86_400_000;
const FOREIGN = 65_534;
const count = (payments: TestPaymentProcessor, of: string) =>
  (payments.database.sql(`SELECT count(*) AS n FROM ${of}`).get() as { n: number }).n;

/** Inserts challenges of `painter` that expire at the given time. */
const putChallenges = (payments: TestPaymentProcessor, number: number, expiresMs: number) =>
  payments.database.write(() =>
    payments.database
      .sql(
        `INSERT INTO till_payments (id, kind, state, agent, network, amount, nonce, expires_ms, created_ms, updated_ms)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT 'put-' || ? || '-' || i, 'call', 'challenged', 'painter', 'solana:local', 1, 'put-' || ? || '-' || i, ?, 1, 1 FROM n`,
      )
      .run(number, expiresMs, expiresMs, expiresMs),
  );
/** Inserts deposit keys of `painter` that were opened at the given time. */
const putKeys = (payments: TestPaymentProcessor, number: number, createdMs: number) =>
  payments.database.write(() =>
    payments.database
      .sql(
        `INSERT INTO till_accounts (network, address, kind, agent, holder, created_ms)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT 'solana:local', 'x', 'balance', 'painter', 'holder-' || i, ? FROM n`,
      )
      .run(number, createdMs),
  );

it.each([
  [9, 9, 4],
  [10, 10, 5],
])('of a limit of %d the operator has %d, and another user of the machine %d', (most, own, foreign) => {
  expect([limitForCaller(most), foreignCaller.run(FOREIGN, () => limitForCaller(most))]).toEqual([own, foreign]);
});

describe('unpaid challenges', () => {
  it('of one key are limited to a hundred until they expire', async () => {
    const payments = await createTestPaymentProcessor();
    const ask = (pubkey: string) => payments.refused({ pubkey });
    for (let number = 0; number < OPEN_CHALLENGES_PER_KEY_MAX; number += 1) await ask('one');
    await expect(ask('one')).rejects.toMatchObject({ code: 'too_many_requests' });
    expect((await ask('other')).error).toBe('payment_required');
    payments.clock.advance(CHALLENGE_SECONDS * 1000 + 1);
    expect((await ask('one')).error).toBe('payment_required');
  });

  it('of one agent are limited, and other users of the machine get half of the limit', async () => {
    const payments = await createTestPaymentProcessor();
    const standsMs = payments.clock.now() + 600_000;
    await putChallenges(payments, OPEN_CHALLENGES_MAX / 2, standsMs);
    await expect(foreignCaller.run(FOREIGN, () => payments.refused())).rejects.toMatchObject({
      code: 'too_many_requests',
      message: expect.stringContaining('10000 payment challenges of this agent'),
    });
    expect((await payments.refused()).error).toBe('payment_required');
    expect((await foreignCaller.run(FOREIGN, () => payments.refused({}, { agent: 'sculptor' }))).error).toBe(
      'payment_required',
    );
    await putChallenges(payments, OPEN_CHALLENGES_MAX / 2, standsMs + 1);
    await expect(payments.refused()).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('are removed with each new one, a day after they expired', async () => {
    const payments = await createTestPaymentProcessor();
    await putChallenges(payments, 15, payments.clock.now() - DAY_MS - 1);
    await putChallenges(payments, 5, payments.clock.now() - DAY_MS + 1);
    await payments.refused();
    expect(count(payments, 'till_payments')).toBe(11);
    await payments.refused();
    expect(count(payments, 'till_payments')).toBe(7);
  });
});

describe('deposit keys without money', () => {
  it('are limited, make room after one day, and other users of the machine get half of the limit', async () => {
    const payments = await createTestPaymentProcessor();
    const topup = () => payments.processor.topup('painter', PAYMENT, 5000);
    const half = WAITING_DEPOSIT_KEYS_MAX / 2;
    await putKeys(payments, half, payments.clock.now());
    await expect(foreignCaller.run(FOREIGN, topup)).rejects.toMatchObject({
      code: 'too_many_requests',
      message:
        `${half} deposit keys of this agent wait for their money: send it to one of yours, or open one tomorrow, ` +
        'when those that were not used are forgotten.',
      details: { retry_after: 86_400 },
    });
    await topup();
    payments.clock.advance(DAY_MS + 1);
    await foreignCaller.run(FOREIGN, topup);
    await foreignCaller.run(FOREIGN, topup);
    expect(count(payments, "till_accounts WHERE kind = 'balance'")).toBeLessThan(half);
  });

  it('are removed with each new one after 90 days', async () => {
    const payments = await createTestPaymentProcessor();
    await putKeys(payments, 15, payments.clock.now() - 90 * DAY_MS - 1);
    await payments.processor.topup('sculptor', PAYMENT, 5000);
    expect(count(payments, "till_accounts WHERE agent = 'painter'")).toBe(5);
  });
});
