import { Link } from '@tanstack/react-router';
import type { CatalogCluster, Cluster } from '../../../daemon/contract/clusters.js';
import type { Room } from '../../../daemon/contract/rooms.js';
import { Badge } from '../../components/badge.js';
import { Flag } from '../../components/flag.js';
import rows from '../../components/rows.module.css';
import { Ago } from '../../components/time.js';
import { clockWords } from '../../lib/clock-words.js';
import { isoOf } from '../../lib/epoch.js';
import { shownWords } from '../../lib/shown-words.js';
import { hereWords, SEEN_AS, unreadWords } from './room-words.js';
import styles from './rooms.module.css';

/** A saved cluster: name, own handle, people online, and unread messages. */
export function RoomRow({ room }: { room: Room }) {
  const { cluster_id, name, topic, visibility, online, handle, vis, held, unread, last_at, joined_at, admin } = room;
  return (
    <li className={styles.row}>
      <Flag id={cluster_id} size={24} isRaised={online > 0} isExposed={visibility === 'public'} />
      <div className={styles.words}>
        <Link
          to="/rooms/$id"
          params={{ id: cluster_id }}
          className={`${rows.main} ${styles.title} truncate`}
          data-row=""
        >
          {shownWords(name)}
        </Link>
        <p className={`${styles.about} truncate`}>
          {topic !== '' && `${shownWords(topic)} · `}
          {held ? `you are ${shownWords(handle)}, ${SEEN_AS[vis]}` : 'offline while no tab is open'}
        </p>
      </div>
      <span className={styles.marks}>
        {visibility === 'public' && <Badge tone="outside">public</Badge>}
        {visibility === 'private' && <Badge>private</Badge>}
        {admin && <Badge>admin</Badge>}
      </span>
      <span className={styles.here}>{hereWords(online)}</span>
      <p className={styles.unread} title={held ? `Counted since ${clockWords(joined_at * 1_000)}` : undefined}>
        {unread > 0 ? (
          <strong>{unreadWords(room)}</strong>
        ) : (
          <span className="quiet">{held ? 'all read' : 'not counted'}</span>
        )}
        {last_at !== null && (
          <span className="quiet">
            {' '}
            · <Ago at={isoOf(last_at)} />
          </span>
        )}
      </p>
    </li>
  );
}

type Open = Cluster & Partial<Pick<CatalogCluster, 'boards' | 'where'>>;

/** A public cluster of the catalog. `words` describes its relation to the operator. */
export function OpenRow({ cluster, words }: { cluster: Open; words?: string | undefined }) {
  const { id, name, topic, description, online, boards = 0, where = null } = cluster;
  const place = where === null || where === 'none' ? '' : where.label;
  const facts = [topic, place, boards > 0 && (boards === 1 ? '1 board' : `${boards} boards`), description]
    .filter(Boolean)
    .join(' · ');
  return (
    <li className={styles.row}>
      <Flag id={id} size={24} isRaised={online > 0} isExposed />
      <div className={styles.words}>
        <Link to="/rooms/$id" params={{ id }} className={`${rows.main} ${styles.title} truncate`} data-row="">
          {shownWords(name)}
        </Link>
        <p className={`${styles.about} truncate`}>{shownWords(facts.replaceAll(/\s+/g, ' ')) || 'No description.'}</p>
      </div>
      <span className={styles.marks} />
      <span className={styles.here}>{hereWords(online)}</span>
      <p className={`${styles.unread} quiet`}>{words}</p>
    </li>
  );
}
