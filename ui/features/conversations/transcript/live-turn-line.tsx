import { memo, useLayoutEffect, useMemo, useRef } from 'react';
import type { Turn } from '../../../../daemon/contract/conversations.js';
import { StatusMark } from '../../../components/status-mark.js';
import { loadMarkdown, Prose } from '../../../components/text/prose.js';
import { Elapsed } from '../../../components/text/time.js';
import { liveParts } from './live-parts.js';
import { LogLine, type Speakers } from './message-line.js';
import { ToolRows } from './tool-rows.js';
import styles from './transcript.module.css';
import type { TranscriptStore } from './transcript-store.js';
import { useLiveTurn } from './use-transcript.js';

// Loaded with the page, so that the first words do not wait for it. If this fails, rendering loads it again.
loadMarkdown().catch(() => undefined);

interface LiveTurnLineProps {
  store: TranscriptStore;
  turn: Turn | undefined;
  isWaitingForYou: boolean;
  voices: Speakers;
}

/** The running turn, with its text and tool calls as they arrive. */
export function LiveTurnLine({ store, turn, isWaitingForYou, voices }: LiveTurnLineProps) {
  const live = useLiveTurn(store);
  const parts = useMemo(() => liveParts(live?.text ?? ''), [live?.text]);
  return (
    <LogLine
      at={turn?.started_at ?? undefined}
      flag={voices.member.id}
      name={voices.member.name}
      isRaised
      isExposed={voices.member.isExposed}
      mark={
        <span className={styles.working}>
          <StatusMark word={isWaitingForYou ? 'needs you' : 'working'} />{' '}
          {turn?.started_at && <Elapsed since={turn.started_at} />}
        </span>
      }
    >
      <ToolRows calls={live?.calls ?? []} isWaitingForYou={isWaitingForYou} />
      <div className={styles.written}>
        {parts.map((part, at) =>
          at === parts.length - 1 ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a finished part never changes its position.
            <GrowingPart key={at} text={part} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a finished part never changes its position.
            <Part key={at} text={part} />
          ),
        )}
      </div>
    </LogLine>
  );
}

const Part = memo(Prose);

/**
 * The part that still grows. Its height never shrinks: incomplete Markdown may render differently from frame to frame.
 */
function GrowingPart({ text }: { text: string }) {
  const ref = useRef<HTMLDivElement>(null);
  const tallest = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the measured height changes with the text.
  useLayoutEffect(() => {
    const part = ref.current;
    if (!part) return;
    tallest.current = Math.max(tallest.current, part.offsetHeight);
    part.style.minHeight = `${tallest.current}px`;
  }, [text]);
  return (
    <div ref={ref}>
      <Part text={text} />
    </div>
  );
}
