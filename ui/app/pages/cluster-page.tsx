import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { Skeleton } from '../../components/states.js';
import { ClusterGone } from '../../features/clusters/cluster-gone.js';
import { ClusterHead } from '../../features/clusters/cluster-head.js';
import { savedClustersQuery, unreadIn } from '../../features/clusters/clusters-list.js';
import { cardQuery, savedClusterQuery } from '../../features/clusters/clusters-queries.js';
import { JoinForm } from '../../features/clusters/join-form.js';
import {
  useHereCount,
  useSeatedHere,
  useWallSession,
  useWallStatus,
} from '../../features/clusters/use-wall-session.js';
import { toVisitorDetail } from '../../features/clusters/visitor.js';
import styles from '../../features/clusters/wall.module.css';
import { WallTab } from '../../features/clusters/wall-tab.js';
import { useEscape } from '../../lib/use-escape.js';
import { useLineStatus } from '../live-updates.js';
import { usePageTitle } from '../page-title.js';
import { MissingPage } from './missing-page.js';

const BoardsTab = lazy(() =>
  import('../../features/boards/boards-tab.js').then(({ BoardsTab: Tab }) => ({ default: Tab })),
);
const RulesTab = lazy(() =>
  import('../../features/clusters/rules-tab.js').then(({ RulesTab: Tab }) => ({ default: Tab })),
);
const ShareTab = lazy(() =>
  import('../../features/clusters/share-tab.js').then(({ ShareTab: Tab }) => ({ default: Tab })),
);

const route = getRouteApi('/rooms/$id');

export function ClusterPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const savedCluster = useQuery(savedClusterQuery(id));
  const isUnknown = MissingPage.fits(savedCluster.error);
  const isKept = savedCluster.data !== undefined && !isUnknown;
  const card = useQuery({
    ...cardQuery(id, savedCluster.data?.token ?? savedCluster.data?.admin_token),
    enabled: isKept || isUnknown,
  });
  const savedClusters = useQuery(savedClustersQuery());
  usePageTitle(savedCluster.data?.name ?? card.data?.name ?? 'Cluster', unreadIn(savedClusters.data));
  const isNowhere = isUnknown && MissingPage.fits(card.error);
  if (isNowhere && !savedCluster.data) {
    return (
      <MissingPage title="There is no such cluster" name={id} to="/rooms" words="Show the clusters">
        It was deleted, or it is private and you have not joined it. A private cluster needs an invite.
      </MissingPage>
    );
  }
  return (
    <Loaded
      query={
        savedCluster.data || !isUnknown ? savedCluster : { ...card, data: card.data && toVisitorDetail(card.data) }
      }
      what="The cluster could not be read."
      rows={8}
    >
      {(detail) => (
        <Loaded query={card} what="The card of the cluster could not be read." rows={8}>
          {(cluster) =>
            // Everything below uses the id, so a slug is redirected to it.
            cluster.id === id ? (
              <ClusterView key={id} room={detail} cluster={cluster} isSaved={isKept} isGone={isNowhere} />
            ) : (
              <Navigate to="/rooms/$id" params={{ id: cluster.id }} search={search} replace />
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}

interface ClusterViewProps {
  room: SavedClusterDetail;
  cluster: Cluster;
  isSaved: boolean;
  /** The cluster existed when it was last read and was deleted since. */
  isGone: boolean;
}

function ClusterView({ room: savedCluster, cluster, isSaved: isKept, isGone }: ClusterViewProps) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/rooms/$id' });
  const seatedHere = useSeatedHere(savedCluster.cluster_id);
  const isSeated = isKept && (savedCluster.held || seatedHere.value);
  const { session, getUp } = useWallSession(savedCluster, isSeated);
  const status = useWallStatus(session);
  const here = useHereCount(session);
  // The operator left the cluster in another tab, so this tab closes its connection too. A connection that was ended by
  // the other side stays, to show its reason.
  const hasLeft = !isKept && !isGone && session !== undefined;
  useEffect(() => {
    if (hasLeft && session.isIn) getUp();
  }, [hasLeft, session, getUp]);
  const isOnline = useLineStatus().state === 'live';
  useEffect(() => {
    if (isOnline) session?.wake();
  }, [isOnline, session]);
  const isDeleted = isGone || (status?.state === 'over' && status.ending.why === 'deleted');
  const tab = isDeleted ? undefined : search.tab;
  const goAway = () => {
    getUp();
    seatedHere.clear();
    void navigate({ to: '/rooms' });
  };
  const turnPeople = useCallback(
    () =>
      void navigate({
        search: (was) => ({ ...was, people: was.people ? undefined : 'shown' }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  useEscape(search.people !== undefined, turnPeople);
  const turnKind = (kind: string | undefined) =>
    void navigate({ search: (was) => ({ ...was, kind }), replace: true, resetScroll: false });
  const hasWall = tab === undefined && session !== undefined;
  const head = (
    <ClusterHead
      room={savedCluster}
      tab={tab}
      here={here ?? cluster.online}
      isGone={isDeleted}
      people={hasWall && !isDeleted ? { isShown: search.people !== undefined, onTurn: turnPeople } : undefined}
    />
  );
  if (hasWall) {
    return (
      <div className={styles.page} data-fills="">
        {head}
        <WallTab
          room={savedCluster}
          cluster={cluster}
          session={session}
          isSaved={isKept}
          isPeopleShown={search.people !== undefined}
          onPeople={turnPeople}
        />
      </div>
    );
  }
  return (
    <div className={styles.plainPage} data-fills="">
      {head}
      <div className={styles.solo}>
        <ErrorBoundary key={tab ?? ''} what="This part of the cluster could not be drawn.">
          {tab === undefined &&
            (isDeleted ? <ClusterGone /> : <JoinForm room={savedCluster} onJoined={() => seatedHere.set(true)} />)}
          <Suspense fallback={<Skeleton rows={6} />}>
            {tab === 'boards' && (
              <BoardsTab room={savedCluster} cluster={cluster} kind={search.kind} onKind={turnKind} />
            )}
            {tab === 'rules' && <RulesTab room={savedCluster} cluster={cluster} isSaved={isKept} onDeleted={goAway} />}
            {tab === 'share' && (
              <ShareTab
                room={savedCluster}
                cluster={cluster}
                isSaved={isKept}
                origin={window.location.origin}
                onLeft={goAway}
              />
            )}
          </Suspense>
        </ErrorBoundary>
      </div>
    </div>
  );
}
