import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { Skeleton } from '../../components/states.js';
import { JoinForm } from '../../features/rooms/join-form.js';
import { RoomGone } from '../../features/rooms/room-gone.js';
import { RoomHead } from '../../features/rooms/room-head.js';
import { roomsQuery, unreadIn } from '../../features/rooms/rooms-list.js';
import { cardQuery, roomQuery } from '../../features/rooms/rooms-queries.js';
import { useHereCount, useSeatedHere, useWallSession, useWallStatus } from '../../features/rooms/use-wall-session.js';
import { visitorOf } from '../../features/rooms/visitor.js';
import styles from '../../features/rooms/wall.module.css';
import { WallTab } from '../../features/rooms/wall-tab.js';
import { useEscape } from '../../lib/use-escape.js';
import { useLineStatus } from '../live-updates.js';
import { usePageTitle } from '../page-title.js';
import { MissingPage } from './missing-page.js';

const BoardsTab = lazy(() =>
  import('../../features/boards/boards-tab.js').then(({ BoardsTab: Tab }) => ({ default: Tab })),
);
const RulesTab = lazy(() =>
  import('../../features/rooms/rules-tab.js').then(({ RulesTab: Tab }) => ({ default: Tab })),
);
const ShareTab = lazy(() =>
  import('../../features/rooms/share-tab.js').then(({ ShareTab: Tab }) => ({ default: Tab })),
);

const route = getRouteApi('/rooms/$id');

export function RoomPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const room = useQuery(roomQuery(id));
  const isUnknown = MissingPage.fits(room.error);
  const isKept = room.data !== undefined && !isUnknown;
  const card = useQuery({ ...cardQuery(id, room.data?.token ?? room.data?.admin_token), enabled: isKept || isUnknown });
  const rooms = useQuery(roomsQuery());
  usePageTitle(room.data?.name ?? card.data?.name ?? 'Cluster', unreadIn(rooms.data));
  const isNowhere = isUnknown && MissingPage.fits(card.error);
  if (isNowhere && !room.data) {
    return (
      <MissingPage title="There is no such cluster" name={id} to="/rooms" words="Show the clusters">
        It was deleted, or it is private and you have not joined it. A private cluster needs an invite.
      </MissingPage>
    );
  }
  return (
    <Loaded
      query={room.data || !isUnknown ? room : { ...card, data: card.data && visitorOf(card.data) }}
      what="The cluster could not be read."
      rows={8}
    >
      {(detail) => (
        <Loaded query={card} what="The card of the cluster could not be read." rows={8}>
          {(cluster) =>
            // Everything below uses the id, so a slug is redirected to it.
            cluster.id === id ? (
              <RoomView key={id} room={detail} cluster={cluster} isKept={isKept} isGone={isNowhere} />
            ) : (
              <Navigate to="/rooms/$id" params={{ id: cluster.id }} search={search} replace />
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}

interface RoomViewProps {
  room: RoomDetail;
  cluster: Cluster;
  isKept: boolean;
  /** The cluster existed when it was last read and was deleted since. */
  isGone: boolean;
}

function RoomView({ room, cluster, isKept, isGone }: RoomViewProps) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/rooms/$id' });
  const seatedHere = useSeatedHere(room.cluster_id);
  const isSeated = isKept && (room.held || seatedHere.value);
  const { session, getUp } = useWallSession(room, isSeated);
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
    <RoomHead
      room={room}
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
          room={room}
          cluster={cluster}
          session={session}
          isKept={isKept}
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
            (isDeleted ? <RoomGone /> : <JoinForm room={room} onJoined={() => seatedHere.set(true)} />)}
          <Suspense fallback={<Skeleton rows={6} />}>
            {tab === 'boards' && <BoardsTab room={room} cluster={cluster} kind={search.kind} onKind={turnKind} />}
            {tab === 'rules' && <RulesTab room={room} cluster={cluster} isKept={isKept} onDeleted={goAway} />}
            {tab === 'share' && (
              <ShareTab room={room} cluster={cluster} isKept={isKept} origin={window.location.origin} onLeft={goAway} />
            )}
          </Suspense>
        </ErrorBoundary>
      </div>
    </div>
  );
}
