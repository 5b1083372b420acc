import { useCallback, useEffect, useRef, useState } from 'react';
import type { Citation } from '../../../daemon/contract/asks.js';
import type { EventFrame } from '../../../daemon/contract/events.js';
import { PlainProse, Prose } from '../../components/text/prose.js';
import { useFrames } from '../../lib/frames.js';
import { citationAt } from './citation-format.js';
import { type CitedIn, CitedPlace } from './citations.js';

/** A member's answer as Markdown, shown as plain text until the renderer is loaded. Cited places become links. */
export function Answer({
  cited,
  text,
  citations,
}: {
  cited: CitedIn;
  text: string;
  citations: Citation[] | undefined;
}) {
  const [kind, id] = 'rid' in cited ? (['rid', cited.rid] as const) : (['conv', cited.conv] as const);
  const linkPlace = useCallback(
    (place: string) => {
      const citation = citationAt(place, citations ?? []);
      return citation && <CitedPlace cited={kind === 'rid' ? { rid: id } : { conv: id }} citation={citation} />;
    },
    [kind, id, citations],
  );
  return <Prose text={text} linkPlace={linkPlace} />;
}

/** An answer that is being streamed, as plain text. */
export function AnswerBeingWritten({ conv }: { conv: string }) {
  const text = useTurnText(conv);
  return text === '' ? null : <PlainProse text={text} />;
}

function useTurnText(conv: string): string {
  const [text, setText] = useState('');
  const written = useRef({ turn: '', text: '' });
  const frame = useRef(0);
  const told = useCallback(
    (event: EventFrame) => {
      if (event.type !== 'turn.delta' || event.conv !== conv) return;
      if (written.current.turn !== event.turn) written.current = { turn: event.turn, text: '' };
      written.current.text += event.text;
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => setText(written.current.text));
    },
    [conv],
  );
  useFrames(told);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return text;
}
