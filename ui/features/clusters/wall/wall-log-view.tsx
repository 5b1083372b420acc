import { memo, type Ref, useImperativeHandle, useRef } from 'react';
import type { SavedClusterDetail } from '../../../../daemon/contract/saved-clusters.js';
import { Button } from '../../../components/button.js';
import { formatPill } from '../../conversations/transcript/follow.js';
import transcript from '../../conversations/transcript/transcript.module.css';
import { useFollowing } from '../../conversations/transcript/use-following.js';
import { useHeightWhenFar } from '../../conversations/transcript/use-height-when-far.js';
import styles from '../wall.module.css';
import { useReading } from './use-reading.js';
import { useWallView } from './use-wall-session.js';
import { MessageEntry, NoteEntry } from './wall-entry.js';
import { LINES_MAX, type WallBlock } from './wall-log.js';
import type { WallSession } from './wall-session.js';
import type { TagPlaces } from './wall-text.js';

/**
 * Blocks at the end that are rendered as soon as they arrive. Thousands of lines may arrive at once when the user
 * returns to a cluster or to a hidden tab.
 */
const DRAWN_AT_END = 3;
/** Height of a line in pixels that is assumed until it is rendered. */
const LINE_PX = 52;

interface WallLogViewProps {
  session: WallSession;
  room: SavedClusterDetail;
  /** Whether the cluster is saved. Only then are its messages marked as read. */
  isSaved: boolean;
  places: TagPlaces;
  ref: Ref<{ toEnd: () => void }>;
}

/** The messages received since this tab joined. The log follows new lines only while the user is at its end. */
export function WallLogView({ session, room: savedCluster, isSaved: isKept, places, ref }: WallLogViewProps) {
  const { handle: you } = savedCluster;
  const view = useWallView(session);
  const log = useRef<HTMLDivElement>(null);
  const { isFollowed, seen, toEnd, onScroll } = useFollowing(log, view.newest < 0 ? undefined : view.receivedCount);
  useImperativeHandle(ref, () => ({ toEnd }), [toEnd]);
  useReading(savedCluster, isKept && isFollowed, view.receivedCount);
  return (
    <div className={transcript.frame}>
      <div
        ref={log}
        role="log"
        aria-live="off"
        aria-label="Wall"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        className={transcript.log}
        onScroll={onScroll}
      >
        <div>
          {view.isTrimmed && (
            <p className={styles.note}>
              This tab shows the newest {LINES_MAX.toLocaleString('en')} lines, or fewer large ones. Older ones are
              gone.
            </p>
          )}
          {view.blocks.map((block, at) => (
            <BlockView
              key={block.key}
              block={block}
              guess={at < view.blocks.length - DRAWN_AT_END ? block.lines.length * LINE_PX : undefined}
              log={log}
              you={you}
              places={places}
            />
          ))}
        </div>
      </div>
      {!isFollowed && (
        <Button isSmall className={transcript.pill} data-new="" aria-keyshortcuts="n" onClick={toEnd}>
          {formatPill(view.receivedCount - (seen ?? view.receivedCount), false)} ↓
        </Button>
      )}
    </div>
  );
}

interface BlockProps {
  block: WallBlock;
  guess: number | undefined;
  log: React.RefObject<HTMLDivElement | null>;
  you: string;
  places: TagPlaces;
}

/** Lines that are rendered near the viewport, and are an empty element of the same height far from it. */
const BlockView = memo(function BlockView({ block, guess, log, you, places }: BlockProps) {
  const ref = useRef<HTMLDivElement>(null);
  const height = useHeightWhenFar(ref, log, guess);
  return (
    <div ref={ref} className={styles.block} style={height === undefined ? undefined : { height }}>
      {height === undefined &&
        block.lines.map((line) =>
          line.kind === 'said' ? (
            <MessageEntry key={line.key} line={line} you={you} places={places} />
          ) : (
            <NoteEntry key={line.key} line={line} room={places.room} />
          ),
        )}
    </div>
  );
});
