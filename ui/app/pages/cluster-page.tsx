import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { Skeleton } from '../../components/states.js';
import { ClusterGone } from '../../features/clusters/cluster-gone.js';
import { ClusterHead, type ClusterTab } from '../../features/clusters/cluster-head.js';
import { cardQuery } from '../../features/clusters/clusters-queries.js';
import { JoinForm } from '../../features/clusters/join-form.js';
import { useSavedCluster } from '../../features/clusters/use-saved-cluster.js';
import { toVisitorDetail } from '../../features/clusters/visitor.js';
import {
  useHereCount,
  useJoinedHere,
  useWallSession,
  useWallStatus,
} from '../../features/clusters/wall/use-wall-session.js';
import { WallTab } from '../../features/clusters/wall/wall-tab.js';
import styles from '../../features/clusters/wall.module.css';
import { useEscape } from '../../lib/keys/use-escape.js';
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
  const savedCluster = useSavedCluster(id);
  const { isUnknown } = savedCluster;
  const isKept = savedCluster.data !== undefined && !isUnknown;
  const card = useQuery({
    ...cardQuery(id, savedCluster.data?.token ?? savedCluster.data?.admin_token),
    enabled: isKept || isUnknown,
  });
  usePageTitle(savedCluster.data?.name ?? card.data?.name ?? 'Cluster', savedCluster.data?.unread);
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
  const { session, getUp, status, here, joinedHere } = useWall(savedCluster, isKept, isGone);
  const isDeleted = isGone || (status?.state === 'over' && status.ending.why === 'deleted');
  const tab = isDeleted ? undefined : search.tab;
  const goAway = () => {
    getUp();
    joinedHere.clear();
    void navigate({ to: '/rooms' });
  };
  const people = usePeople();
  const hasWall = tab === undefined && session !== undefined;
  const head = (
    <ClusterHead
      room={savedCluster}
      tab={tab}
      here={here ?? cluster.online}
      isGone={isDeleted}
      people={hasWall && !isDeleted ? people : undefined}
    />
  );
  if (hasWall) {
    return (
      <div className={styles.page} data-fills="window">
        {head}
        <WallTab
          room={savedCluster}
          cluster={cluster}
          session={session}
          isSaved={isKept}
          isPeopleShown={people.isShown}
          onPeople={people.onTurn}
        />
      </div>
    );
  }
  return (
    <div className={styles.plainPage} data-fills="">
      {head}
      <div className={styles.solo}>
        <TabContent
          room={savedCluster}
          cluster={cluster}
          isSaved={isKept}
          tab={tab}
          isDeleted={isDeleted}
          onJoined={() => joinedHere.set(true)}
          onLeft={goAway}
        />
      </div>
    </div>
  );
}

/** Returns the connection to the wall. It is closed when the operator leaves, and wakes when the daemon is back. */
function useWall(savedCluster: SavedClusterDetail, isKept: boolean, isGone: boolean) {
  const joinedHere = useJoinedHere(savedCluster.cluster_id);
  const isJoined = isKept && (savedCluster.held || joinedHere.value);
  const { session, getUp } = useWallSession(savedCluster, isJoined);
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
  return { session, getUp, status, here, joinedHere };
}

/** Whether the list of people covers the wall in a narrow window, and how to change that. Esc turns it over too. */
function usePeople() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/rooms/$id' });
  const onTurn = useCallback(
    () =>
      void navigate({
        search: (was) => ({ ...was, people: was.people ? undefined : 'shown' }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const isShown = search.people !== undefined;
  useEscape(isShown, onTurn);
  return { isShown, onTurn };
}

interface TabContentProps extends Pick<ClusterViewProps, 'room' | 'cluster' | 'isSaved'> {
  tab: ClusterTab;
  isDeleted: boolean;
  onJoined: () => void;
  /** The operator left the cluster or deleted it. */
  onLeft: () => void;
}

/** The content of a tab other than the wall; in the place of the wall, the form that joins the cluster. */
function TabContent({ room, cluster, isSaved, tab, isDeleted, onJoined, onLeft }: TabContentProps) {
  const { kind } = route.useSearch();
  const navigate = useNavigate({ from: '/rooms/$id' });
  const turnKind = (next: string | undefined) =>
    void navigate({ search: (was) => ({ ...was, kind: next }), replace: true, resetScroll: false });
  return (
    <ErrorBoundary key={tab ?? ''} what="This part of the cluster could not be drawn.">
      {tab === undefined && (isDeleted ? <ClusterGone /> : <JoinForm room={room} onJoined={onJoined} />)}
      <Suspense fallback={<Skeleton rows={6} />}>
        {tab === 'boards' && <BoardsTab room={room} cluster={cluster} kind={kind} onKind={turnKind} />}
        {tab === 'rules' && <RulesTab room={room} cluster={cluster} isSaved={isSaved} onDeleted={onLeft} />}
        {tab === 'share' && (
          <ShareTab room={room} cluster={cluster} isSaved={isSaved} origin={window.location.origin} onLeft={onLeft} />
        )}
      </Suspense>
    </ErrorBoundary>
  );
}
