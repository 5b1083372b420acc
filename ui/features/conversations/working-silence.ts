import { useCallback, useRef } from 'react';
import type { EventFrame } from '../../../daemon/contract/events.js';
import { useFrames } from '../../lib/frames.js';
import { tickingWords } from '../../lib/time-words.js';

/** A turn that says nothing for so long is said to be silent. */
const SILENT_MS = 15_000;

/** For how long the turn of a conversation has said nothing, in words; undefined while that is not long. */
export function useSilence(conv: string, now: number): string | undefined {
  const heardAt = useRef(Date.now());
  useFrames(
    useCallback(
      (frame: EventFrame) => {
        if ('conv' in frame && frame.conv === conv) heardAt.current = Date.now();
      },
      [conv],
    ),
  );
  const silent = now - heardAt.current;
  return silent < SILENT_MS ? undefined : `silent for ${tickingWords(silent)}`;
}
