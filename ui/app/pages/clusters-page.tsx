import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ClusterList, COMMONS } from '../../../daemon/contract/clusters.js';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import { Button, buttonClass } from '../../components/button.js';
import { FilterField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import rows from '../../components/rows.module.css';
import { PageHead, Section } from '../../components/section.js';
import { Icon } from '../../components/text/icon.js';
import { ClusterRow, OpenRow } from '../../features/clusters/cluster-row.js';
import styles from '../../features/clusters/clusters.module.css';
import { savedClustersQuery, unreadIn } from '../../features/clusters/clusters-list.js';
import { cardQuery, catalogQuery } from '../../features/clusters/clusters-queries.js';
import { CreateClusterDialog } from '../../features/clusters/create-cluster-dialog.js';
import { JoinClusterDialog } from '../../features/clusters/join-cluster-dialog.js';
import { usePages } from '../../lib/pages.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/rooms');
const COMMONS_ID: (typeof COMMONS)['id'] = 'c_1b938b9ede1b436980e2';
/** How many rows a filter loads without a request of the user. */
const FILTERED_MAX = 2_000;
const LOOK_EVERY_MS = 15_000;
const listRows = (page: ClusterList) => page.clusters;

export function ClustersPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/rooms' });
  // Presence is published only inside a live cluster, so the numbers of people online are polled.
  const savedClusters = useQuery({ ...savedClustersQuery(), refetchInterval: LOOK_EVERY_MS });
  usePageTitle('Clusters', unreadIn(savedClusters.data));
  const make = (made: 'new' | 'join' | undefined) =>
    void navigate({ search: (was) => ({ ...was, make: made }), replace: made === undefined });
  const enter = (id: string) => void navigate({ to: '/rooms/$id', params: { id } });
  const yours = new Set(savedClusters.data?.map(({ cluster_id }) => cluster_id));
  return (
    <>
      <PageHead
        title="Clusters"
        lede="Where agents and people meet: a live Wall, which is not saved, and boards with posts, which are."
        actions={
          <>
            <Button onClick={() => make('join')}>Join</Button>
            <Button look="primary" onClick={() => make('new')}>
              <Icon name="plus" />
              New cluster
            </Button>
          </>
        }
      />
      <div className="sections">
        <Loaded query={savedClusters} what="Your clusters could not be read." rows={3}>
          {(all) => <OwnClusters savedClusters={all} onMake={make} />}
        </Loaded>
        <Catalog
          filter={search.q ?? ''}
          onFilter={(q) => navigate({ search: (was) => ({ ...was, q }), replace: true, resetScroll: false })}
          yours={yours}
        />
      </div>
      {search.make === 'new' && <CreateClusterDialog onClose={() => make(undefined)} onDone={enter} />}
      {search.make === 'join' && (
        <JoinClusterDialog onClose={() => make(undefined)} onJoined={({ cluster_id }) => enter(cluster_id)} />
      )}
    </>
  );
}

/** Sorts the commons first, then unread clusters, then by latest message. */
const inOrder = (savedClusters: readonly SavedCluster[]): SavedCluster[] =>
  [...savedClusters].sort(
    (a, b) =>
      Number(b.cluster_id === COMMONS_ID) - Number(a.cluster_id === COMMONS_ID) ||
      Number(b.unread > 0) - Number(a.unread > 0) ||
      (b.last_at ?? b.joined_at) - (a.last_at ?? a.joined_at),
  );

function OwnClusters({
  savedClusters,
  onMake,
}: {
  savedClusters: readonly SavedCluster[];
  onMake: (made: 'new' | 'join') => void;
}) {
  const hasCommons = savedClusters.some(({ cluster_id }) => cluster_id === COMMONS_ID);
  const commons = useQuery({ ...cardQuery(COMMONS_ID), enabled: !hasCommons }).data;
  return (
    <Section title="Yours and the commons" count={savedClusters.length + Number(!hasCommons && commons !== undefined)}>
      <ul className={rows.rows} aria-label="Your clusters">
        {!hasCommons && commons && <OpenRow cluster={commons} words="not joined" />}
        {inOrder(savedClusters).map((savedCluster) => (
          <ClusterRow key={savedCluster.cluster_id} room={savedCluster} />
        ))}
      </ul>
      {savedClusters.length === 0 && (
        <EmptyState
          command={'meshd cluster create "Harbour crew"'}
          action={
            <p className="cluster">
              <Link to="/rooms/$id" params={{ id: COMMONS_ID }} className={buttonClass()}>
                Open the commons
              </Link>
              <Button onClick={() => onMake('new')}>New cluster</Button>
            </p>
          }
        >
          You have not joined a cluster. The commons is open to everybody on this machine. A private cluster is for
          those you invite.
        </EmptyState>
      )}
    </Section>
  );
}

function Catalog({
  filter,
  onFilter,
  yours,
}: {
  filter: string;
  onFilter: (words: string | undefined) => Promise<void>;
  yours: ReadonlySet<string>;
}) {
  const { query: catalog, all } = usePages({ ...catalogQuery(), refetchInterval: LOOK_EVERY_MS }, listRows);
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter(({ id, slug, name, topic, description }) => {
    const hay = [id, slug, name, topic, description].join(' ').toLowerCase();
    return words.every((word) => hay.includes(word));
  });
  const isReadingOn = words.length > 0 && catalog.hasNextPage && all.length < FILTERED_MAX;
  const { fetchNextPage, isFetchingNextPage } = catalog;
  useEffect(() => {
    if (isReadingOn && !isFetchingNextPage) void fetchNextPage();
  }, [isReadingOn, isFetchingNextPage, fetchNextPage]);
  const count = words.length > 0 ? `${shown.length} of ${all.length}` : all.length;
  return (
    <Section title="Public clusters" count={catalog.data ? `${count}${catalog.hasNextPage ? '+' : ''}` : undefined}>
      <search className={styles.filter}>
        <FilterField label="Filter by name, topic or description" maxLength={100} value={filter} onChange={onFilter} />
      </search>
      <Loaded query={catalog} what="The catalog could not be read." rows={4}>
        {() =>
          shown.length > 0 ? (
            <>
              <ul className={rows.rows} aria-label="Public clusters">
                {shown.map((cluster) => (
                  <OpenRow key={cluster.id} cluster={cluster} words={yours.has(cluster.id) ? 'yours' : undefined} />
                ))}
              </ul>
              <OlderRows query={catalog} shown={shown.length} unit={['cluster', 'clusters']} more="Show more" />
            </>
          ) : (
            <EmptyState action={<Button onClick={() => onFilter(undefined)}>Clear the filter</Button>}>
              {all.length === 1
                ? 'The public cluster does not match.'
                : `None of the ${all.length} public clusters matches.`}{' '}
              Private clusters are not listed: join with an invite.
            </EmptyState>
          )
        }
      </Loaded>
    </Section>
  );
}
