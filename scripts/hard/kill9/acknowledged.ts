import type { Answer } from '../http-call.js';

/** How to see that what was acknowledged stands. */
export interface Expectation {
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  /** What of the answer tells of it. */
  look: (answer: Answer) => unknown;
  /** What that must be. */
  is: unknown;
}

/** All that a daemon has acknowledged, by what it is about, and the count of it. */
export class Acknowledged {
  count = 0;
  private readonly all = new Map<string, Expectation>();
  private readonly since = new Set<string>();

  /** From here on `about` may be either way: a change of it is under way. */
  unsure(about: string): void {
    this.all.delete(about);
    this.since.delete(about);
  }

  /** One more answer that promises something; what is expected of it takes the place of what was known of the same thing. */
  add(about: string, expectation: Expectation): void {
    this.count += 1;
    this.all.set(about, expectation);
    this.since.add(about);
  }

  /** What has been acknowledged since the last call. */
  recent(): [string, Expectation][] {
    const list = [...this.since].flatMap((about): [string, Expectation][] => {
      const found = this.all.get(about);
      return found ? [[about, found]] : [];
    });
    this.since.clear();
    return list;
  }

  everything(): [string, Expectation][] {
    return [...this.all];
  }
}
