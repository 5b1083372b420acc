import { Link } from '@tanstack/react-router';
import { Component, lazy, type ReactNode, Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { Button } from '../../../components/button.js';
import { loadMarkdown, PlainProse } from '../../../components/text/prose.js';
import styles from '../wall.module.css';
import { mayBeMarkdown } from './may-be-markdown.js';

const Markdown = lazy(loadMarkdown);

/** Longer text is collapsed. */
const SHOWN_CHARS = 4_000;
/** Longer text is first rendered plain: text that others made slow to parse must not block the log. */
const AT_ONCE_CHARS = 400;
const POST = /^p_[0-9a-f]{16}$/;

/** The cluster of a text and its boards, which hashtags can link to. */
export interface TagPlaces {
  room: string;
  boards: ReadonlySet<string>;
}

/**
 * The text of a message, rendered as Markdown when it may be that. `board` is the board that the daemon found in it.
 * Hashtags of the cluster's boards and of posts become links. Nothing in it is fetched.
 */
export function WallText({ text, places, board }: { text: string; places: TagPlaces; board: string | undefined }) {
  const [isWhole, setIsWhole] = useState(false);
  const { room: clusterName, boards } = places;
  const linkTag = useCallback(
    (tag: string): ReactNode | undefined => {
      if (POST.test(tag)) {
        return (
          <Link to="/rooms/$id/p/$pid" params={{ id: clusterName, pid: tag }} className="mono">
            #{tag}
          </Link>
        );
      }
      return boards.has(tag) || tag === board ? (
        <Link to="/rooms/$id/b/$slug" params={{ id: clusterName, slug: tag }}>
          #{tag}
        </Link>
      ) : undefined;
    },
    [clusterName, boards, board],
  );
  const isFolded = text.length > SHOWN_CHARS && !isWhole;
  const plain = <PlainProse text={isFolded ? `${text.slice(0, SHOWN_CHARS)}…` : text} />;
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
          {isWhole ? 'Show less' : `Show all (${text.length.toLocaleString('en')} characters)`}
        </Button>
      )}
    </>
  );
}

/** A text that is being streamed. Only its end is shown, because it may be long and renders again with every piece. */
export function TextBeingWritten({ text }: { text: string }) {
  return <PlainProse text={text.length > SHOWN_CHARS ? `…${text.slice(-SHOWN_CHARS)}` : text} />;
}

/** Falls back to plain text when rendering Markdown throws. */
class PlainOnError extends Component<{ plain: ReactNode; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? this.props.plain : this.props.children;
  }
}
