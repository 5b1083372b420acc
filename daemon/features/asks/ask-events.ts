import type { Bus } from '../../events/bus.js';

/** Is notified of a request that is new or whose status has changed, once that is durable. */
export type AskListener = (ask: { member: string; request_id: string }) => void;

/** Notifies of what becomes of asks: the bus, and the parts of the daemon that follow one. */
export class AskEvents {
  private readonly listeners = new Set<AskListener>();

  constructor(private readonly bus: Bus) {}

  /** Returns how to stop. */
  onChanged(listener: AskListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  publish(
    change: 'created' | 'started' | 'needs_input' | 'done' | 'error',
    { member, request_id }: { member: string; request_id: string },
  ): void {
    this.bus.publish(`team.request.${change}`, { member, request_id });
    for (const listener of this.listeners) listener({ member, request_id });
  }
}
