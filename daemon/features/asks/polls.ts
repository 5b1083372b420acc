const POLLS_MAX = 200;
const REQUESTS_MAX = 1_000;

/** The times at which each request was polled, for the operator's timeline. In memory only, limited to the newest. */
export class Polls {
  private readonly times = new Map<string, string[]>();

  /** Records a poll. Returns true when the previous one is at least a second old, so that an event is due. */
  add(requestId: string, at: string): boolean {
    const times = this.times.get(requestId) ?? [];
    const last = times.at(-1);
    times.push(at);
    if (times.length > POLLS_MAX) times.shift();
    this.times.delete(requestId);
    this.times.set(requestId, times);
    if (this.times.size > REQUESTS_MAX) this.times.delete(this.times.keys().next().value as string);
    return last === undefined || Date.parse(at) - Date.parse(last) >= 1_000;
  }

  of(requestId: string): string[] {
    return [...(this.times.get(requestId) ?? [])];
  }
}
