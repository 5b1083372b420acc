import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AnswerTrace, TraceCandidate } from '../../../daemon/contract/answer-trace.js';
import { FATE_LABELS, GROUND_LABELS, READING_LABELS, SOURCE_LABELS } from '../../../daemon/lib/text/trace-labels.js';
import { Loaded } from '../../components/loaded.js';
import { KeyValue } from '../../components/notes.js';
import { ApiError, call } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatCitationPlace } from './citation-format.js';
import styles from './trace-panel.module.css';

const traceQuery = (rid: string) =>
  queryOptions({
    queryKey: ['request', rid, 'trace'],
    queryFn: ({ signal }) => call<AnswerTrace>(`/requests/${encodeURIComponent(rid)}/trace`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The trace of an answer: where it was found, how its words were read, and what became of each candidate. */
export default function TracePanel({ rid }: { rid: string }) {
  const trace = useQuery(traceQuery(rid));
  if (trace.error instanceof ApiError && trace.error.status === 404) return <p>{trace.error.message}</p>;
  return (
    <Loaded query={trace} what="How it was found could not be read." rows={6}>
      {(data) => (
        <div className="stack">
          <Summary trace={data} />
          <Stages stages={data.stages} />
          {data.words.length > 0 && <Words words={data.words} />}
          <Candidates rid={rid} trace={data} />
        </div>
      )}
    </Loaded>
  );
}

const WIDTH = 1_000;
const STAGE_LABELS: Readonly<Record<AnswerTrace['stages'][number]['stage'], string>> = {
  index: 'Waited for the index',
  graph: 'Waited for the structure',
  question: 'Read the question',
  facts: 'Looked for facts',
  search: 'Searched passages',
  decision: 'Weighed and composed',
};

/** When each step began, in milliseconds after the first. */
export const listStarts = (stages: readonly { ms: number }[]): number[] =>
  stages.map((_, at) => stages.slice(0, at).reduce((sum, { ms }) => sum + ms, 0));

/** The steps of the answer on a common line of time. */
function Stages({ stages }: Pick<AnswerTrace, 'stages'>) {
  const total = Math.max(
    stages.reduce((sum, { ms }) => sum + ms, 0),
    Number.MIN_VALUE,
  );
  const starts = listStarts(stages);
  return (
    <ol className={styles.stages} aria-label="Steps of the answer">
      {stages.map(({ stage, ms }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stage may occur twice; the steps have no identity but their order.
        <li key={at}>
          <span>{STAGE_LABELS[stage]}</span>
          <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
            <rect className={styles.way} width={WIDTH} height="10" />
            <rect
              className={styles.step}
              x={((starts[at] ?? 0) / total) * WIDTH}
              width={Math.max(4, (ms / total) * WIDTH)}
              height="10"
            />
          </svg>
          <span className={styles.number}>{ms.toFixed(1)} ms</span>
        </li>
      ))}
    </ol>
  );
}

function Summary({ trace: { source, form, stages } }: { trace: AnswerTrace }) {
  const total = stages.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <KeyValue
      rows={[
        ['Found in', SOURCE_LABELS[source]],
        form !== '' && ['Question read as', <code key="form">{toDisplayText(form)}</code>],
        ['Time', `${total.toFixed(1)} ms`],
      ]}
    />
  );
}

function Words({ words }: Pick<AnswerTrace, 'words'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={styles.frame} aria-label="Words of the question" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Word</th>
            <th scope="col">Read as</th>
            <th scope="col" className={styles.number}>
              Passages
            </th>
            <th scope="col" className={styles.number}>
              Weight
            </th>
            <th scope="col">Searched for</th>
          </tr>
        </thead>
        <tbody>
          {words.map(({ written, reading, passages, weight, forms }) => (
            <tr key={written}>
              <td className="mono">{toDisplayText(written)}</td>
              <td>{READING_LABELS[reading]}</td>
              <td className={styles.number}>{passages}</td>
              <td className={styles.number}>{weight.toFixed(2)}</td>
              <td>{toDisplayText(forms.join(', '))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Candidates({
  rid,
  trace: { candidates, candidates_total },
}: {
  rid: string;
  trace: Pick<AnswerTrace, 'candidates' | 'candidates_total'>;
}) {
  if (candidates.length === 0) return <p>There were no candidates.</p>;
  const isScored = candidates.some(({ grounds }) => grounds);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={styles.frame} aria-label="Candidates" tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              {isScored && (
                <>
                  <th scope="col" className={styles.number}>
                    Score
                  </th>
                  <th scope="col">Made of</th>
                </>
              )}
              <th scope="col">What became of it</th>
            </tr>
          </thead>
          <tbody>
            {candidates.map((one) => (
              <CandidateRow key={`${one.path}:${one.start_line}`} rid={rid} candidate={one} isScored={isScored} />
            ))}
          </tbody>
        </table>
      </section>
      {candidates_total > candidates.length && (
        <p className="small quiet">
          The first {candidates.length} of {candidates_total}.
        </p>
      )}
    </>
  );
}

function CandidateRow({ rid, candidate, isScored }: { rid: string; candidate: TraceCandidate; isScored: boolean }) {
  const { path, start_line, end_line, score, grounds, fate } = candidate;
  return (
    <tr className={fate === 'quoted' ? styles.quoted : undefined}>
      <td className={styles.place}>
        <Link
          to="/requests/$rid"
          params={{ rid }}
          search={{ file: path, from: start_line, to: end_line }}
          resetScroll={false}
        >
          {formatCitationPlace(candidate)}
        </Link>
      </td>
      {isScored && (
        <>
          <td className={styles.number}>{score?.toFixed(2)}</td>
          <td className={styles.grounds}>
            {grounds &&
              GROUND_LABELS.filter(([key]) => grounds[key] !== 0)
                .map(([key, label]) => `${label} ${grounds[key].toFixed(2)}`)
                .join(' · ')}
          </td>
        </>
      )}
      <td>{FATE_LABELS[fate]}</td>
    </tr>
  );
}
