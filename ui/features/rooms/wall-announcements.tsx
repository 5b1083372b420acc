import { useEffect, useRef, useState } from 'react';
import { heardWords, standingWords } from './room-words.js';
import { useWallPart } from './use-wall-session.js';
import type { SaidLine } from './wall-log.js';
import type { WallSession } from './wall-session.js';

const GATHER_MS = 2_000;

/** Tells screen readers who said what: whole messages, at most every two seconds, bursts as a number. */
export function WallAnnouncements({ session, room }: { session: WallSession; room: string }) {
  const [words, setWords] = useState('');
  const newest = useWallPart(session, (view) => view.newest);
  const told = useRef(newest);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (newest <= told.current || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const fresh = session.log
        .after(told.current)
        .filter((line): line is SaidLine => line.kind === 'said' && !line.isOwn);
      // What was heard may be ahead of what is drawn: it is told now and not once more.
      told.current = session.log.total - 1;
      setWords(
        heardWords(
          fresh.map(({ from, to, said }) => ({ from, text: said.text, isDirect: to !== null })),
          room,
        ),
      );
    }, GATHER_MS);
  }, [session, newest, room]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return (
    <p className="visually-hidden" aria-live="polite">
      {words}
    </p>
  );
}

/** Tells how one's last message fared: it is drawn below it, out of the way of who listens. */
export function StandingAnnouncement({ session }: { session: WallSession }) {
  const own = useWallPart(session, (view) => view.own);
  return (
    <p className="visually-hidden" role="status">
      {own?.standing && standingWords(own.standing, own.to)}
    </p>
  );
}
