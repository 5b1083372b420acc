/** A part of the daemon that starts, settles or stops. */
export interface LifecycleEntry {
  name: string;
  start?: () => unknown;
  /** The rest of the start, which runs after the announcement that the daemon listens. */
  settle?: () => unknown;
  stop?: () => unknown;
}

/**
 * Starts the parts of a daemon in order, one after the other, and stops them in reverse order, so that a part stops
 * before its dependencies. A part for which these orders do not fit has two entries, one to start and one to stop.
 */
export class Lifecycle {
  private starting: Promise<void> = Promise.resolve();
  private settling: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | undefined;

  constructor(private readonly entries: readonly LifecycleEntry[]) {}

  /**
   * Must be called once. Rejects with the error of the first entry that fails, or with an Error when `stop` is called
   * meanwhile. When it rejects, every entry has stopped.
   */
  async start(): Promise<void> {
    this.starting = this.startAll();
    try {
      await this.starting;
    } catch (error) {
      // The caller of `stop` gets its error.
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Must be called at most once, after `start` has resolved. Rejects with the error of the first entry that fails. A
   * call of `stop` ends it early.
   */
  settle(): Promise<void> {
    this.settling = this.settleAll();
    return this.settling;
  }

  /**
   * Stops every entry, whether it was started or not, even if others fail to stop; then rejects with the first error.
   * Waits for a start or settle step that is running, and no entry starts or settles after it. Repeated calls return
   * the same promise.
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
    for (const { settle } of this.entries) {
      if (this.stopping) return;
      await settle?.();
    }
  }

  private async stopAll(): Promise<void> {
    const errors: unknown[] = [];
    // The caller of `start` gets its error.
    await this.starting.catch(() => undefined);
    for (const { settle, stop } of this.entries.toReversed()) {
      try {
        // The caller of `settle` gets its error.
        if (settle) await this.settling.catch(() => undefined);
        await stop?.();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
