/** Counts the requests in progress, so that a close can wait for them. */
export class OpenRequests {
  private count = 0;
  private wake: (() => void)[] = [];

  begin(): void {
    this.count += 1;
  }

  end(): void {
    this.count -= 1;
    if (this.count === 0) for (const done of this.wake.splice(0)) done();
  }

  /** Resolves when every request is answered. A skill that does not end is abandoned at its deadline. */
  async idle(): Promise<void> {
    while (this.count > 0) await new Promise<void>((resolve) => this.wake.push(resolve));
  }
}
