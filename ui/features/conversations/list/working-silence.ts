import { useCallback, useRef } from 'react';
import type { EventFrame } from '../../../../daemon/contract/events.js';
import { formatElapsed } from '../../../lib/format/time-format.js';
import { useFrames } from '../../../lib/frames.js';

/** Silence after which a turn is shown as silent, in milliseconds. */
const SILENT_MS = 15_000;

/** Returns how long the turn of a conversation has sent no event, in words; undefined while that is short. */
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
  return silent < SILENT_MS ? undefined : `silent for ${formatElapsed(silent)}`;
}
