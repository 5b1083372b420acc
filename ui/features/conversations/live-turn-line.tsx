import { lazy, memo, Suspense, useLayoutEffect, useMemo, useRef } from 'react';
import type { Turn } from '../../../daemon/contract/conversations.js';
import { LongWords } from '../../components/long-words.js';
import { StatusMark } from '../../components/status-mark.js';
import { Elapsed } from '../../components/time.js';
import { liveParts } from './live-parts.js';
import { LogLine, type Voices } from './message-line.js';
import { ToolRows } from './tool-rows.js';
import styles from './transcript.module.css';
import type { TranscriptStore } from './transcript-store.js';
import { useLiveTurn } from './use-transcript.js';

const loadMarkdown = () => import('../../components/markdown.js');
// Fetched with the page, so that the first words need not wait for it; where that fails they ask for it again.
loadMarkdown().catch(() => undefined);
const Markdown = lazy(loadMarkdown);

interface LiveTurnLineProps {
  store: TranscriptStore;
  turn: Turn | undefined;
  isWaitingForYou: boolean;
  voices: Voices;
}

/** The turn that runs: what it does and says, as it comes. */
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
            // biome-ignore lint/suspicious/noArrayIndexKey: a finished part never changes its place.
            <GrowingPart key={at} text={part} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a finished part never changes its place.
            <Part key={at} text={part} />
          ),
        )}
      </div>
    </LogLine>
  );
}

const Part = memo(function Part({ text }: { text: string }) {
  return (
    <Suspense
      fallback={
        <div className={styles.plain}>
          <LongWords text={text} />
        </div>
      }
    >
      <Markdown text={text} />
    </Suspense>
  );
});

/** The part that still grows. It never shrinks while it does: half written marks read differently from frame to frame. */
function GrowingPart({ text }: { text: string }) {
  const ref = useRef<HTMLDivElement>(null);
  const tallest = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is measured changes with the text.
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
