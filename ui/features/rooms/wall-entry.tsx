import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { Flag } from '../../components/flag.js';
import { Clock } from '../../components/time.js';
import { shownWords } from '../../lib/shown-words.js';
import transcript from '../conversations/transcript.module.css';
import { directWords, noteWords, standingWords } from './room-words.js';
import styles from './wall.module.css';
import type { NoteLine, SaidLine } from './wall-log.js';
import { WallMedia } from './wall-media.js';
import { type TagPlaces, TextBeingWritten, WallText } from './wall-text.js';

const isoOfMs = (at: number) => new Date(at).toISOString();

/** A message: time, flag, name, recipients and content. */
export const SaidEntry = memo(function SaidEntry({
  line,
  you,
  places,
}: {
  line: SaidLine;
  you: string;
  places: TagPlaces;
}) {
  const { at, from, isOwn, to, said, isBeingWritten, board, standing } = line;
  const isDirect = to !== null;
  const words = standing && standingWords(standing, to);
  const isBad = standing?.state === 'refused' || standing?.state === 'unknown';
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
      <div className={transcript.said}>
        <p className={transcript.who}>
          <strong className={styles.name}>{isOwn ? 'You' : shownWords(from)}</strong>
          {!isOwn && <span className="visually-hidden"> from outside</span>}
          {!isOwn && from === you && <span className={transcript.outsideWords}>your handle, from elsewhere</span>}
          {isDirect && <span className={styles.to}>{shownWords(directWords(to, isOwn))}</span>}
          {isBeingWritten && <span className="quiet small">is writing</span>}
        </p>
        {said.text !== '' &&
          (isBeingWritten ? (
            <TextBeingWritten text={said.text} />
          ) : (
            <WallText text={said.text} places={places} board={board} />
          ))}
        {said.media.length > 0 && <WallMedia media={said.media} from={isOwn ? 'you' : shownWords(from)} />}
        {said.data !== undefined && <WallData data={said.data} />}
        {words && <p className={isBad ? styles.bad : styles.standing}>{shownWords(words)}</p>}
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
        <code>{shownWords(data)}</code>
      </pre>
    </details>
  );
}

/** A log line that is not a message: presence, board events, and the state of the connection. */
export const NoteEntry = memo(function NoteEntry({ line, room }: { line: NoteLine; room: string }) {
  const { at, note } = line;
  return (
    <div className={note.what === 'error' ? `${styles.note} ${styles.bad}` : styles.note} data-line={line.key}>
      <span>
        <Clock at={isoOfMs(at)} />
      </span>
      <p>{note.what === 'board' ? <BoardNews frame={note.frame} room={room} /> : shownWords(noteWords(note, at))}</p>
    </div>
  );
});

function BoardNews({
  frame: { event, slug, post, title },
  room,
}: {
  frame: Extract<NoteLine['note'], { what: 'board' }>['frame'];
  room: string;
}) {
  const board = (
    <Link to="/rooms/$id/b/$slug" params={{ id: room, slug }}>
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
            <Link to="/rooms/$id/p/$pid" params={{ id: room, pid: post }}>
              {shownWords(title ?? post)}
            </Link>
          )}
        </>
      );
    case 'post_deleted':
      return (
        <>
          A post was removed from {board}
          {title !== undefined && `: ${shownWords(title)}`}.
        </>
      );
  }
}
