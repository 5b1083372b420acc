import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useFrames } from '../../../lib/frames.js';
import { nextPicture } from '../../../lib/paced-frames.js';
import { readMessages } from '../conversations-queries.js';
import type { LiveTurn } from './live-turn.js';
import { type Transcript, TranscriptStore } from './transcript-store.js';

/** How many transcripts are kept in memory, so that returning to one shows it at once, even without the daemon. */
const TRANSCRIPTS_MAX = 4;
const transcripts = new Map<string, TranscriptStore>();

function getStore(conv: string): TranscriptStore {
  const store =
    transcripts.get(conv) ??
    new TranscriptStore(conv, {
      readPage: (limit, before) => readMessages(conv, limit, before),
      // A hidden tab gets no animation frames and must not fall behind.
      nextFrame: (run) => void (document.hidden ? setTimeout(run, 100) : nextPicture(run)),
      later: (run, ms) => void setTimeout(run, ms),
    });
  transcripts.delete(conv);
  transcripts.set(conv, store);
  for (const oldest of transcripts.keys()) if (transcripts.size > TRANSCRIPTS_MAX) transcripts.delete(oldest);
  return store;
}

/**
 * Returns the store of one open conversation, which opens at `message` if given. It reads the newest page again each
 * time the event stream is back.
 */
export function useTranscriptStore(conv: string, isOnline: boolean, message: string | undefined): TranscriptStore {
  const opensAt = useRef(message);
  const store = useMemo(() => {
    const found = getStore(conv);
    found.openAt(opensAt.current);
    return found;
  }, [conv]);
  useFrames(store.take);
  useEffect(() => {
    if (isOnline) store.open();
  }, [store, isOnline]);
  useEffect(() => () => store.close(), [store]);
  return store;
}

export const useTranscript = (store: TranscriptStore): Transcript => useSyncExternalStore(store.watch, store.read);
export const useLiveTurn = (store: TranscriptStore): LiveTurn | undefined =>
  useSyncExternalStore(store.watchLive, store.readLive);
