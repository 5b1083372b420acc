/** Milliseconds of work for which one request may keep the event loop before others are served. */
const SLICE_MS = 5;

/**
 * Hands out turns of the event loop, in the order in which they were wanted, one each time the loop goes round: however
 * many requests come at once, what two of them keep it for is never
 * added up.
 */
export class LoopTurns {
  private readonly waiting: (() => void)[] = [];

  /** Resolves in a turn of its own. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) this.schedule();
    });
  }

  private schedule(): void {
    setImmediate(() => {
      this.waiting.shift()?.();
      if (this.waiting.length > 0) this.schedule();
    });
  }
}

/** Of the one event loop that there is. */
const turns = new LoopTurns();

/** Waits for a turn of the event loop, before work that takes a millisecond or more. */
export const nextTurn = (): Promise<void> => turns.next();

/** Work of many steps, which keeps the event loop for a few milliseconds at a time. */
export class SlicedWork {
  private endMs = Number.NEGATIVE_INFINITY;

  /** To be awaited before each step: waits for another turn when this one has been used up. */
  async step(): Promise<void> {
    if (performance.now() < this.endMs) return;
    await nextTurn();
    this.endMs = performance.now() + SLICE_MS;
  }
}
