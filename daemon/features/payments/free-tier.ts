import type { PaymentDeclaration } from '../../contract/payments.js';
import type { Database } from '../../storage/database.js';
import type { Payer } from './till-port.js';

/** Where a free call was counted, so that it can be given back. */
export interface FreeCall {
  day: string;
  callers: string[];
}

/** Who a free call is counted for: a verified key, else the address; with `pubkey+ip`, each of both. */
function callersOf(
  by: NonNullable<PaymentDeclaration['free_tier']>['by'],
  { pubkey, address }: Pick<Payer, 'pubkey' | 'address'>,
): string[] {
  const key = pubkey === undefined ? [] : [`pubkey ${pubkey}`];
  if (by === 'ip') return [`ip ${address}`];
  if (by === 'pubkey') return key.length > 0 ? key : [`ip ${address}`];
  return [...key, `ip ${address}`];
}

/** The free calls of a UTC day. What writes is to be called inside a write transaction. Spec: Payment declaration › `free_tier`. */
export class FreeTier {
  constructor(private readonly database: Database) {}

  /** Takes one free call; undefined when there is none left today for the caller. */
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
    const isLeft = callers.every(
      (caller) => ((taken.get(day, agent, caller) as { calls: number } | undefined)?.calls ?? 0) < tier.calls_per_day,
    );
    if (!isLeft) return undefined;
    for (const caller of callers) {
      this.database
        .sql(
          'INSERT INTO till_free_calls (day, agent, caller, calls) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET calls = calls + 1',
        )
        .run(day, agent, caller);
    }
    return { day, callers };
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
