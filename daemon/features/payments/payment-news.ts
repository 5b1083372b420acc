import type { PaymentState } from '../../contract/payments.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';

/** Balances are told of at most this often for each agent: a busy till changes with every call. */
const BALANCE_EVERY_MS = 1000;

/** Tells watchers of the till. Nothing rests on it. */
export class PaymentNews {
  /** When an agent's balance was last told, by the monotonic clock; Infinity while the next time is already set. */
  private readonly told = new Map<string, number>();
  private readonly calledOff = new Set<() => void>();

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
  ) {}

  changed({ id, agent, state }: { id: string; agent: string; state: PaymentState }): void {
    this.bus.publish('payment.changed', { id, side: 'earned', state, agent });
  }

  /** What an agent holds has changed: told at once, and then once a second with the last word. */
  balance(agent: string): void {
    const last = this.told.get(agent);
    const waitMs = last === undefined ? 0 : last + BALANCE_EVERY_MS - this.clock.elapsed();
    if (waitMs <= 0) {
      this.tell(agent);
      return;
    }
    if (last === Number.POSITIVE_INFINITY) return;
    this.told.set(agent, Number.POSITIVE_INFINITY);
    const callOff = this.clock.after(waitMs, () => {
      this.calledOff.delete(callOff);
      this.tell(agent);
    });
    this.calledOff.add(callOff);
  }

  stop(): void {
    for (const callOff of this.calledOff) callOff();
    this.calledOff.clear();
  }

  private tell(agent: string): void {
    this.told.set(agent, this.clock.elapsed());
    this.bus.publish('payment.balance', { agent });
  }
}
