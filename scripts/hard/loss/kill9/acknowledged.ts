import type { Answer } from '../../http-call.js';

/** How to verify that an acknowledged change exists. */
export interface Expectation {
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  /** Returns the relevant part of the response. */
  look: (answer: Answer) => unknown;
  /** The expected value of that part. */
  is: unknown;
}

/** Everything that a daemon has acknowledged, by subject, and the number of acknowledgements. */
export class Acknowledged {
  count = 0;
  private readonly all = new Map<string, Expectation>();
  private readonly since = new Set<string>();

  /** Removes the expectation for `about`, because a change of it is in progress and may or may not be carried out. */
  unsure(about: string): void {
    this.all.delete(about);
    this.since.delete(about);
  }

  /** Records an acknowledgement. Its expectation replaces the previous one for the same subject. */
  add(about: string, expectation: Expectation): void {
    this.count += 1;
    this.all.set(about, expectation);
    this.since.add(about);
  }

  /** Returns the expectations added since the last call. */
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
