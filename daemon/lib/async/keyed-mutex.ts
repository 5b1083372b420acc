import { Mutex } from 'async-mutex';

/** One mutex per key. A mutex exists only while a caller holds or awaits it. */
export class KeyedMutex {
  private readonly entries = new Map<string, { mutex: Mutex; users: number }>();

  /** The number of keys under which work runs or waits. */
  get size(): number {
    return this.entries.size;
  }

  /**
   * Runs `work` after all work submitted earlier under `key` has settled. Different keys do not wait for each other.
   */
  async runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const entry = this.entries.get(key) ?? { mutex: new Mutex(), users: 0 };
    this.entries.set(key, entry);
    entry.users += 1;
    try {
      return await entry.mutex.runExclusive(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.entries.delete(key);
    }
  }

  /** Resolves when all work submitted so far has settled. */
  async idle(): Promise<void> {
    await Promise.all([...this.entries.values()].map(({ mutex }) => mutex.runExclusive(() => undefined)));
  }
}
