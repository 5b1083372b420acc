import { useEffect, useRef, useState } from 'react';
import type { Speakers } from '../transcript/message-line.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';
import { useTranscript } from '../transcript/use-transcript.js';
import { formatAnnouncement } from './announcement-format.js';

const GATHER_MS = 2_000;

/** Announces new messages to screen readers: whole messages, at most every two seconds, several as a count. */
export function Announcements({ store, voices }: { store: TranscriptStore; voices: Speakers }) {
  const { messages, isRead } = useTranscript(store);
  const [words, setWords] = useState('');
  const announced = useRef<string>(undefined);
  const newest = useRef(messages);
  newest.current = messages;
  const isDue = useRef(false);
  const last = messages.at(-1)?.id;
  useEffect(() => {
    if (!isRead || last === undefined) return;
    announced.current ??= last;
    if (announced.current === last || isDue.current) return;
    isDue.current = true;
    const timer = setTimeout(() => {
      isDue.current = false;
      setWords(formatAnnouncement(newest.current, announced.current, voices.member.name));
      announced.current = newest.current.at(-1)?.id;
    }, GATHER_MS);
    return () => {
      clearTimeout(timer);
      isDue.current = false;
    };
  }, [isRead, last, voices]);
  return (
    <p className="visually-hidden" aria-live="polite">
      {words}
    </p>
  );
}
