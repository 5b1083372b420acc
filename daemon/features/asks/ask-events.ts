import type { Bus } from '../../events/bus.js';

/** Is notified of a new request or a changed status, after the commit. */
export type AskListener = (ask: { member: string; request_id: string }) => void;

/** Is notified after the commit of an ask by another program that had its outcome: whether the member answered. */
export type OutcomeListener = (member: string, isAnswered: boolean) => void;

/** Publishes changes of asks to the bus and to registered listeners. */
export class AskEvents {
  private readonly listeners = new Set<AskListener>();
  private readonly outcomeListeners: OutcomeListener[] = [];

  constructor(private readonly bus: Bus) {}

  /** Returns a function that unsubscribes the listener. */
  onChanged(listener: AskListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onOutcome(listener: OutcomeListener): void {
    this.outcomeListeners.push(listener);
  }

  notifyOutcome(member: string, isAnswered: boolean): void {
    for (const listener of this.outcomeListeners) listener(member, isAnswered);
  }

  publish(
    change: 'created' | 'started' | 'needs_input' | 'done' | 'error',
    { member, request_id }: { member: string; request_id: string },
  ): void {
    this.bus.publish(`team.request.${change}`, { member, request_id });
    for (const listener of this.listeners) listener({ member, request_id });
  }
}
