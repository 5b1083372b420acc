/** A serial queue per key: work of one key runs in the order of the calls. Different keys run concurrently. */
export class TurnTaking {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work of `key` has settled. */
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

  /** Resolves when all work queued so far has settled. */
  async idle(): Promise<void> {
    await Promise.all(this.last.values());
  }
}
