/** A part of the daemon that runs. */
export interface LifecycleEntry {
  name: string;
  start?: () => unknown;
  /** What the start leaves for later, when it has been announced that the daemon listens. */
  settle?: () => unknown;
  stop?: () => unknown;
}

/**
 * The parts of a daemon in the order in which they start, one after the other. They stop in reverse order, so that a part stops before what
 * it is built on. A part that must start early and stop early, or late and late, has two entries.
 */
export class Lifecycle {
  private starting: Promise<void> = Promise.resolve();
  private settling: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | undefined;

  constructor(private readonly entries: readonly LifecycleEntry[]) {}

  /**
   * To be called once. Rejects with the error of the first entry that fails, or when it is told to stop meanwhile; every entry has stopped
   * then.
   */
  async start(): Promise<void> {
    this.starting = this.startAll();
    try {
      await this.starting;
    } catch (error) {
      // Whoever calls `stop` is given the error of that.
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  /** To be called once, after `start`. */
  settle(): Promise<void> {
    this.settling = this.settleAll();
    return this.settling;
  }

  /**
   * Stops every entry, started or not, even when another fails; then rejects with the first error. A step that is under way is waited for,
   * and no entry starts after it. Repeating it is safe.
   */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async startAll(): Promise<void> {
    for (const { start } of this.entries) {
      this.checkGoesOn();
      await start?.();
    }
    this.checkGoesOn();
  }

  private checkGoesOn(): void {
    if (this.stopping) throw new Error('The daemon was told to stop while it started.');
  }

  private async settleAll(): Promise<void> {
    for (const { settle } of this.entries) await settle?.();
  }

  private async stopAll(): Promise<void> {
    const errors: unknown[] = [];
    // Whoever waits for `start` is given its error.
    await this.starting.catch(() => undefined);
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
