import { describe, expect, it } from 'vitest';
import {
  STANDING_CHALLENGES_MAX,
  STANDING_CHALLENGES_OF_KEY_MAX,
  WAITING_DEPOSIT_KEYS_MAX,
} from '../../contract/limits.js';
import { CHALLENGE_SECONDS } from '../../contract/payments.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import { type ATill, aTill, PAYMENT } from '../../testing/a-till.js';

const DAY_MS = 86_400_000;
const FOREIGN = 65_534;
const count = (till: ATill, of: string) =>
  (till.database.sql(`SELECT count(*) AS n FROM ${of}`).get() as { n: number }).n;

/** Inserts challenges of `painter` that expire at the given time. */
const putChallenges = (till: ATill, number: number, expiresMs: number) =>
  till.database.write(() =>
    till.database
      .sql(
        `INSERT INTO till_payments (id, kind, state, agent, network, amount, nonce, expires_ms, created_ms, updated_ms)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT 'put-' || ? || '-' || i, 'call', 'challenged', 'painter', 'solana:local', 1, 'put-' || ? || '-' || i, ?, 1, 1 FROM n`,
      )
      .run(number, expiresMs, expiresMs, expiresMs),
  );
/** Inserts deposit keys of `painter` that were opened at the given time. */
const putKeys = (till: ATill, number: number, createdMs: number) =>
  till.database.write(() =>
    till.database
      .sql(
        `INSERT INTO till_accounts (network, address, kind, agent, holder, created_ms)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT 'solana:local', 'x', 'balance', 'painter', 'holder-' || i, ? FROM n`,
      )
      .run(number, createdMs),
  );

describe('unpaid challenges', () => {
  it('of one key are limited to a hundred until they expire', async () => {
    const till = await aTill();
    const ask = (pubkey: string) => till.refused({ pubkey });
    for (let number = 0; number < STANDING_CHALLENGES_OF_KEY_MAX; number += 1) await ask('one');
    await expect(ask('one')).rejects.toMatchObject({ code: 'too_many_requests' });
    expect((await ask('other')).error).toBe('payment_required');
    till.clock.advance(CHALLENGE_SECONDS * 1000 + 1);
    expect((await ask('one')).error).toBe('payment_required');
  });

  it('of one agent are limited, and other users of the machine get half of the limit', async () => {
    const till = await aTill();
    const standsMs = till.clock.now() + 600_000;
    await putChallenges(till, STANDING_CHALLENGES_MAX / 2, standsMs);
    await expect(foreignCaller.run(FOREIGN, () => till.refused())).rejects.toMatchObject({
      code: 'too_many_requests',
      message: expect.stringContaining('10000 payment challenges of this agent'),
    });
    expect((await till.refused()).error).toBe('payment_required');
    expect((await foreignCaller.run(FOREIGN, () => till.refused({}, { agent: 'sculptor' }))).error).toBe(
      'payment_required',
    );
    await putChallenges(till, STANDING_CHALLENGES_MAX / 2, standsMs + 1);
    await expect(till.refused()).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('are removed with each new one, a day after they expired', async () => {
    const till = await aTill();
    await putChallenges(till, 15, till.clock.now() - DAY_MS - 1);
    await putChallenges(till, 5, till.clock.now() - DAY_MS + 1);
    await till.refused();
    expect(count(till, 'till_payments')).toBe(11);
    await till.refused();
    expect(count(till, 'till_payments')).toBe(7);
  });
});

describe('deposit keys without money', () => {
  it('are limited, make room after one day, and other users of the machine get half of the limit', async () => {
    const till = await aTill();
    const topup = () => till.till.topup('painter', PAYMENT, 5000);
    const half = WAITING_DEPOSIT_KEYS_MAX / 2;
    await putKeys(till, half, till.clock.now());
    await expect(foreignCaller.run(FOREIGN, topup)).rejects.toMatchObject({ code: 'too_many_requests' });
    await topup();
    till.clock.advance(DAY_MS + 1);
    await foreignCaller.run(FOREIGN, topup);
    await foreignCaller.run(FOREIGN, topup);
    expect(count(till, "till_accounts WHERE kind = 'balance'")).toBeLessThan(half);
  });

  it('are removed with each new one after 90 days', async () => {
    const till = await aTill();
    await putKeys(till, 15, till.clock.now() - 90 * DAY_MS - 1);
    await till.till.topup('sculptor', PAYMENT, 5000);
    expect(count(till, "till_accounts WHERE agent = 'painter'")).toBe(5);
  });
});
