/** A part of the daemon that runs. */
export interface LifecycleEntry {
  name: string;
  start?: () => unknown;
  /** What the start leaves for later, when it has been announced that the daemon listens. */
  settle?: () => unknown;
  stop?: () => unknown;
}

/**
 * The parts of a daemon in the order in which they start, one after the other. They stop in reverse order, so that a part stops before what it is built
 * on. A part that must start early and stop early, or late and late, has two entries.
 */
export class Lifecycle {
  private settling: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | undefined;

  constructor(private readonly entries: readonly LifecycleEntry[]) {}

  /** Rejects with the error of the first entry that fails; `stop` then ends what was started. */
  async start(): Promise<void> {
    for (const { start } of this.entries) await start?.();
  }

  /** To be called once, after `start`. */
  settle(): Promise<void> {
    this.settling = this.settleAll();
    return this.settling;
  }

  /** Stops every entry, started or not, even when another fails; then rejects with the first error. Repeating it is safe. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async settleAll(): Promise<void> {
    for (const { settle } of this.entries) await settle?.();
  }

  private async stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const { settle, stop } of this.entries.toReversed()) {
      try {
        // Whoever waits for `settle` is given its error.
        if (settle) await this.settling.catch(() => undefined);
        await stop?.();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
