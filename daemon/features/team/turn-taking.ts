/** Lets what concerns one key happen one after another, in the order of asking; different keys do not wait for each other. */
export class TurnTaking {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` when everything asked for earlier under `key` has ended, however it ended. */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(work, work);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(key, ended);
    void ended.then(() => {
      if (this.last.get(key) === ended) this.last.delete(key);
    });
    return turn;
  }

  /** Resolves when everything that has been asked for so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.last.values());
  }
}
