import { isIP } from 'node:net';
import { FREE_TIER_TOTAL_FACTOR, type PaymentDeclaration } from '../../contract/payments.js';
import type { Database } from '../../storage/database/database.js';
import type { Payer } from './payment-port.js';

/** The counters that a free call was counted in, so that it can be given back. */
export interface FreeCall {
  day: string;
  callers: string[];
}

/** The counter of all callers of an agent together. */
const EVERYBODY = 'all';

/**
 * Returns the counter name of a host. A program may call from any loopback address, so all of them count as one host.
 */
function getHost(address: string): string {
  const v4 = address.replace(/^::ffff:/i, '');
  return address === '::1' || (isIP(v4) === 4 && v4.startsWith('127.')) ? 'ip loopback' : `ip ${address}`;
}

/**
 * Returns the counters of a free call: the verified key, the host, or both for `pubkey+ip`. Empty when a signature is
 * required and the caller did not sign.
 */
function listCallers(
  by: NonNullable<PaymentDeclaration['free_tier']>['by'],
  { pubkey, address }: Pick<Payer, 'pubkey' | 'address'>,
): string[] {
  const key = pubkey === undefined ? [] : [`pubkey ${pubkey}`];
  const host = by === 'pubkey' ? [] : [getHost(address)];
  return by === 'ip' ? host : [...key, ...host];
}

/**
 * The free calls of each UTC day. Methods that write must be called inside a write transaction. Spec: Payment
 * declaration › `free_tier`.
 */
export class FreeTier {
  constructor(private readonly database: Database) {}

  /**
   * Takes one free call. Returns undefined when the caller, or all callers together, have used up the day's allowance.
   */
  take(
    agent: string,
    tier: PaymentDeclaration['free_tier'],
    payer: Pick<Payer, 'pubkey' | 'address'>,
    nowMs: number,
  ): FreeCall | undefined {
    if (!tier) return undefined;
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const callers = listCallers(tier.by, payer);
    const taken = this.database.sql('SELECT calls FROM till_free_calls WHERE day = ? AND agent = ? AND caller = ?');
    if (callers.length === 0) return undefined;
    const isLeft = (caller: string, most: number) =>
      ((taken.get(day, agent, caller) as { calls: number } | undefined)?.calls ?? 0) < most;
    const mostInAll = tier.calls_per_day * FREE_TIER_TOTAL_FACTOR;
    if (!callers.every((caller) => isLeft(caller, tier.calls_per_day)) || !isLeft(EVERYBODY, mostInAll))
      return undefined;
    const counted = [...callers, EVERYBODY];
    for (const caller of counted) {
      this.database
        .sql(
          'INSERT INTO till_free_calls (day, agent, caller, calls) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE ' +
            'SET calls = calls + 1',
        )
        .run(day, agent, caller);
    }
    return { day, callers: counted };
  }

  restoreCall(agent: string, { day, callers }: FreeCall): void {
    for (const caller of callers) {
      this.database
        .sql('UPDATE till_free_calls SET calls = calls - 1 WHERE day = ? AND agent = ? AND caller = ? AND calls > 0')
        .run(day, agent, caller);
    }
  }

  /** Deletes the counters of days before the UTC day that contains `beforeMs`. */
  forget(beforeMs: number): void {
    this.database.sql('DELETE FROM till_free_calls WHERE day < ?').run(new Date(beforeMs).toISOString().slice(0, 10));
  }
}
