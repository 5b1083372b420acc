import { useQuery } from '@tanstack/react-query';
import { type Ref, useMemo, useRef } from 'react';
import type { Cluster } from '../../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../../daemon/contract/saved-clusters.js';
import { Button } from '../../../components/button.js';
import { ErrorBoundary } from '../../../components/error-boundary.js';
import { Icon } from '../../../components/text/icon.js';
import { useDraft } from '../../../lib/drafts.js';
import { createVisit } from '../../boards/board-visit.js';
import { boardsQuery } from '../../boards/boards-queries.js';
import { useMuting } from '../../system/use-muting.js';
import styles from '../wall.module.css';
import { PostFromMessage } from './post-from-message.js';
import { useWallPart } from './use-wall-session.js';
import { DeliveryAnnouncement, WallAnnouncements } from './wall-announcements.js';
import { WallComposer } from './wall-composer.js';
import { WallLogView } from './wall-log-view.js';
import { WallPeople } from './wall-people.js';
import type { WallSession } from './wall-session.js';
import { WallStatusNotice } from './wall-status-notice.js';

const NO_BOARDS: ReadonlySet<string> = new Set();
const NOBODY: readonly string[] = [];

interface WallTabProps {
  room: SavedClusterDetail;
  cluster: Cluster;
  session: WallSession;
  isSaved: boolean;
  isPeopleShown: boolean;
  onPeople: () => void;
}

/** The Wall of a joined cluster: messages, people and the composer. */
export function WallTab(props: WallTabProps) {
  const { room: savedCluster, cluster, session, isSaved, isPeopleShown, onPeople } = props;
  const { cluster_id: id, handle, vis } = savedCluster;
  const status = useWallPart(session, (view) => view.status);
  const people = useWallPart(session, (view) => view.people);
  const isIn = status.state === 'in';
  const log = useRef<{ toEnd: () => void }>(null);
  const to = useDraft<readonly string[]>(`wall.${id}.to`, NOBODY);
  const [isMuted, mute] = useMuting();
  const composer = useRef<{ focus: () => void }>(null);
  const boards = useBoardSlugs(savedCluster, cluster);
  const places = useMemo(() => ({ room: id, boards }), [id, boards]);
  const writeTo = (handles: readonly string[]) => {
    to.set(handles);
    // On a narrow screen the list covers the composer.
    if (isPeopleShown) onPeople();
    composer.current?.focus();
  };
  const addressing = { people, isIn, to: to.value, onTo: writeTo };
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        <ErrorBoundary what="The Wall could not be drawn.">
          <WallLogView ref={log} session={session} room={savedCluster} isSaved={isSaved} places={places} />
        </ErrorBoundary>
        <div className={styles.foot}>
          <WallStatusNotice status={status} room={id} onAgain={() => session.again()} onNow={() => session.wake()} />
          {status.state !== 'over' && (
            <Writing
              {...addressing}
              ref={composer}
              room={savedCluster}
              cluster={cluster}
              session={session}
              onSent={() => log.current?.toEnd()}
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
          <WallPeople {...addressing} you={handle} vis={vis} isMuted={isMuted} onMuted={mute} />
        </ErrorBoundary>
      </aside>
      <DeliveryAnnouncement session={session} />
      {!isMuted && <WallAnnouncements session={session} room={savedCluster.name} />}
    </div>
  );
}

interface WritingProps extends Pick<WallTabProps, 'room' | 'cluster' | 'session'> {
  people: readonly string[];
  isIn: boolean;
  /** Recipients; empty means everyone. */
  to: readonly string[];
  onTo: (to: readonly string[]) => void;
  onSent: () => void;
  ref: Ref<{ focus: () => void }>;
}

/** The composer with the draft of this cluster. */
function Writing({ room: savedCluster, cluster, session, people, isIn, to, onTo, onSent, ref }: WritingProps) {
  const draft = useDraft(`wall.${savedCluster.cluster_id}`, '');
  const say = (text: string) => {
    const isSent = session.say(text, to.length === 0 ? null : to);
    if (isSent) onSent();
    return isSent;
  };
  return (
    <WallComposer
      ref={ref}
      text={draft.value}
      onText={draft.set}
      to={to}
      onTo={onTo}
      people={people}
      isIn={isIn}
      getLastSent={() => session.lastSentText}
      onSay={say}
      postFromMessage={
        <PostFromMessage room={savedCluster} cluster={cluster} text={draft.value} onMoved={draft.clear} />
      }
    />
  );
}

const listSlugs = ({ boards }: { boards: readonly { slug: string }[] }): ReadonlySet<string> =>
  new Set(boards.map(({ slug }) => slug));

function useBoardSlugs(savedCluster: SavedClusterDetail, cluster: Cluster): ReadonlySet<string> {
  const boards = useQuery({
    ...boardsQuery(createVisit(cluster, savedCluster)),
    enabled: cluster.boards_enabled,
    select: listSlugs,
  });
  return boards.data ?? NO_BOARDS;
}
