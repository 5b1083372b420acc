import { useQuery } from '@tanstack/react-query';
import type { Reputation } from '../../../daemon/contract/network/reputation.js';
import { Loaded } from '../../components/loaded.js';
import { Meter } from '../../components/meter.js';
import { KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { DIMENSIONS_SHOWN } from './report-format.js';
import { ReportLogPanel } from './report-log-panel.js';
import styles from './reputation.module.css';
import { reputationQuery } from './reputation-queries.js';

const count = (value: number) => value.toLocaleString('en');

/** The reputation of an agent: the score, its components, its history, and the signed log. */
export function ReputationPanel({ agentId }: { agentId: string }) {
  const reputation = useQuery(reputationQuery(agentId));
  return (
    <Section title="Reputation" count={reputation.data ? formatReportCount(reputation.data.reports) : undefined}>
      <Loaded query={reputation} what="The reputation could not be read." rows={5}>
        {(evidence) => (
          <div className={`stack ${styles.panel}`}>
            {evidence.score === null ? (
              <p className={styles.rule}>No reports about this agent. In searches it counts as 0.50.</p>
            ) : (
              <ScoreSummary score={evidence.score} dims={evidence.dims} />
            )}
            <KeyValue
              rows={[
                ['Delivered', `${count(evidence.message_through_count)} messages after a search`],
                ['Shown', `in ${count(evidence.impression_count)} answers of the search`],
              ]}
            />
            {evidence.reports > 0 && <ReportLogPanel agentId={agentId} standing={evidence} />}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

const formatReportCount = (reports: number) => (reports === 1 ? '1 report' : `${count(reports)} reports`);

function ScoreSummary({ score, dims }: { score: number; dims: Reputation['dims'] }) {
  return (
    <div className={styles.score}>
      <p className={styles.score}>
        <strong>{score.toFixed(2)}</strong>
        <span className="quiet"> of 1</span>
      </p>
      <dl className={styles.dims}>
        {DIMENSIONS_SHOWN.map((dimension) => {
          const value = dims[dimension];
          return (
            <div key={dimension}>
              <dt>{dimension}</dt>
              <dd>
                <Meter value={value ?? 0} />
                <span className={value === undefined ? 'quiet' : 'mono'}>
                  {value === undefined ? 'no report' : value.toFixed(2)}
                </span>
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
