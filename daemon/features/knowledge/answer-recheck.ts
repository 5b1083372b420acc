import type { Citation } from '../../contract/asks.js';
import { CITATIONS_MAX } from '../../contract/limits.js';
import { within } from '../../lib/async/within.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Knowledge, Profile } from './knowledge.js';

/** A read never waits longer for the index. */
const WAIT_MS = 2_000;

/** Looks again at the citations of stored answers when they are read. */
export class AnswerRecheck {
  constructor(
    private readonly knowledge: Pick<Knowledge, 'recheck'>,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  /**
   * Returns answers with their citations as they are now, for a reader with `profile`: the first 200 citations in the
   * order of the answers. The others are as they were given, and so are all when the index does not reply within 2 s.
   * Answers without citations cost nothing.
   */
  async recheck<T extends { citations?: Citation[] | null }>(answers: readonly T[], profile: Profile): Promise<T[]> {
    const given = answers.flatMap(({ citations }) => citations ?? []).slice(0, CITATIONS_MAX);
    if (given.length === 0) return [...answers];
    const current = (await this.ask(given, profile)) ?? given;
    let next = 0;
    return answers.map((answer) => {
      const { citations } = answer;
      if (!citations || citations.length === 0) return answer;
      const own = current.slice(next, next + citations.length);
      next += own.length;
      return { ...answer, citations: [...own, ...citations.slice(own.length)] };
    });
  }

  private async ask(given: Citation[], profile: Profile): Promise<Citation[] | undefined> {
    try {
      return await within(this.clock, WAIT_MS, this.knowledge.recheck(given, profile));
    } catch {
      // The index is down, which its status reports. What was given can still be read.
      return undefined;
    }
  }
}
