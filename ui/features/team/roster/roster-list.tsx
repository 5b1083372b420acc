import { type ReactNode, useMemo, useRef } from 'react';
import rows from '../../../components/rows.module.css';
import { useDrawnParts } from '../../../lib/use-drawn-rows.js';
import './roster-styles.js';
import type { RosterEntry } from './roster-entry.js';
import { RosterRow } from './roster-row.js';
import { nextSort, type RosterSort, SORT_KEYS, type SortKey } from './roster-sort.js';
import type { RosterSelection } from './use-roster-selection.js';

interface RosterListProps {
  /** In the order in which they are shown. */
  entries: readonly RosterEntry[];
  sort: RosterSort | undefined;
  onSort: (sort: RosterSort | undefined) => void;
  selection: RosterSelection;
  /** All members have the same model, which is said once above the list. */
  hasOneModel: boolean;
  /** What can be done with the selected members. Replaces the columns' names while there are any. */
  actions: ReactNode;
}

/** The roster: one row a member. Only the rows near the viewport are rendered. */
export function RosterList({ entries, sort, onSort, selection, hasOneModel, actions }: RosterListProps) {
  const list = useRef<HTMLUListElement>(null);
  const ids = useMemo(() => entries.map(({ member }) => member.id), [entries]);
  const { parts, drawn, rowPx, handlers } = useDrawnParts(list, ids);
  const count = selection.selected.size;
  return (
    <div className={hasOneModel ? 'roster oneModel' : 'roster'}>
      <div className="head">
        <label className="tick">
          <input
            type="checkbox"
            aria-label={`Select all ${ids.length} shown`}
            checked={count > 0 && count === ids.length}
            ref={(box) => {
              if (box) box.indeterminate = count > 0 && count < ids.length;
            }}
            onChange={() => selection.set(count === ids.length ? [] : ids)}
          />
        </label>
        {count > 0 ? actions : <Columns sort={sort} onSort={onSort} hasOneModel={hasOneModel} />}
      </div>
      <ul ref={list} className={`${rows.rows} list`} aria-label="Members" {...handlers}>
        {parts.map((part) =>
          part.kind === 'gap' ? (
            <li
              key={`${part.from} left out`}
              aria-hidden="true"
              className="gap"
              style={{ height: (part.to - part.from) * rowPx }}
            />
          ) : (
            <Rows
              key={part.from === drawn.from ? 'rows' : 'held'}
              entries={entries}
              from={part.from}
              to={part.to}
              selection={selection}
            />
          ),
        )}
      </ul>
    </div>
  );
}

interface RowsProps {
  entries: readonly RosterEntry[];
  from: number;
  to: number;
  selection: RosterSelection;
}

function Rows({ entries, from, to, selection: { selected, toggle } }: RowsProps) {
  return entries
    .slice(from, to)
    .map((entry, at) => (
      <RosterRow
        key={entry.member.id}
        entry={entry}
        isSelected={selected.has(entry.member.id)}
        onSelect={toggle}
        at={from + at}
        of={entries.length}
      />
    ));
}

const COLUMNS: Readonly<Record<SortKey, readonly [name: string, forward: string, reverse: string]>> = {
  name: ['Member', 'A to Z', 'Z to A'],
  model: ['Model', 'A to Z', 'Z to A'],
  state: ['State', 'what needs you first', 'what needs you last'],
  used: ['Last used', 'newest first', 'oldest first'],
  file: ['File', 'changed first', 'changed last'],
};

/** The names of the columns, which sort the list. */
function Columns({ sort, onSort, hasOneModel }: Pick<RosterListProps, 'sort' | 'onSort' | 'hasOneModel'>) {
  return (
    <ul className="columns" aria-label="Sort by">
      {SORT_KEYS.filter((key) => key !== 'model' || !hasOneModel).map((key) => {
        const [name, forward, reverse] = COLUMNS[key];
        const isReverse = sort === `-${key}`;
        const isSorted = isReverse || sort === key;
        return (
          <li key={key} className={key}>
            <button
              type="button"
              className="column"
              aria-pressed={isSorted}
              title={isSorted ? (isReverse ? reverse : forward) : `Sort: ${forward}`}
              onClick={() => onSort(nextSort(sort, key))}
            >
              {name}
              {isSorted && (
                <>
                  <span aria-hidden="true">{isReverse ? '↑' : '↓'}</span>
                  <span className="visually-hidden">, {isReverse ? reverse : forward}</span>
                </>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
