import type { EventPayloads, EventType, MeshEvent } from '../contract/events.js';
import { EVENT_RING } from '../contract/limits.js';
import type { Clock } from '../lib/time/clock.js';

type Listener = (event: MeshEvent) => void;

/**
 * Publishes events to listeners. Nothing the daemon does depends on an event: removing one changes only what observers
 * see. The bus numbers every event and keeps the last 10,000, so that a client can resume without a gap. Sequence
 * numbers start at the time of construction in epoch milliseconds. A number from an earlier run of the daemon is
 * therefore always lower than those of this run and is never mistaken for a position in it.
 */
export class Bus {
  private readonly ring: MeshEvent[] = [];
  private readonly listeners = new Set<Listener>();
  private last: number;

  constructor(private readonly clock: Clock) {
    this.last = clock.now();
  }

  /** The sequence number of the newest event. Before the first event: the number that the first event follows. */
  get seq(): number {
    return this.last;
  }

  publish<T extends EventType>(type: T, payload: EventPayloads[T]): void {
    this.last += 1;
    const event = { type, seq: this.last, ts: Math.floor(this.clock.now() / 1000), ...payload } as unknown as MeshEvent;
    this.ring.push(event);
    if (this.ring.length > EVENT_RING) this.ring.shift();
    for (const listener of this.listeners) listener(event);
  }

  /**
   * Returns the events after `seq`, or undefined when the ring lacks some of them or `seq` is from another run of the
   * daemon.
   */
  since(seq: number): MeshEvent[] | undefined {
    if (seq > this.last) return undefined;
    const oldest = this.ring[0]?.seq ?? this.last + 1;
    if (seq < oldest - 1) return undefined;
    return this.ring.slice(seq - oldest + 1);
  }

  /**
   * Calls `listener` for every event published from then on. Returns a function that unsubscribes it. A listener must
   * not throw.
   */
  watch(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
