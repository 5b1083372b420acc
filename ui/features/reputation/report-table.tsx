import type { ReportRules, SignedReport } from '../../../daemon/contract/network/reputation.js';
import { Ago } from '../../components/text/time.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { toIsoTime } from '../../lib/format/epoch.js';
import { formatDims, formatReporter, formatWeight, proofLabels, proofMeaning } from './report-format.js';
import styles from './reputation.module.css';
import { computeDecayedWeight, type ScorePoint } from './score-history.js';

interface ReportTableProps {
  /** Newest first. */
  reports: readonly SignedReport[];
  scores: ReadonlyMap<number, ScorePoint>;
  rules: ReportRules;
  /** Epoch seconds for which the faded weights are computed. */
  asOf: number;
}

/** The reports as a table: ratings, proof, current weight, and the score after each. */
export function ReportTable({ reports, scores, rules, asOf }: ReportTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={styles.tableFrame} aria-label="Signed reports" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Reporter</th>
            <th scope="col">Proof</th>
            <th scope="col">Ratings</th>
            <th scope="col" className={styles.number}>
              Weight
            </th>
            <th scope="col" className={styles.number}>
              Score after
            </th>
          </tr>
        </thead>
        <tbody>
          {reports.map((report) => {
            const score = scores.get(report.seq)?.score;
            return (
              <tr key={report.seq}>
                <td>
                  <Ago at={toIsoTime(report.filed_at)} />
                </td>
                <td className="mono" title={report.reporter}>
                  {toDisplayText(formatReporter(report))}
                </td>
                <td title={proofMeaning[report.proof]}>{proofLabels[report.proof] ?? toDisplayText(report.proof)}</td>
                <td>{formatDims(report.dims)}</td>
                <td className={styles.number} title={`${formatWeight(report.weight)} when it was filed`}>
                  {formatWeight(computeDecayedWeight(report, asOf, rules))}
                </td>
                <td className={styles.number}>{score === null || score === undefined ? '–' : score.toFixed(2)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
