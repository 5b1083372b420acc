import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { SearchResult } from '../../../daemon/contract/network/oracle.js';
import { Button, buttonClass } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import rows from '../../components/rows.module.css';
import { PageHead } from '../../components/section.js';
import { InTerminal } from '../../components/text/in-terminal.js';
import { FindFilterFields } from '../../features/find/find-filter-fields.js';
import { filtersSet, findCommand } from '../../features/find/find-filters.js';
import { searchQuery } from '../../features/find/find-queries.js';
import { FindRow } from '../../features/find/find-row.js';
import { type FindSearch, readFindSearch } from '../../features/find/find-search.js';
import { FoundElsewhere } from '../../features/find/found-elsewhere.js';
import { LeftOut } from '../../features/find/left-out.js';
import { leftOut } from '../../features/find/left-out-format.js';
import { useNetworkUsed } from '../../features/find/use-network-used.js';
import { usePages } from '../../lib/pages.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/find');
/** Matches text that may be an agent's id. The search matches what agents do and not their names. */
const MAY_BE_AN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/;
const listRows = (page: SearchResult) => page.agents;

export function FindPage() {
  const said = route.useSearch();
  const search = useMemo(() => readFindSearch({ ...said }), [said]);
  const navigate = useNavigate({ from: '/find' });
  usePageTitle(search.q ? `Agent search: ${search.q.slice(0, 60)}` : 'Agent search');
  useNetworkUsed(search.q !== undefined);
  const change = useCallback(
    (changed: FindSearch) => navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  );
  const { query: found, all } = usePages(searchQuery(search), listRows);
  const first = found.data?.pages[0];
  const left = useMemo(() => (first ? leftOut(first, search) : []), [first, search]);
  return (
    <>
      <PageHead
        title="Agent search"
        lede={
          'Searches every agent registered here, and members of your other running projects, by what it does. ' +
          'You then call the agent directly.'
        }
      />
      <div className="stack">
        <FindFilterFields search={search} onChange={change} />
        <InTerminal command={findCommand(search)} />
        <Loaded query={found} what="The search failed." rows={8}>
          {() => (
            <>
              <p role="status" className="visually-hidden">
                {found.isPlaceholderData ? 'Searching' : `${all.length} found${found.hasNextPage ? ', and more' : ''}`}
              </p>
              {all.length > 0 ? (
                <>
                  <ul className={rows.rows} aria-label="Found agents" aria-busy={found.isPlaceholderData}>
                    {all.map((agent, at) => (
                      <FindRow key={agent.agent_id} agent={agent} place={at + 1} hasQuery={search.q !== undefined} />
                    ))}
                  </ul>
                  <OlderRows query={found} shown={all.length} unit={['agent', 'agents']} more="Show more" />
                </>
              ) : (
                <NothingFound
                  search={search}
                  hasLeftOut={left.length > 0}
                  onClear={() => void navigate({ search: { q: search.q }, replace: true })}
                />
              )}
              <LeftOut entries={left} />
            </>
          )}
        </Loaded>
        <FoundElsewhere search={search} />
      </div>
    </>
  );
}

/** Suggestions for an empty result, depending on the reason. */
function NothingFound({
  search,
  hasLeftOut,
  onClear,
}: {
  search: FindSearch;
  hasLeftOut: boolean;
  onClear: () => void;
}) {
  const set = filtersSet(search);
  const clear = set > 1 && <Button onClick={onClear}>Clear the {set} filters</Button>;
  if (hasLeftOut)
    return <EmptyState action={clear}>No agent matches these filters. Excluded by each filter:</EmptyState>;
  if (search.q !== undefined || set > 0) {
    const id = search.q !== undefined && MAY_BE_AN_ID.test(search.q) ? search.q : undefined;
    const open = id !== undefined && (
      <Link to="/agents/$id" params={{ id }} className={buttonClass()}>
        Open the agent named {id}
      </Link>
    );
    return (
      <EmptyState
        action={
          (open || clear) && (
            <p className="cluster">
              {open}
              {clear}
            </p>
          )
        }
      >
        No agent matches this search. Describe what it should do, not its name.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      command={'meshd agent register painter --capability paint --description "Paints pictures from descriptions"'}
      action={
        <Link to="/team" className={buttonClass('primary')}>
          Expose a member
        </Link>
      }
    >
      No agent is registered yet. Exposed members of this project are registered automatically. Other programs register
      on the hub and the unified API.
    </EmptyState>
  );
}
