const ROOM = 64;

/** Events on their way from callbacks to whoever reads them, at the reader's pace. */
export class EventQueue<Event> {
  private readonly events: Event[] = [];
  private ending: { error: unknown } | 'done' | undefined;
  private wakeReader: () => void = () => undefined;
  private wakeWriters: (() => void)[] = [];

  /** Adds an event. Resolves when there is room for the next. */
  async push(event: Event): Promise<void> {
    if (this.ending) return;
    this.events.push(event);
    this.wakeReader();
    if (this.events.length >= ROOM) await new Promise<void>((resolve) => this.wakeWriters.push(resolve));
  }

  /** No more events; what stands in the queue is still read. The reader then sees `failure`'s error, if one is given. */
  end(failure?: { error: unknown }): void {
    this.ending ??= failure ?? 'done';
    this.wakeReader();
    this.letWritersGo();
  }

  /** The events until the end. To be called once. */
  async *read(): AsyncGenerator<Event, void, void> {
    for (;;) {
      const event = this.events.shift();
      if (event !== undefined) {
        if (this.events.length < ROOM) this.letWritersGo();
        yield event;
      } else if (this.ending) break;
      else
        await new Promise<void>((resolve) => {
          this.wakeReader = resolve;
        });
    }
    if (this.ending !== 'done') throw this.ending.error;
  }

  private letWritersGo(): void {
    for (const wake of this.wakeWriters.splice(0)) wake();
  }
}
