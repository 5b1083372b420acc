/** Holds the requests in progress, so that a close can wait for them. */
export class OpenRequests {
  private readonly open = new Set<object>();
  private wake: (() => void)[] = [];

  begin(request: object): void {
    this.open.add(request);
  }

  /** Does nothing for a request that did not begin, such as one that the guard refused. */
  end(request: object): void {
    if (this.open.delete(request) && this.open.size === 0) for (const done of this.wake.splice(0)) done();
  }

  /** Resolves when every request is answered. A skill that does not end is abandoned at its deadline. */
  async idle(): Promise<void> {
    while (this.open.size > 0) await new Promise<void>((resolve) => this.wake.push(resolve));
  }
}
