import { Link } from '@tanstack/react-router';
import { Component, lazy, type ReactNode, Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { LongWords } from '../../components/long-words.js';
import { byteWords } from '../../lib/time-words.js';
import transcript from '../conversations/transcript.module.css';
import { mayBeMarkdown } from './may-be-markdown.js';
import styles from './wall.module.css';

const Markdown = lazy(() => import('../../components/markdown.js'));

/** What is longer is folded. */
const SHOWN_CHARS = 4_000;
/** What is longer is drawn plain at first: what others may have made slow to read must not hold up the line. */
const AT_ONCE_CHARS = 400;
const POST = /^p_[0-9a-f]{16}$/;

/** The room that a text was said in, as far as its hashtags lead. */
export interface TagPlaces {
  room: string;
  boards: ReadonlySet<string>;
}

/** What somebody said, as Markdown where it is some. `board` is the one that the daemon found in it. Hashtags of the room's boards and of posts are links; nothing in it is fetched. */
export function WallText({ text, places, board }: { text: string; places: TagPlaces; board: string | undefined }) {
  const [isWhole, setIsWhole] = useState(false);
  const { room, boards } = places;
  const linkTag = useCallback(
    (tag: string): ReactNode | undefined => {
      if (POST.test(tag)) {
        return (
          <Link to="/rooms/$id/p/$pid" params={{ id: room, pid: tag }} className="mono">
            #{tag}
          </Link>
        );
      }
      return boards.has(tag) || tag === board ? (
        <Link to="/rooms/$id/b/$slug" params={{ id: room, slug: tag }}>
          #{tag}
        </Link>
      ) : undefined;
    },
    [room, boards, board],
  );
  const isFolded = text.length > SHOWN_CHARS && !isWhole;
  const plain = (
    <div className={transcript.plain}>
      <LongWords text={isFolded ? `${text.slice(0, SHOWN_CHARS)}…` : text} />
    </div>
  );
  const isRead = useDeferredValue(true, text.length <= AT_ONCE_CHARS);
  const isMarkdown = useMemo(() => !isFolded && mayBeMarkdown(text), [isFolded, text]);
  return (
    <>
      {isMarkdown && isRead ? (
        <PlainOnError plain={plain}>
          <Suspense fallback={plain}>
            <div className={styles.text}>
              <Markdown text={text} linkTag={linkTag} />
            </div>
          </Suspense>
        </PlainOnError>
      ) : (
        plain
      )}
      {text.length > SHOWN_CHARS && (
        <Button
          isSmall
          look="quiet"
          className={styles.more}
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : `Show all (${byteWords(text.length)})`}
        </Button>
      )}
    </>
  );
}

/** What is being written: its end, for it may be long and is drawn anew with every piece. */
export function TextBeingWritten({ text }: { text: string }) {
  return (
    <div className={transcript.plain}>
      <LongWords text={text.length > SHOWN_CHARS ? `…${text.slice(-SHOWN_CHARS)}` : text} />
    </div>
  );
}

/** A text that no reader of Markdown survives is still a text. */
class PlainOnError extends Component<{ plain: ReactNode; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? this.props.plain : this.props.children;
  }
}
