const POLLS_KEPT = 200;
const REQUESTS_KEPT = 1_000;

/** When each request was polled, for the operator's timeline. Kept in memory only, the newest of everything. */
export class Polls {
  private readonly times = new Map<string, string[]>();

  /** Notes a poll; true when the one before it is at least a second old, so that watchers need to be told. */
  add(requestId: string, at: string): boolean {
    const times = this.times.get(requestId) ?? [];
    const last = times.at(-1);
    times.push(at);
    if (times.length > POLLS_KEPT) times.shift();
    this.times.delete(requestId);
    this.times.set(requestId, times);
    if (this.times.size > REQUESTS_KEPT) this.times.delete(this.times.keys().next().value as string);
    return last === undefined || Date.parse(at) - Date.parse(last) >= 1_000;
  }

  of(requestId: string): string[] {
    return [...(this.times.get(requestId) ?? [])];
  }
}
