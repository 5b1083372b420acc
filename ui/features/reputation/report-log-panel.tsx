import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Reputation } from '../../../daemon/contract/network/reputation.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { ReportTable } from './report-table.js';
import styles from './reputation.module.css';
import { reportsQuery } from './reputation-queries.js';
import { ScoreChart } from './score-chart.js';
import { createChart, scoreHistory } from './score-history.js';

/** How many reports are loaded without a request of the user. */
const READ_AT_ONCE = 1_000;
const ROWS = 10;
const MORE_ROWS = 100;

/** The log of reports, oldest first, read up to `READ_AT_ONCE` reports. */
function useReportLog(agentId: string) {
  const log = useInfiniteQuery(reportsQuery(agentId));
  const reports = useMemo(() => log.data?.pages.flatMap((page) => page.reports) ?? [], [log.data]);
  const { hasNextPage, isFetching, fetchNextPage } = log;
  const readsOn = hasNextPage && !isFetching && reports.length < READ_AT_ONCE;
  useEffect(() => {
    if (readsOn) void fetchNextPage();
  }, [readsOn, fetchNextPage]);
  return { log, reports, rules: log.data?.pages[0]?.rules };
}

/** The history of a score: as a chart, and as the log of reports, newest first. */
export function ReportLogPanel({ agentId, standing: reputation }: { agentId: string; standing: Reputation }) {
  const { log, reports, rules } = useReportLog(agentId);
  const { hasNextPage, isFetching, fetchNextPage } = log;
  const [shown, setShown] = useState(ROWS);
  const history = useMemo(() => (rules ? scoreHistory(reports, rules) : []), [reports, rules]);
  const scores = useMemo(() => new Map(history.map((point) => [point.seq, point])), [history]);
  const newest = useMemo(() => reports.toReversed(), [reports]);
  const last = reports.at(-1);
  const until = hasNextPage && last ? last.filed_at : reputation.as_of;
  const chart = useMemo(() => createChart(history, until), [history, until]);
  return (
    <Loaded query={log} what="The reports could not be read." rows={6}>
      {() => (
        <>
          {chart && reports[0] && (
            <ScoreChart
              chart={chart}
              from={reports[0].filed_at}
              until={until}
              label={
                `The score after each of ${reports.length} reports, from ${history[0]?.score?.toFixed(2)} to ` +
                `${history.at(-1)?.score?.toFixed(2)}. The table below has every step.`
              }
            />
          )}
          {hasNextPage && (
            <p className="cluster">
              <span className="quiet">
                The first {reports.length.toLocaleString('en')} of {reputation.reports.toLocaleString('en')} reports are
                read; the newest are not among them.
              </span>
              <Button isSmall isBusy={isFetching} onClick={() => void fetchNextPage()}>
                Load more
              </Button>
            </p>
          )}
          {rules && (
            <ReportTable reports={newest.slice(0, shown)} scores={scores} rules={rules} asOf={reputation.as_of} />
          )}
          <div className="cluster">
            {shown < reports.length && <Button onClick={() => setShown(shown + MORE_ROWS)}>Show older</Button>}
            <span className="quiet small">
              {Math.min(shown, reports.length)} of {reports.length.toLocaleString('en')} shown
            </span>
            <a href={`/v1/reputation/${encodeURIComponent(agentId)}/reports`} className="small">
              The signed log, to recompute the score
            </a>
          </div>
          {rules && (
            <details>
              <summary>How the score is computed</summary>
              <p className={styles.rule}>{rules.text}</p>
            </details>
          )}
        </>
      )}
    </Loaded>
  );
}
