import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { RequestList, RequestRow as Row } from '../../../daemon/contract/asks.js';
import type { Member } from '../../../daemon/contract/team.js';
import { Button, buttonClass } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { FilterField, SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Notice } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import rows from '../../components/rows.module.css';
import { PageHead } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { Skeleton } from '../../components/states.js';
import { viewLink } from '../../components/view-link.js';
import { KIND_LABELS } from '../../features/asks/citation-format.js';
import { RequestRow } from '../../features/asks/request-row.js';
import { requestsQuery } from '../../features/asks/requests-pages.js';
import { WorkingAction } from '../../features/conversations/list/working-action.js';
import { isOpen } from '../../features/team/is-open.js';
import { MemberFilter } from '../../features/team/member-filter.js';
import { teamQuery } from '../../features/team/team-queries.js';
import {
  REQUEST_SPANS,
  type RequestSearch,
  readRequestSearch,
  type UnknownFilter,
} from '../../features/usage/request-search.js';
import type { Span } from '../../lib/drawn-rows.js';
import { fetched } from '../../lib/fetched.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePages } from '../../lib/pages.js';
import { useDrawnParts } from '../../lib/use-drawn-rows.js';
import { usePageTitle } from '../page-title.js';
import { useCounts } from '../use-counts.js';
import styles from './requests-page.module.css';

const route = getRouteApi('/requests');
const listRows = (page: RequestList) => page.requests;
/** Scrolled further down than this, new rows wait instead of pushing the others down. */
const READING_FROM_PX = 120;

const NOBODY: readonly Member[] = [];
const Loading = <Skeleton rows={8} />;
const RefusedView = fetched(() => import('../../features/usage/refused-view.js'), Loading);
const UsageView = fetched(() => import('../../features/usage/usage-view.js'), Loading);
const TABS = [
  { tab: undefined, words: 'All', lede: 'Questions from programs and from Home, newest first. Kept for 30 days.' },
  {
    tab: 'refused',
    words: 'Refused',
    lede: 'Calls from programs on this machine that were refused. Kept for 90 days.',
  },
  { tab: 'usage', words: 'Usage', lede: 'What was asked, how it was answered, and what it took. Kept for 90 days.' },
] as const;

/** The requests of programs, the calls that were refused, and the usage over time. */
export function RequestsPage() {
  const { filters: search, unknown } = readRequestSearch({ ...route.useSearch() });
  const navigate = useNavigate({ from: '/requests' });
  const team = useQuery(teamQuery()).data;
  const { live } = useCounts();
  const current = TABS.find(({ tab }) => tab === search.tab) ?? TABS[0];
  usePageTitle(search.tab === undefined ? 'Requests' : `${current.words} – Requests`, live);
  const set = (changed: RequestSearch) =>
    navigate({ search: { ...search, ...changed }, replace: true, resetScroll: false });
  const members = team?.members ?? NOBODY;
  const view = { search, members: members.map(({ id }) => id), onSearch: set };
  return (
    <>
      <PageHead title="Requests" lede={current.lede} />
      <nav aria-label="Requests" className={segments.segments}>
        {TABS.map(({ tab, words }) => (
          <Link key={words} to="/requests" search={{ tab, member: search.member }} {...viewLink(search.tab === tab)}>
            {words}
          </Link>
        ))}
      </nav>
      {unknown.length > 0 && <UnknownFilters unknown={unknown} onLeave={() => set({})} />}
      <ErrorBoundary key={search.tab ?? ''} what="This part of the page could not be drawn.">
        {search.tab === undefined && <AllRequests search={search} members={members} onChange={set} />}
        {search.tab === 'refused' && <RefusedView {...view} />}
        {search.tab === 'usage' && <UsageView {...view} />}
      </ErrorBoundary>
    </>
  );
}

interface AllRequestsProps {
  search: RequestSearch;
  members: readonly Member[];
  onChange: (changed: RequestSearch) => Promise<void>;
}

function AllRequests({ search, members, onChange }: AllRequestsProps) {
  const navigate = useNavigate({ from: '/requests' });
  const since = useMemo(
    () => (search.since ? new Date(Date.now() - REQUEST_SPANS[search.since]).toISOString() : undefined),
    [search.since],
  );
  const { member, status, rating, kind, q, caller } = search;
  const filters = { member, status, rating, kind, q, caller, since };
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const { query: requests, all } = usePages(requestsQuery(filters), listRows);
  const exposed = useMemo(() => new Set(members.filter(isOpen).map((member) => member.id)), [members]);
  return (
    <div className="stack">
      <RequestFilters search={search} members={members} onChange={onChange} />
      <Loaded query={requests} what="The requests could not be read." rows={10}>
        {() =>
          all.length > 0 ? (
            <>
              <List key={JSON.stringify(search)} requests={all} exposed={exposed} />
              <OlderRows query={requests} shown={all.length} unit={['request', 'requests']} />
            </>
          ) : isFiltered ? (
            <EmptyState
              action={<Button onClick={() => void navigate({ search: {}, replace: true })}>Clear the filters</Button>}
            >
              No request matches these filters.
            </EmptyState>
          ) : (
            <NoRequests members={members} />
          )
        }
      </Loaded>
    </div>
  );
}

const STATES = [
  { value: '', label: 'Any' },
  { value: 'queued', label: 'queued' },
  { value: 'running', label: 'working' },
  { value: 'needs_input', label: 'needs you' },
  { value: 'done', label: 'answered' },
  { value: 'error', label: 'failed or stopped' },
  // Not a state of a request: calls that never became one.
  { value: 'refused', label: 'refused' },
];
const KINDS = [
  { value: '', label: 'Any' },
  ...Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label })),
  { value: 'answered', label: 'By a model' },
];
const RATINGS = [
  { value: '', label: 'Any' },
  { value: 'up', label: 'good answer' },
  { value: 'down', label: 'bad answer' },
];
const SPANS = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'The last hour' },
  { value: 'day', label: 'The last day' },
  { value: 'week', label: 'The last week' },
];

function RequestFilters({ search, members, onChange }: AllRequestsProps) {
  return (
    <search className={styles.filters}>
      <FilterField
        label="Text in the question or answer"
        maxLength={200}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <MemberFilter
        members={members.map(({ id }) => id)}
        member={search.member}
        onChange={(member) => onChange({ member })}
      />
      <FilterField
        label="Caller"
        placeholder="for example curl"
        maxLength={200}
        value={search.caller}
        onChange={(caller) => onChange({ caller })}
      />
      <SelectField
        label="State"
        value={search.status ?? ''}
        options={STATES}
        onChange={({ target: { value } }) =>
          onChange(
            value === 'refused'
              ? { tab: value, status: undefined }
              : { status: (value || undefined) as RequestSearch['status'] },
          )
        }
      />
      <SelectField
        label="Kind of answer"
        value={search.kind ?? ''}
        options={KINDS}
        onChange={(event) => onChange({ kind: (event.target.value || undefined) as typeof search.kind })}
      />
      <SelectField
        label="Your rating"
        value={search.rating ?? ''}
        options={RATINGS}
        onChange={(event) => onChange({ rating: (event.target.value || undefined) as typeof search.rating })}
      />
      <SelectField
        label="Since"
        value={search.since ?? ''}
        options={SPANS}
        onChange={(event) => onChange({ since: (event.target.value || undefined) as typeof search.since })}
      />
    </search>
  );
}

/** Names the filters of the address that have no known value, so that the unfiltered list is not taken for theirs. */
function UnknownFilters({ unknown, onLeave }: { unknown: readonly UnknownFilter[]; onLeave: () => void }) {
  return (
    <Notice tone="failed" isAlert>
      {unknown.map(({ key, value, known }) => (
        <p key={key}>
          <code>
            {key}={toDisplayText(value)}
          </code>{' '}
          filters nothing: {key} is one of {known.join(', ')}.
        </p>
      ))}
      <Button isSmall onClick={onLeave}>
        Leave it out
      </Button>
    </Notice>
  );
}

function NoRequests({ members }: { members: readonly Member[] }) {
  const example = members.find(isOpen) ?? members.find((member) => member.id === 'consultant');
  return (
    <EmptyState
      command={`meshd ask ${example?.id ?? 'consultant'} "what does this project do?"`}
      action={
        example && (
          <Link
            to="/team/$id"
            params={{ id: example.id }}
            search={{ tab: 'access' }}
            className={buttonClass('primary')}
          >
            {isOpen(example) ? 'Copy curl' : `Expose ${example.id}`}
          </Link>
        )
      }
    >
      No requests yet. Programs ask with a member’s token. Each request is listed here when it arrives.
    </EmptyState>
  );
}

/**
 * The rows, newest on top; only those near the viewport are rendered. Rows that arrive while the list is scrolled wait
 * behind a button, so that nothing jumps.
 */
function List({ requests, exposed }: { requests: Row[]; exposed: Set<string> }) {
  const { shown, waiting, since, setTop } = useWaitingRows(requests);
  const list = useRef<HTMLUListElement>(null);
  const ids = useMemo(() => shown.map(({ request_id }) => request_id), [shown]);
  const { parts, drawn, rowPx, hold, handlers } = useDrawnParts(list, ids);
  const show = () => {
    const newer = requests[0]?.request_id;
    flushSync(() => {
      setTop(newer);
      hold(newer);
    });
    window.scrollTo({ top: 0, behavior: 'smooth' });
    list.current?.querySelector<HTMLElement>('[data-at="0"] [data-row]')?.focus({ preventScroll: true });
  };
  return (
    <>
      <div className={styles.pill} role="status">
        {waiting > 0 && (
          <Button look="primary" isSmall data-new="" aria-keyshortcuts="n" onClick={show}>
            {waiting} new
          </Button>
        )}
      </div>
      <ul ref={list} className={`${rows.rows} ${styles.list}`} aria-label="Requests" {...handlers}>
        {parts.map((part) =>
          part.kind === 'gap' ? (
            <li
              key={`${part.from} left out`}
              aria-hidden="true"
              className={styles.gap}
              style={{ height: (part.to - part.from) * rowPx }}
            />
          ) : (
            <Rows
              key={part.from === drawn.from ? 'rows' : 'held'}
              requests={shown}
              part={part}
              since={since}
              exposed={exposed}
            />
          ),
        )}
      </ul>
    </>
  );
}

/**
 * Returns the rows to show, how many newer ones wait, and when the newest row was created at first. While the list is
 * scrolled, the first row stays the same until `setTop` changes it.
 */
function useWaitingRows(requests: readonly Row[]) {
  const isReading = useIsReading();
  const newest = requests[0];
  const [top, setTop] = useState(newest?.request_id);
  const [since] = useState(newest?.created_at ?? '');
  if (!isReading && top !== newest?.request_id) setTop(newest?.request_id);
  const from = isReading
    ? Math.max(
        0,
        requests.findIndex((request) => request.request_id === top),
      )
    : 0;
  const shown = useMemo(() => requests.slice(from), [requests, from]);
  return { shown, waiting: from, since, setTop };
}

interface RowsProps {
  requests: readonly Row[];
  part: Span;
  /** Requests created later have arrived since the list was opened. */
  since: string;
  exposed: ReadonlySet<string>;
}

/** The rows of one rendered part of the list. */
function Rows({ requests, part, since, exposed }: RowsProps) {
  return requests
    .slice(part.from, part.to)
    .map((request, at) => (
      <RequestRow
        key={request.request_id}
        request={request}
        isExposed={exposed.has(request.member)}
        isArrival={request.created_at > since && request.status !== 'done'}
        doing={request.status === 'running' && <WorkingAction conv={request.conv} />}
        at={part.from + at}
        of={requests.length}
      />
    ));
}

function useIsReading(): boolean {
  const [isReading, setIsReading] = useState(() => window.scrollY > READING_FROM_PX);
  useEffect(() => {
    const scrolled = () => setIsReading(window.scrollY > READING_FROM_PX);
    window.addEventListener('scroll', scrolled, { passive: true });
    return () => window.removeEventListener('scroll', scrolled);
  }, []);
  return isReading;
}
