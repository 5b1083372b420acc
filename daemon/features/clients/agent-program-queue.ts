const ROOM = 64;

/** A bounded queue that carries events from callbacks to one reader, with back-pressure on the writers. */
export class EventQueue<Event> {
  private readonly events: Event[] = [];
  private ending: { error: unknown } | 'done' | undefined;
  private wakeReader: () => void = () => undefined;
  private wakeWriters: (() => void)[] = [];

  /** Adds an event. Resolves when the queue has capacity for the next one. */
  async push(event: Event): Promise<void> {
    if (this.ending) return;
    this.events.push(event);
    this.wakeReader();
    if (this.events.length >= ROOM) await new Promise<void>((resolve) => this.wakeWriters.push(resolve));
  }

  /** Closes the queue. Queued events are still read. The reader then throws `failure.error`, if given. */
  end(failure?: { error: unknown }): void {
    this.ending ??= failure ?? 'done';
    this.wakeReader();
    this.releaseWriters();
  }

  /** Yields the events until the end. May be called only once. */
  async *read(): AsyncGenerator<Event, void, void> {
    for (;;) {
      const event = this.events.shift();
      if (event !== undefined) {
        if (this.events.length < ROOM) this.releaseWriters();
        yield event;
      } else if (this.ending) break;
      else
        await new Promise<void>((resolve) => {
          this.wakeReader = resolve;
        });
    }
    if (this.ending !== 'done') throw this.ending.error;
  }

  private releaseWriters(): void {
    for (const wake of this.wakeWriters.splice(0)) wake();
  }
}
