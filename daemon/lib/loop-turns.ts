/** Milliseconds of work for which one request may keep the event loop before others are served. */
const SLICE_MS = 5;

/** What a turn is for: the work of a request, or a commit of the store, for which many requests may wait. */
export type TurnKind = 'work' | 'commit';

/**
 * Hands out turns of the event loop, one each time the loop goes round: however many requests come at once, what two of them, or one and a commit, keep it for is
 * never added up. Turns of a kind are given in the order in which they were wanted, and the two kinds by turns.
 */
export class LoopTurns {
  private readonly waiting: Readonly<Record<TurnKind, (() => void)[]>> = { work: [], commit: [] };
  private last: TurnKind = 'work';
  private isScheduled = false;

  /** Resolves in a turn of its own. */
  next(kind: TurnKind = 'work'): Promise<void> {
    return new Promise((resolve) => {
      this.waiting[kind].push(resolve);
      this.schedule();
    });
  }

  private schedule(): void {
    const { work, commit } = this.waiting;
    if (this.isScheduled || work.length + commit.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.last = commit.length > 0 && (this.last === 'work' || work.length === 0) ? 'commit' : 'work';
      this.waiting[this.last].shift()?.();
      this.schedule();
    });
  }
}

/** Of the one event loop that there is. */
const turns = new LoopTurns();

/** Waits for a turn of the event loop, before work that takes a millisecond or more. */
export const nextTurn = (kind?: TurnKind): Promise<void> => turns.next(kind);

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
