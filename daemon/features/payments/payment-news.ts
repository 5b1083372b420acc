import type { PaymentState } from '../../contract/payments.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/time/clock.js';

/** Minimum interval between two balance events of the same agent, because a balance changes with every call. */
const BALANCE_EVERY_MS = 1000;

/** Publishes payment events. Nothing depends on their delivery. */
export class PaymentNews {
  /**
   * When the last balance event of an agent was published, by the monotonic clock; Infinity while the next one is
   * scheduled.
   */
  private readonly published = new Map<string, number>();
  private readonly calledOff = new Set<() => void>();

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
  ) {}

  changed({ id, agent, state }: { id: string; agent: string; state: PaymentState }): void {
    this.bus.publish('payment.changed', { id, side: 'earned', state, agent });
  }

  /**
   * Publishes that an agent's balance changed: immediately, or at the end of the interval since the last event. A
   * change is always followed by an event.
   */
  balance(agent: string): void {
    const last = this.published.get(agent);
    const waitMs = last === undefined ? 0 : last + BALANCE_EVERY_MS - this.clock.elapsed();
    if (waitMs <= 0) {
      this.publish(agent);
      return;
    }
    if (last === Number.POSITIVE_INFINITY) return;
    this.published.set(agent, Number.POSITIVE_INFINITY);
    const callOff = this.clock.after(waitMs, () => {
      this.calledOff.delete(callOff);
      this.publish(agent);
    });
    this.calledOff.add(callOff);
  }

  stop(): void {
    for (const callOff of this.calledOff) callOff();
    this.calledOff.clear();
  }

  private publish(agent: string): void {
    this.published.set(agent, this.clock.elapsed());
    this.bus.publish('payment.balance', { agent });
  }
}
