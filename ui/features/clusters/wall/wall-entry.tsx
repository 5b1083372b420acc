import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { Flag } from '../../../components/text/flag.js';
import { Clock } from '../../../components/text/time.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import transcript from '../../conversations/transcript/transcript.module.css';
import { formatDelivery, formatDirect, formatNote } from '../cluster-format.js';
import styles from '../wall.module.css';
import type { MessageLine, NoteLine } from './wall-log.js';
import { WallMedia } from './wall-media.js';
import { type TagPlaces, TextBeingWritten, WallText } from './wall-text.js';

const isoOfMs = (at: number) => new Date(at).toISOString();

/** A message: time, flag, name, recipients and content. */
export const MessageEntry = memo(function SaidEntry({
  line,
  you,
  places,
}: {
  line: MessageLine;
  you: string;
  places: TagPlaces;
}) {
  const { at, from, isOwn, to, said: content, isBeingWritten, board, standing: delivery } = line;
  const isDirect = to !== null;
  const words = delivery && formatDelivery(delivery, to);
  const isBad = delivery?.state === 'refused' || delivery?.state === 'unknown';
  return (
    <div
      className={`${transcript.line} ${isOwn ? '' : transcript.outside} ${isDirect ? styles.direct : ''}`}
      data-line={line.key}
    >
      <span className={transcript.time}>
        <Clock at={isoOfMs(at)} />
      </span>
      <span>
        <Flag id={from} size={24} isRaised={isBeingWritten} />
      </span>
      <div className={transcript.message}>
        <p className={transcript.who}>
          <strong className={styles.name}>{isOwn ? 'You' : toDisplayText(from)}</strong>
          {!isOwn && <span className="visually-hidden"> from outside</span>}
          {!isOwn && from === you && <span className={transcript.outsideWords}>your handle, from elsewhere</span>}
          {isDirect && <span className={styles.to}>{toDisplayText(formatDirect(to, isOwn))}</span>}
          {isBeingWritten && <span className="quiet small">is writing</span>}
        </p>
        {content.text !== '' &&
          (isBeingWritten ? (
            <TextBeingWritten text={content.text} />
          ) : (
            <WallText text={content.text} places={places} board={board} />
          ))}
        {content.media.length > 0 && <WallMedia media={content.media} from={isOwn ? 'you' : toDisplayText(from)} />}
        {content.data !== undefined && <WallData data={content.data} />}
        {words && <p className={isBad ? styles.bad : styles.status}>{toDisplayText(words)}</p>}
      </div>
    </div>
  );
});

/** A payload that is not text, as collapsed JSON. */
function WallData({ data }: { data: string }) {
  return (
    <details className={styles.data}>
      <summary>Data, {data.length} characters</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{toDisplayText(data)}</code>
      </pre>
    </details>
  );
}

/** A log line that is not a message: presence, board events, and the state of the connection. */
export const NoteEntry = memo(function NoteEntry({ line, room: clusterName }: { line: NoteLine; room: string }) {
  const { at, note } = line;
  return (
    <div className={note.what === 'error' ? `${styles.note} ${styles.bad}` : styles.note} data-line={line.key}>
      <span>
        <Clock at={isoOfMs(at)} />
      </span>
      <p>
        {note.what === 'board' ? (
          <BoardNews frame={note.frame} room={clusterName} />
        ) : (
          toDisplayText(formatNote(note, at))
        )}
      </p>
    </div>
  );
});

function BoardNews({
  frame: { event, slug, post, title },
  room: clusterName,
}: {
  frame: Extract<NoteLine['note'], { what: 'board' }>['frame'];
  room: string;
}) {
  const board = (
    <Link to="/rooms/$id/b/$slug" params={{ id: clusterName, slug }}>
      #{slug}
    </Link>
  );
  switch (event) {
    case 'board_created':
      return <>The board {board} was created.</>;
    case 'board_deleted':
      return <>The board #{slug} was deleted with its posts.</>;
    case 'post_created':
      return (
        <>
          New on {board}:{' '}
          {post === undefined ? (
            'a post'
          ) : (
            <Link to="/rooms/$id/p/$pid" params={{ id: clusterName, pid: post }}>
              {toDisplayText(title ?? post)}
            </Link>
          )}
        </>
      );
    case 'post_deleted':
      return (
        <>
          A post was removed from {board}
          {title !== undefined && `: ${toDisplayText(title)}`}.
        </>
      );
  }
}
