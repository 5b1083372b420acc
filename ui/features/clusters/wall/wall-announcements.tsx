import { useEffect, useRef, useState } from 'react';
import { formatAnnouncement, formatDelivery } from '../cluster-format.js';
import { useWallPart } from './use-wall-session.js';
import { listOfOthers } from './wall-log.js';
import type { WallSession } from './wall-session.js';

const GATHER_MS = 2_000;

/** Announces new messages to screen readers: whole messages, at most every two seconds, several as a count. */
export function WallAnnouncements({ session, room: clusterName }: { session: WallSession; room: string }) {
  const [words, setWords] = useState('');
  const newest = useWallPart(session, (view) => view.newest);
  const announced = useRef(newest);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (newest <= announced.current || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const fresh = listOfOthers(session.log.after(announced.current));
      // The log may be ahead of what is rendered. Its messages are announced and must not be announced again.
      announced.current = session.log.total - 1;
      setWords(
        formatAnnouncement(
          fresh.map(({ from, to, said }) => ({ from, text: said.text, isDirect: to !== null })),
          clusterName,
        ),
      );
    }, GATHER_MS);
  }, [session, newest, clusterName]);
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

/** Announces the delivery status of the operator's last message, which is shown below the message. */
export function DeliveryAnnouncement({ session }: { session: WallSession }) {
  const own = useWallPart(session, (view) => view.own);
  return (
    <p className="visually-hidden" role="status">
      {own?.standing && formatDelivery(own.standing, own.to)}
    </p>
  );
}
