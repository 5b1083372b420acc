import { Mutex } from 'async-mutex';

/** A mutex for each key, which is there for as long as anybody holds or awaits it. */
export class KeyedMutex {
  private readonly entries = new Map<string, { mutex: Mutex; users: number }>();

  /** Runs `work` when everything asked for earlier under `key` has ended, however it ended. Different keys do not wait for each other. */
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

  /** Resolves when everything that has been asked for so far has ended. */
  async idle(): Promise<void> {
    await Promise.all([...this.entries.values()].map(({ mutex }) => mutex.runExclusive(() => undefined)));
  }
}
