import { isIP } from 'node:net';
import { FREE_TIER_TOTAL_FACTOR, type PaymentDeclaration } from '../../contract/payments.js';
import type { Database } from '../../storage/database.js';
import type { Payer } from './till-port.js';

/** Where a free call was counted, so that it can be given back. */
export interface FreeCall {
  day: string;
  callers: string[];
}

/** All callers of an agent together. */
const EVERYBODY = 'all';

/** A host as it is counted. A program may call from any loopback address, so that all of them are one. */
function hostOf(address: string): string {
  const v4 = address.replace(/^::ffff:/i, '');
  return address === '::1' || (isIP(v4) === 4 && v4.startsWith('127.')) ? 'ip loopback' : `ip ${address}`;
}

/**
 * Who a free call is counted for: a verified key or the host; with `pubkey+ip`, each of both. Nobody for who is to
 * sign and has not.
 */
function callersOf(
  by: NonNullable<PaymentDeclaration['free_tier']>['by'],
  { pubkey, address }: Pick<Payer, 'pubkey' | 'address'>,
): string[] {
  const key = pubkey === undefined ? [] : [`pubkey ${pubkey}`];
  const host = by === 'pubkey' ? [] : [hostOf(address)];
  return by === 'ip' ? host : [...key, ...host];
}

/** The free calls of a UTC day. What writes is to be called inside a write transaction. Spec: Payment declaration › `free_tier`. */
export class FreeTier {
  constructor(private readonly database: Database) {}

  /** Takes one free call; undefined when there is none left today for the caller, or for all callers together. */
  take(
    agent: string,
    tier: PaymentDeclaration['free_tier'],
    payer: Pick<Payer, 'pubkey' | 'address'>,
    nowMs: number,
  ): FreeCall | undefined {
    if (!tier || tier.calls_per_day === 0) return undefined;
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const callers = callersOf(tier.by, payer);
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
          'INSERT INTO till_free_calls (day, agent, caller, calls) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET calls = calls + 1',
        )
        .run(day, agent, caller);
    }
    return { day, callers: counted };
  }

  giveBack(agent: string, { day, callers }: FreeCall): void {
    for (const caller of callers) {
      this.database
        .sql('UPDATE till_free_calls SET calls = calls - 1 WHERE day = ? AND agent = ? AND caller = ? AND calls > 0')
        .run(day, agent, caller);
    }
  }

  /** Removes the counters of days before the one in which `beforeMs` lies. */
  forget(beforeMs: number): void {
    this.database.sql('DELETE FROM till_free_calls WHERE day < ?').run(new Date(beforeMs).toISOString().slice(0, 10));
  }
}
