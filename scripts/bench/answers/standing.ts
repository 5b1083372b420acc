import type { Citation } from '../../../daemon/contract/asks.js';
import type { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { report, rounded } from '../measure.js';

/** Counts the citations of answers, and those that stand: the quoted lines are there as they were quoted. */
export class StandingCitations {
  private all = 0;
  private standing = 0;

  add(index: Pick<ProjectIndex, 'check'>, citations: readonly Citation[]): void {
    this.all += citations.length;
    this.standing += index.check(citations).filter(({ status }) => status === 'checked').length;
  }

  /** Reports the share that stands, whose goal is all of them. */
  report(bench: string, half: string): void {
    report({
      bench,
      measure: `${half}: citations that stand (${this.all})`,
      unit: '',
      ours: rounded(this.standing / this.all, 4),
      rounds: 1,
      goal: '1',
      pass: this.standing === this.all && this.all > 0,
    });
  }
}
