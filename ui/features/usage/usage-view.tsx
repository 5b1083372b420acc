import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { UsageBucket, UsageCounts, UsageReport } from '../../../daemon/contract/usage.js';
import { SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { BudgetsSection } from '../budgets/budgets-section.js';
import { MemberFilter } from '../team/member-filter.js';
import type { RequestSearch } from './request-search.js';
import { type ChartSeries, UsageChart } from './usage-chart.js';
import {
  formatBucket,
  formatCost,
  formatCount,
  formatLatency,
  formatOptionalCount,
  isNothing,
  KINDS,
} from './usage-format.js';
import { usageQuery } from './usage-queries.js';
import styles from './usage-view.module.css';

const SPANS = [
  { value: 'day', label: 'The last 24 hours' },
  { value: 'week', label: 'The last 7 days' },
  { value: '', label: 'The last 30 days' },
  { value: 'quarter', label: 'The last 90 days' },
];

interface UsageViewProps {
  search: Pick<RequestSearch, 'span' | 'member'>;
  members: readonly string[];
  onSearch: (changed: RequestSearch) => void;
}

/** Usage over time: asks by how they were answered, latency, tokens and cost, by member, client and caller. */
export default function UsageView({ search: { span, member }, members, onSearch }: UsageViewProps) {
  const usage = useQuery(usageQuery(span ?? 'month', member));
  return (
    <div className="stack">
      <search className={styles.filters}>
        <SelectField
          label="Time"
          value={span ?? ''}
          options={SPANS}
          onChange={({ target }) => onSearch({ span: (target.value || undefined) as RequestSearch['span'] })}
        />
        <MemberFilter members={members} member={member} onChange={(member) => onSearch({ member })} />
      </search>
      <BudgetsSection />
      <Loaded query={usage} what="The usage could not be read." rows={8}>
        {(report) =>
          isNothing(report.total) ? (
            <EmptyState command="meshd usage">
              Nothing was asked in this time. Each request and each message to a member is counted when it ends.
            </EmptyState>
          ) : (
            <Report report={report} />
          )
        }
      </Loaded>
    </div>
  );
}

/** The series of the charts; the same objects until the report changes, because a chart is drawn anew for others. */
function useSeries({ buckets, bucket, total }: UsageReport) {
  return useMemo(() => {
    const series = (label: string, tone: ChartSeries['tone'], get: (one: UsageBucket) => number | null) => ({
      label,
      tone,
      values: buckets.map(get),
    });
    return {
      labels: buckets.map((one) => formatBucket(one, bucket)),
      kinds: KINDS.filter(({ kind }) => total[kind] > 0).map(({ kind, label }) =>
        series(label, kind, (one) => one[kind]),
      ),
      refused: [series('Refused', 'failed', (one) => one.refused)],
      latencies: [
        series('Median', 'answered', ({ p50_ms }) => p50_ms),
        { ...series('95 %', 'likely', ({ p95_ms }) => p95_ms), isDashed: true },
      ],
      tokens: [
        series('In', 'answered', ({ input_tokens }) => input_tokens ?? 0),
        series('Out', 'likely', ({ output_tokens }) => output_tokens ?? 0),
      ],
    };
  }, [buckets, bucket, total]);
}

function Report({ report }: { report: UsageReport }) {
  const { buckets, members, callers, clients, total } = report;
  const { labels, kinds, refused, latencies, tokens } = useSeries(report);
  const hasTokens = total.input_tokens !== null || total.output_tokens !== null;
  return (
    <div className="sections">
      <Totals total={total} />
      {kinds.length > 0 && (
        <ChartSection title="Asks by answer" buckets={buckets} labels={labels} columns={KIND_COLUMNS}>
          <UsageChart title="Asks by answer" labels={labels} series={kinds} kind="columns" format={formatCount} />
        </ChartSection>
      )}
      {total.refused > 0 && (
        <ChartSection title="Refused calls" buckets={buckets} labels={labels} columns={[REFUSED]}>
          <UsageChart title="Refused calls" labels={labels} series={refused} kind="columns" format={formatCount} />
        </ChartSection>
      )}
      {total.p50_ms !== null && (
        <ChartSection title="Time to answer" buckets={buckets} labels={labels} columns={LATENCY_COLUMNS}>
          <UsageChart title="Time to answer" labels={labels} series={latencies} kind="lines" format={formatDuration} />
        </ChartSection>
      )}
      {hasTokens && (
        <ChartSection title="Tokens" buckets={buckets} labels={labels} columns={COST_COLUMNS}>
          <UsageChart title="Tokens" labels={labels} series={tokens} kind="columns" format={formatCount} />
        </ChartSection>
      )}
      <Section title="By member" count={members.length}>
        <UsageTable
          label="Usage by member"
          name="Member"
          columns={ALL_COLUMNS}
          rows={members.map((one) => [one.name || 'no member', one])}
        />
      </Section>
      <Section title="By client" count={clients.length}>
        <UsageTable
          label="Usage by client"
          name="Client"
          columns={CLIENT_COLUMNS}
          rows={clients.map((one) => [one.name || 'no client', one])}
        />
      </Section>
      <Section title="By caller" count={callers.length}>
        <UsageTable
          label="Usage by caller"
          name="Caller"
          columns={ALL_COLUMNS}
          rows={callers.map((one) => [one.name, one])}
        />
        <p className="small quiet">
          Programs are named by their User-Agent, which nothing proves. <em>you</em> are your own conversations.
        </p>
      </Section>
    </div>
  );
}

function Totals({ total }: { total: UsageCounts }) {
  return (
    <Section title="In all">
      <KeyValue
        rows={[
          ['Asks', formatCount(total.asks)],
          [
            'Answers',
            KINDS.filter(({ kind }) => total[kind] > 0)
              .map(({ kind, label }) => `${formatCount(total[kind])} ${label.toLowerCase()}`)
              .join(', ') || 'none',
          ],
          ['Refused calls', formatCount(total.refused)],
          [
            'Time to answer',
            total.p50_ms === null
              ? '–'
              : `${formatLatency(total.p50_ms)} median, 95 % within ${formatLatency(total.p95_ms)}`,
          ],
          [
            'Tokens',
            total.input_tokens === null && total.output_tokens === null
              ? 'none reported'
              : `${formatOptionalCount(total.input_tokens)} in, ${formatOptionalCount(total.output_tokens)} out`,
          ],
          ['Cost', total.cost_usd === null ? 'none reported' : formatCost(total.cost_usd)],
        ]}
      />
    </Section>
  );
}

interface Column {
  head: string;
  format: (counts: UsageCounts) => string;
}

const REFUSED: Column = { head: 'Refused', format: ({ refused }) => formatCount(refused) };
const ASKS: Column = { head: 'Asks', format: ({ asks }) => formatCount(asks) };
const LATENCY_COLUMNS: readonly Column[] = [
  { head: 'Median', format: ({ p50_ms }) => formatLatency(p50_ms) },
  { head: '95 %', format: ({ p95_ms }) => formatLatency(p95_ms) },
];
const COST_COLUMNS: readonly Column[] = [
  { head: 'Tokens in', format: ({ input_tokens }) => formatOptionalCount(input_tokens) },
  { head: 'Tokens out', format: ({ output_tokens }) => formatOptionalCount(output_tokens) },
  { head: 'Cost', format: ({ cost_usd }) => formatCost(cost_usd) },
];
const KIND_COLUMNS: readonly Column[] = [
  ASKS,
  ...KINDS.map(({ kind, label }): Column => ({ head: label, format: (counts) => formatCount(counts[kind]) })),
  REFUSED,
];
const CLIENT_COLUMNS: readonly Column[] = [
  ...KIND_COLUMNS.filter((column) => column !== REFUSED),
  ...LATENCY_COLUMNS,
  ...COST_COLUMNS,
];
const ALL_COLUMNS: readonly Column[] = [...KIND_COLUMNS, ...LATENCY_COLUMNS, ...COST_COLUMNS];

interface ChartSectionProps {
  title: string;
  buckets: readonly UsageBucket[];
  labels: readonly string[];
  columns: readonly Column[];
  children: ReactNode;
}

/** A chart and the same figures as a table. */
function ChartSection({ title, buckets, labels, columns, children }: ChartSectionProps) {
  return (
    <Section title={title}>
      {children}
      <details>
        <summary>Show as a table</summary>
        <UsageTable
          label={`${title}, as a table`}
          name="Time"
          columns={columns}
          rows={buckets.map((one, at) => [labels[at] ?? '', one, one.at] as const).toReversed()}
        />
      </details>
    </Section>
  );
}

interface UsageTableProps {
  label: string;
  name: string;
  columns: readonly Column[];
  /** With a key where two rows may have one name. */
  rows: readonly (readonly [name: string, counts: UsageCounts, key?: string])[];
}

/** Figures by name, in rows. */
export function UsageTable({ label, name, columns, rows }: UsageTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {columns.map(({ head }) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([row, counts, key]) => (
            <tr key={key ?? row}>
              <th scope="row">{toDisplayText(row)}</th>
              {columns.map(({ head, format }) => (
                <td key={head}>{format(counts)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
