import { memo, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Conversation, Message, Turn } from '../../../../daemon/contract/conversations.js';
import { Button } from '../../../components/button.js';
import { EmptyState } from '../../../components/notes.js';
import { ErrorPanel, Skeleton } from '../../../components/states.js';
import { TurnChanges } from '../../changes/changes-link.js';
import { PermissionQuestion } from '../permission-question.js';
import { Queue } from '../queue.js';
import type { QueueActions } from '../use-queue.js';
import { countSince, formatPill } from './follow.js';
import { LiveTurnLine } from './live-turn-line.js';
import { MessageLine, type Speakers } from './message-line.js';
import styles from './transcript.module.css';
import { type Block, createLines, groupBlocks, listQueued } from './transcript-lines.js';
import type { Transcript, TranscriptStore } from './transcript-store.js';
import { TurnEnding } from './turn-ending.js';
import { OPENS_HERE, useFollowing } from './use-following.js';
import { useHeightWhenFar } from './use-height-when-far.js';
import { useReading } from './use-reading.js';
import { useLiveTurn, useTranscript } from './use-transcript.js';

/** Distance from the top at which the next older page is read, in pixels. */
const OLDER_PX = 900;

interface TranscriptProps {
  store: TranscriptStore;
  conversation: Conversation;
  voices: Speakers;
  /** The message that the page's address names. The transcript opens there. */
  linked: string | undefined;
  /** The user has gone to the linked message in this page: the log takes the focus. */
  takesFocus: boolean;
  onRetry: (message: Message) => void;
  /** Undefined while nothing can be sent. */
  onQuote: ((message: Message) => void) | undefined;
  isRetrying: boolean;
  queueActs: QueueActions;
  empty: ReactNode;
}

/**
 * The transcript. It opens at the linked message, at the first unread answer or at its end, and follows new lines only
 * while the user is at the end.
 */
export function TranscriptView(props: TranscriptProps) {
  const { store, conversation, linked, takesFocus } = props;
  const transcript = useTranscript(store);
  const { messages, turns, above, isRead, firstUnread, error } = transcript;
  const isLive = useLiveTurn(store) !== undefined;
  const log = useRef<HTMLDivElement>(null);
  const opening = linked ?? firstUnread;
  const before = opening === undefined ? undefined : messages[messages.findIndex(({ id }) => id === opening) - 1]?.id;
  const { isFollowed, isAtEnd, seen, toEnd, onScroll } = useFollowing(log, messages.at(-1)?.id, before);
  useSteadyTop(log, above);
  useEffect(() => {
    if (takesFocus) log.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  useReading(conversation, messages.at(-1)?.id, isAtEnd);

  const running = conversation.running ?? undefined;
  const turn = running === undefined ? undefined : turns.get(running);
  const isWorking = isLive || (running !== undefined && turn?.state !== 'ended');
  const ids = useMemo(() => messages.map(({ id }) => id), [messages]);
  const unseen = isFollowed ? 0 : countSince(ids, seen);

  if (!isRead && error === undefined) return <Skeleton rows={6} />;
  if (!isRead)
    return <ErrorPanel what="The transcript could not be read." error={error} onRetry={() => store.refresh()} />;
  return (
    <div className={styles.frame}>
      <div
        ref={log}
        role="log"
        aria-live="off"
        aria-label="Transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        className={styles.log}
        onScroll={(event) => {
          onScroll();
          if (event.currentTarget.scrollTop < OLDER_PX) void store.readOlder();
        }}
      >
        <LogContent {...props} transcript={transcript} log={log} isWorking={isWorking} turn={turn} />
      </div>
      {!isFollowed && (
        <Button isSmall className={styles.pill} data-new="" aria-keyshortcuts="n" onClick={toEnd}>
          {formatPill(unseen, isWorking)} ↓
        </Button>
      )}
    </div>
  );
}

interface LogContentProps extends TranscriptProps {
  transcript: Transcript;
  log: React.RefObject<HTMLDivElement | null>;
  isWorking: boolean;
  /** The running turn; undefined until it is known. */
  turn: Turn | undefined;
}

/** The lines of the log: messages, the running turn, what it asks for, and what waits behind it. */
function LogContent(props: LogContentProps) {
  const { store, conversation, voices, linked, onRetry, onQuote, isRetrying, queueActs, empty } = props;
  const { transcript, log, isWorking, turn } = props;
  const { messages, turns, above, hasMore, isReadingOlder, firstUnread } = transcript;
  const lines = useMemo(() => createLines(messages, turns), [messages, turns]);
  const blocks = useBlocks(lines, above);
  const queue = useMemo(() => listQueued(messages, turns), [messages, turns]);
  const retryTurn = useCallback(
    (id: string) => {
      const asked = messages.find((message) => message.turn === id && message.role === 'user');
      if (asked) onRetry(asked);
    },
    [messages, onRetry],
  );
  return (
    <div>
      {hasMore && (
        <div className={styles.above}>
          <Button isSmall isBusy={isReadingOlder} onClick={() => void store.readOlder()}>
            {isReadingOlder ? 'Loading older messages' : 'Show older'}
          </Button>
        </div>
      )}
      {messages.length === 0 && !isWorking && empty}
      {blocks.map((block) => (
        <BlockView
          key={block.key}
          block={block}
          log={log}
          voices={voices}
          linked={linked}
          firstUnread={firstUnread}
          onRetry={retryTurn}
          onQuote={onQuote}
          isRetrying={isRetrying}
          isRunning={conversation.running !== null}
        />
      ))}
      {isWorking && (
        <LiveTurnLine store={store} turn={turn} isWaitingForYou={conversation.permissions.length > 0} voices={voices} />
      )}
      {conversation.permissions.map((permission, at) => (
        <PermissionQuestion key={permission.pid} permission={permission} who={voices.member.name} isFirst={at === 0} />
      ))}
      {queue.length > 0 && <Queue queue={queue} acts={queueActs} />}
    </div>
  );
}

/** Returns blocks that keep their identity while their lines are unchanged. */
function useBlocks(lines: ReturnType<typeof createLines>, above: number): Block[] {
  const last = useRef<Block[]>([]);
  return useMemo(() => {
    last.current = groupBlocks(lines, above, last.current);
    return last.current;
  }, [lines, above]);
}

/** Keeps the view in place when older lines are added above it. */
function useSteadyTop(log: React.RefObject<HTMLDivElement | null>, above: number): void {
  const before = useRef({ above, whole: 0, top: 0 });
  useLayoutEffect(() => {
    const place = log.current;
    if (!place) return;
    if (above > before.current.above) {
      const grown = place.scrollHeight - before.current.whole;
      // A browser with scroll anchoring has moved the view already.
      if (Math.abs(place.scrollTop - before.current.top) < 1) place.scrollTop = before.current.top + grown;
    }
    before.current.above = above;
  }, [log, above]);
  useEffect(() => {
    const place = log.current;
    if (!place) return;
    const remember = () => {
      before.current.whole = place.scrollHeight;
      before.current.top = place.scrollTop;
    };
    remember();
    place.addEventListener('scroll', remember, { passive: true });
    const sizes = new ResizeObserver(remember);
    if (place.firstElementChild) sizes.observe(place.firstElementChild);
    return () => {
      place.removeEventListener('scroll', remember);
      sizes.disconnect();
    };
  });
}

interface BlockProps {
  block: Block;
  log: React.RefObject<HTMLDivElement | null>;
  voices: Speakers;
  linked: string | undefined;
  firstUnread: string | undefined;
  onRetry: (turn: string) => void;
  onQuote: TranscriptProps['onQuote'];
  isRetrying: boolean;
  isRunning: boolean;
}

const dayLabels = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** Lines that are rendered near the viewport, and are an empty element of the same height far from it. */
const BlockView = memo(function BlockView(props: BlockProps) {
  const { block, log, voices, linked, firstUnread, onRetry, onQuote, isRetrying, isRunning } = props;
  const ref = useRef<HTMLDivElement>(null);
  const height = useHeightWhenFar(ref, log);
  return (
    <div ref={ref} style={height === undefined ? undefined : { height }}>
      {height === undefined &&
        block.lines.map(({ message, day, ending }) => (
          <div key={message.id} {...(message.id === linked && { className: styles.linked, ...OPENS_HERE })}>
            {day !== undefined && <h2 className={styles.day}>{dayLabels.format(Date.parse(day))}</h2>}
            {message.id === firstUnread && (
              <h2 className={styles.unseen} {...(linked === undefined && OPENS_HERE)}>
                New since your last visit
              </h2>
            )}
            <MessageLine
              message={message}
              voices={voices}
              onQuote={onQuote}
              ending={
                ending && (
                  <>
                    <TurnEnding
                      turn={ending}
                      text={message.role === 'user' ? message.text : undefined}
                      onRetry={() => onRetry(ending.turn)}
                      isRetrying={isRetrying}
                    />
                    <TurnChanges conv={message.conv} turn={ending.turn} isRunning={isRunning} />
                  </>
                )
              }
            />
          </div>
        ))}
    </div>
  );
});

export function EmptyTranscript({ name }: { name: string }) {
  return <EmptyState>No messages yet. {name} gets its initial prompt with your first message.</EmptyState>;
}
