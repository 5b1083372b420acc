import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Member } from '../../../daemon/contract/team.js';
import { FilterField } from '../../components/field.js';
import segments from '../../components/segments.module.css';
import { isOpen } from '../../features/team/is-open.js';
import styles from './team-page.module.css';

const route = getRouteApi('/team');

/** What the filters use besides the members themselves: those whose source changed and those that work, by id. */
interface Facts {
  drifted: ReadonlyMap<string, unknown>;
  running: ReadonlyMap<string, unknown>;
}

const SHOWS = [
  { show: undefined, words: 'All', fits: () => true },
  { show: 'exposed', words: 'Exposed', fits: (member: Member) => isOpen(member) },
  { show: 'working', words: 'Working', fits: (member: Member, { running }: Facts) => running.has(member.id) },
  { show: 'trouble', words: 'Broken', fits: (member: Member) => member.state === 'broken' },
  { show: 'drifted', words: 'Source changed', fits: (member: Member, { drifted }: Facts) => drifted.has(member.id) },
] as const;

interface Filters {
  q?: string;
  show?: (typeof SHOWS)[number]['show'];
}

/** Returns the members that fit `show` and contain every word of `q`. */
export function filterMembers(members: readonly Member[], { q, show }: Filters, facts: Facts): Member[] {
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const fits = SHOWS.find((one) => one.show === show)?.fits ?? SHOWS[0].fits;
  return members.filter((member) => {
    const hay = `${member.id} ${member.name} ${member.description} ${member.model_resolved}`.toLowerCase();
    return fits(member, facts) && words.every((word) => hay.includes(word));
  });
}

/** The filters of the team, each with the number of members that fit it. */
export function TeamFilters({ members, facts }: { members: readonly Member[]; facts: Facts }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/team' });
  const offered = SHOWS.filter(({ show }) => show !== 'drifted' || facts.drifted.size > 0 || search.show === show);
  return (
    <search className={styles.filters}>
      <div className={styles.search}>
        <FilterField
          label="Filter members"
          hidesLabel
          placeholder="Filter by name, id or description"
          value={search.q}
          onChange={(q) => navigate({ search: (was) => ({ ...was, q }), replace: true })}
        />
      </div>
      <fieldset className={segments.segments}>
        <legend className="visually-hidden">Show</legend>
        {offered.map(({ show, words, fits }) => (
          <button
            key={words}
            type="button"
            className={segments.segment}
            aria-pressed={search.show === show}
            onClick={() => void navigate({ search: (was) => ({ ...was, show }), replace: true })}
          >
            {words} <span className="mono small quiet">{members.filter((member) => fits(member, facts)).length}</span>
          </button>
        ))}
      </fieldset>
    </search>
  );
}
