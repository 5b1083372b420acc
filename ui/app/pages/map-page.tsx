import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { MapData } from '../../../daemon/contract/saved-clusters.js';
import { Button, buttonClass } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { FilterField, SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Notice } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { PageHead, Section } from '../../components/section.js';
import { inOrder } from '../../features/map/dots.js';
import styles from '../../features/map/map-page.module.css';
import { findEntry, fits, type MapEntry } from '../../features/map/map-places.js';
import { mapQuery } from '../../features/map/map-queries.js';
import { type MapSearch, readMapSearch } from '../../features/map/map-search.js';
import { isSeen, isWholeWorld, type MapView, RATIO, readView, viewText } from '../../features/map/map-view.js';
import { PlaceLink, PlaceRow } from '../../features/map/place-row.js';
import WorldMap from '../../features/map/world-map.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/map');
/** Rows shown at first, and added with each press of the button. */
const ROWS = 100;

export function MapPage() {
  usePageTitle('Map');
  const map = useQuery(mapQuery());
  return (
    <>
      <PageHead
        title="Map"
        lede="Public clusters and board posts that have a location. The map is drawn without network requests."
      />
      <Loaded query={map} what="The map could not be read." rows={8}>
        {(data) => <MapBody data={data} />}
      </Loaded>
    </>
  );
}

function MapBody({ data }: { data: MapData }) {
  const search = readMapSearch({ ...route.useSearch() });
  const navigate = useNavigate({ from: '/map' });
  const change = (changed: MapSearch) =>
    navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false });
  const entries = useMemo(() => data.places.map(findEntry).sort(inOrder), [data]);
  const fitting = useMemo(
    () => entries.filter(({ place }) => fits({ q: search.q, kind: search.kind }, place)),
    [entries, search.q, search.kind],
  );
  const spots = useMemo(() => fitting.flatMap(({ spot }) => spot ?? []), [fitting]);
  const places = useMemo(() => new Map(fitting.map(({ key, place }) => [key, place])), [fitting]);
  const view = readView(search.at);
  const isFiltered = search.q !== undefined || search.kind !== undefined;
  return (
    <div className="stack">
      <MapFilters search={search} onChange={change} />
      {data.truncated && (
        <Notice tone="info">
          <p>Too many places for one map: the newest {data.count.toLocaleString('en')} are shown.</p>
        </Notice>
      )}
      <div className={styles.columns}>
        <div className={styles.map}>
          <ErrorBoundary what="The map could not be drawn.">
            <WorldMap
              label="Map of the world"
              spots={spots}
              view={view}
              onView={(next) => change({ at: viewText(next) })}
              spotLink={({ key }, look) => {
                const place = places.get(key);
                return place && <PlaceLink place={place} {...look} />;
              }}
              closerLink={(next, look) => (
                <Link
                  from="/map"
                  to="."
                  search={(was) => ({ ...was, at: viewText(next) })}
                  resetScroll={false}
                  {...look}
                />
              )}
            />
          </ErrorBoundary>
        </div>
        <PlaceList
          isEmpty={entries.length === 0}
          entries={fitting}
          view={view}
          onWhole={() => change({ at: undefined })}
          nothing={
            isFiltered && <Button onClick={() => change({ q: undefined, kind: undefined })}>Clear the filters</Button>
          }
        />
      </div>
    </div>
  );
}

function MapFilters({ search, onChange }: { search: MapSearch; onChange: (changed: MapSearch) => Promise<void> }) {
  return (
    <search className={styles.filters}>
      <FilterField label="Title, cluster or place" maxLength={200} value={search.q} onChange={(q) => onChange({ q })} />
      <SelectField
        label="Kind"
        value={search.kind ?? ''}
        options={[
          { value: '', label: 'Any' },
          { value: 'cluster', label: 'Clusters' },
          { value: 'post', label: 'Posts' },
        ]}
        onChange={(event) => onChange({ kind: (event.target.value || undefined) as MapSearch['kind'] })}
      />
    </search>
  );
}

/** The same places as a list. When the map shows a part of the world, only those in view. */
function PlaceList({
  isEmpty,
  entries,
  view,
  onWhole,
  nothing,
}: {
  /** There is nothing to show, whatever the filters. */
  isEmpty: boolean;
  entries: readonly MapEntry[];
  view: MapView;
  onWhole: () => void;
  nothing: React.ReactNode;
}) {
  const [shown, setShown] = useState(ROWS);
  const seen = isWholeWorld(view) ? entries : entries.filter(({ spot }) => spot && isSeen(view, RATIO, spot));
  const hidden = entries.length - seen.length;
  if (isEmpty)
    return (
      <Section title="Places" count={0}>
        <EmptyState
          command="meshd post new --help"
          action={
            <Link to="/rooms" className={buttonClass('primary')}>
              Open clusters
            </Link>
          }
        >
          No places yet. A post on a board of a public cluster appears here when it has a location.
        </EmptyState>
      </Section>
    );
  return (
    <Section title={isWholeWorld(view) ? 'Places' : 'Places in view'} count={seen.length}>
      {seen.length > 0 ? (
        <ul className={rows.rows} aria-label="Places">
          {seen.slice(0, shown).map(({ key, place, spot }) => (
            <PlaceRow key={key} place={place} isOnMap={spot !== undefined} />
          ))}
        </ul>
      ) : (
        <EmptyState action={nothing}>
          {hidden > 0 ? 'No places in this area.' : 'No place matches these filters.'}
        </EmptyState>
      )}
      <div className="cluster" style={{ paddingTop: 12 }}>
        {seen.length > shown && <Button onClick={() => setShown(shown + ROWS)}>Show more</Button>}
        {hidden > 0 && (
          <Button look="quiet" onClick={onWhole}>
            Show {hidden} outside this area
          </Button>
        )}
        <span className="quiet small" role="status">
          {Math.min(shown, seen.length)} of {entries.length} shown
        </span>
      </div>
    </Section>
  );
}
