import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { Button } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Icon } from '../../components/icon.js';
import { useDraft } from '../../lib/drafts.js';
import { visitOf } from '../boards/board-visit.js';
import { boardsQuery } from '../boards/boards-queries.js';
import { useFollowing } from '../conversations/use-following.js';
import { useMuting } from '../system/use-muting.js';
import { AsPost } from './as-post.js';
import { useReadRoom } from './room-mutations.js';
import { useWallView } from './use-wall-session.js';
import styles from './wall.module.css';
import { StandingAnnouncement, WallAnnouncements } from './wall-announcements.js';
import { WallComposer } from './wall-composer.js';
import { WallLogView } from './wall-log-view.js';
import { WallPeople } from './wall-people.js';
import type { WallSession } from './wall-session.js';
import { WallStanding } from './wall-standing.js';

const READ_AFTER_MS = 500;
const NO_BOARDS: ReadonlySet<string> = new Set();
const NOBODY: readonly string[] = [];

interface WallTabProps {
  room: RoomDetail;
  cluster: Cluster;
  session: WallSession;
  isKept: boolean;
  isPeopleShown: boolean;
  onPeople: () => void;
}

/** The Wall of a room in which one sits: what is said, who is here, and where one speaks. */
export function WallTab({ room, cluster, session, isKept, isPeopleShown, onPeople }: WallTabProps) {
  const { cluster_id: id, handle, vis } = room;
  const view = useWallView(session);
  const isIn = view.status.state === 'in';
  const log = useRef<HTMLDivElement>(null);
  const following = useFollowing(log, view.newest < 0 ? undefined : view.heard);
  const draft = useDraft(`wall.${id}`, '');
  const to = useDraft<readonly string[]>(`wall.${id}.to`, NOBODY);
  const [isMuted, mute] = useMuting();
  const composer = useRef<{ focus: () => void }>(null);
  const boards = useBoardSlugs(room, cluster);
  const places = useMemo(() => ({ room: id, boards }), [id, boards]);
  useReading(room, isKept && following.isFollowed, view.heard);

  const { toEnd } = following;
  const say = useCallback(
    (text: string) => {
      const isSent = session.say(text, to.value.length === 0 ? null : to.value);
      if (isSent) toEnd();
      return isSent;
    },
    [session, to.value, toEnd],
  );
  const writeTo = (handles: readonly string[]) => {
    to.set(handles);
    // On a narrow screen the list lies over where one writes.
    if (isPeopleShown) onPeople();
    composer.current?.focus();
  };
  const isOver = view.status.state === 'over';
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        <ErrorBoundary what="The Wall could not be drawn.">
          <WallLogView view={view} you={handle} places={places} following={{ log, ...following }} />
        </ErrorBoundary>
        <div className={styles.foot}>
          <WallStanding status={view.status} room={id} onAgain={() => session.again()} onNow={() => session.wake()} />
          {!isOver && (
            <WallComposer
              ref={composer}
              text={draft.value}
              onText={draft.set}
              to={to.value}
              onTo={writeTo}
              people={view.people}
              isIn={isIn}
              lastSaid={() => session.lastSaid}
              onSay={say}
              asPost={<AsPost room={room} cluster={cluster} text={draft.value} onMoved={draft.clear} />}
            />
          )}
        </div>
      </div>
      <aside className={styles.side} data-shown={isPeopleShown || undefined}>
        <Button className={styles.closeSide} look="quiet" onClick={onPeople}>
          <Icon name="close" />
          Close
        </Button>
        <ErrorBoundary what="Who is here could not be drawn.">
          <WallPeople
            people={view.people}
            you={handle}
            vis={vis}
            isIn={isIn}
            to={to.value}
            onTo={writeTo}
            isMuted={isMuted}
            onMuted={mute}
          />
        </ErrorBoundary>
      </aside>
      <StandingAnnouncement view={view} />
      {!isMuted && <WallAnnouncements session={session} view={view} room={room.name} />}
    </div>
  );
}

const slugsOf = ({ boards }: { boards: readonly { slug: string }[] }): ReadonlySet<string> => new Set(boards.map(({ slug }) => slug));

function useBoardSlugs(room: RoomDetail, cluster: Cluster): ReadonlySet<string> {
  const boards = useQuery({ ...boardsQuery(visitOf(cluster, room)), enabled: cluster.boards_enabled, select: slugsOf });
  return boards.data ?? NO_BOARDS;
}

const watchVisibility = (told: () => void) => {
  document.addEventListener('visibilitychange', told);
  return () => document.removeEventListener('visibilitychange', told);
};
const isVisible = () => document.visibilityState === 'visible';

/** What is said counts as read once its end was on screen for a moment. Whoever turns away sooner finds it unread: nothing that comes meanwhile is lost. */
function useReading({ cluster_id, unread, held }: RoomDetail, isAtEnd: boolean, heard: number): void {
  const isSeen = useSyncExternalStore(watchVisibility, isVisible);
  const { mutate } = useReadRoom(cluster_id);
  const newest = useRef(heard);
  newest.current = heard;
  const readTo = useRef(heard);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    readTo.current = newest.current;
    mutate();
  }, [mutate]);
  useEffect(() => {
    const isDue = isSeen && isAtEnd && held && (unread > 0 || heard > readTo.current);
    if (isDue) timer.current ??= setTimeout(read, READ_AFTER_MS);
  }, [isSeen, isAtEnd, held, unread, heard, read]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}
