/** The milliseconds for which one request may occupy the event loop before others are served. */
const SLICE_MS = 5;

/** The purpose of a tick: the work of a request, or a commit of the store, which many requests may await. */
type TickKind = 'work' | 'commit';

/**
 * Grants one waiter per event loop tick. However many requests arrive at once, the time that two of them, or a request
 * and a commit, occupy the loop never adds up within one tick. Waiters of a kind are served in order of arrival; the
 * two kinds alternate.
 */
export class TickQueue {
  private readonly waiting: Readonly<Record<TickKind, (() => void)[]>> = { work: [], commit: [] };
  private last: TickKind = 'work';
  private isScheduled = false;

  /** Resolves in an event loop tick that no other waiter shares. */
  next(kind: TickKind = 'work'): Promise<void> {
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

/** Shared by the whole process, which has one event loop. */
const ticks = new TickQueue();

/** Waits for an event loop tick of its own, before work that takes a millisecond or more. */
export const waitForTick = (kind?: TickKind): Promise<void> => ticks.next(kind);

/** Work of many steps that occupies the event loop for a few milliseconds at a time. */
export class SlicedWork {
  private endMs = Number.NEGATIVE_INFINITY;

  /** Await this before each step. It waits for another tick when the time slice of the current one is used up. */
  async step(): Promise<void> {
    if (performance.now() < this.endMs) return;
    await waitForTick();
    this.endMs = performance.now() + SLICE_MS;
  }
}
