import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { RefusalReason, RefusedCalls } from '../../../daemon/contract/usage.js';
import { Button } from '../../components/button.js';
import { FilterField, SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Ago } from '../../components/text/time.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { MemberFilter } from '../team/member-filter.js';
import styles from './refused-view.module.css';
import { REQUEST_SPANS, type RequestSearch } from './request-search.js';
import { formatCount } from './usage-format.js';
import { refusedQuery } from './usage-queries.js';
import view from './usage-view.module.css';

const REASONS: Readonly<Record<RefusalReason, string>> = {
  no_credential: 'No credential (401)',
  wrong_credential: 'Wrong credential (401)',
  payment_required: 'Payment required (402)',
  too_many_requests: 'Too many requests (429)',
};
const CHOICES = [{ value: '', label: 'Any' }, ...Object.entries(REASONS).map(([value, label]) => ({ value, label }))];
const SPANS = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'The last hour' },
  { value: 'day', label: 'The last day' },
  { value: 'week', label: 'The last week' },
];

interface RefusedViewProps {
  search: Pick<RequestSearch, 'reason' | 'member' | 'caller' | 'since'>;
  members: readonly string[];
  onSearch: (changed: RequestSearch) => Promise<void>;
}

/** Calls of programs that were refused. Alike ones are one row. */
export default function RefusedView({ search, members, onSearch }: RefusedViewProps) {
  const { reason, member, caller, since } = search;
  const from = useMemo(() => since && new Date(Date.now() - REQUEST_SPANS[since]).toISOString(), [since]);
  const refused = useQuery(refusedQuery({ reason, member, caller, since: from }));
  const isFiltered = [reason, member, caller, since].some((value) => value !== undefined);
  const clear = () => onSearch({ reason: undefined, member: undefined, caller: undefined, since: undefined });
  return (
    <div className="stack">
      <search className={view.filters}>
        <FilterField label="Caller" maxLength={80} value={caller} onChange={(caller) => onSearch({ caller })} />
        <MemberFilter members={members} member={member} onChange={(member) => onSearch({ member })} />
        <SelectField
          label="Reason"
          value={reason ?? ''}
          options={CHOICES}
          onChange={({ target }) => onSearch({ reason: (target.value || undefined) as RequestSearch['reason'] })}
        />
        <SelectField
          label="Since"
          value={since ?? ''}
          options={SPANS}
          onChange={({ target }) => onSearch({ since: (target.value || undefined) as RequestSearch['since'] })}
        />
      </search>
      <Loaded query={refused} what="The refused calls could not be read." rows={6}>
        {({ refused: calls, total }) =>
          calls.length === 0 ? (
            <EmptyState
              command="meshd requests refused"
              action={isFiltered && <Button onClick={clear}>Clear the filters</Button>}
            >
              {isFiltered
                ? 'No refused call matches these filters.'
                : 'No call was refused. Calls without a valid token (401), without a payment (402) and beyond a limit (429) are counted here.'}
            </EmptyState>
          ) : (
            <>
              <p className="small quiet">
                {formatCount(total)} {total === 1 ? 'call' : 'calls'}, last seen first. Callers are named by their
                User-Agent, which nothing proves. No credential is kept. A call that costs usually begins with a 402.
              </p>
              <ul className={rows.rows} aria-label="Refused calls">
                {calls.map((call) => (
                  <RefusedRow
                    key={Object.values({ ...call, count: '', first_at: '', last_at: '' }).join(' ')}
                    call={call}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function RefusedRow({ call: { reason, member, caller, address, route, count, last_at } }: { call: RefusedCalls }) {
  return (
    <li className={styles.row}>
      <strong>
        {formatCount(count)}
        <span className="visually-hidden"> {count === 1 ? 'call' : 'calls'}:</span>
      </strong>
      <div>
        <p>
          {REASONS[reason]}{' '}
          {member !== '' && (
            <>
              to{' '}
              <Link to="/team/$id" params={{ id: member }} search={{ tab: 'access' }}>
                {toDisplayText(member)}
              </Link>
            </>
          )}
        </p>
        <p className="small quiet">
          {[caller, address, route]
            .filter(Boolean)
            .map((part) => toDisplayText(part))
            .join(' · ')}
        </p>
      </div>
      <span className="small quiet">
        <Ago at={last_at} />
      </span>
    </li>
  );
}
