import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Room } from '../../../daemon/contract/rooms.js';
import { Flag } from '../../components/flag.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { roomsQuery } from '../../features/rooms/rooms-list.js';
import { shownWords } from '../../lib/shown-words.js';
import styles from './desk.module.css';

/** Polling interval in milliseconds. Presence is published only inside a live cluster, not as an event. */
const LOOK_EVERY_MS = 30_000;

/** Returns the number of other participants: the operator's own visible connection is not counted. */
const othersIn = ({ online, held, vis }: Room): number => online - Number(held && vis !== 'ghost');

/** The clusters in which someone is online or a message is unread. Renders nothing when there is none. */
export function RoomsNow() {
  const rooms = (useQuery({ ...roomsQuery(), refetchInterval: LOOK_EVERY_MS }).data ?? []).filter(
    (room) => room.unread > 0 || othersIn(room) > 0,
  );
  if (rooms.length === 0) return null;
  return (
    <Section title="Clusters" count={rooms.length}>
      <ul className={rows.rows} aria-label="Clusters with people online">
        {rooms.map((room) => (
          <li key={room.cluster_id} className={styles.exposed}>
            <Flag id={room.cluster_id} isRaised isExposed={room.slug !== null} />
            <Link to="/rooms/$id" params={{ id: room.cluster_id }} className={`${rows.main} truncate`} data-row="">
              {shownWords(room.name)}
            </Link>
            <span className="small quiet">{room.unread > 0 ? `${room.unread} unread` : `${othersIn(room)} there`}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
