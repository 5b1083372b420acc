import { Link } from '@tanstack/react-router';
import type { CatalogCluster, Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import { Badge } from '../../components/badge.js';
import rows from '../../components/rows.module.css';
import { Flag } from '../../components/text/flag.js';
import { Ago } from '../../components/text/time.js';
import { formatClockTime } from '../../lib/format/clock-format.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { toIsoTime } from '../../lib/format/epoch.js';
import { formatOnlineCount, formatUnread, SEEN_AS } from './cluster-format.js';
import styles from './clusters.module.css';

/** A saved cluster: name, own handle, people online, and unread messages. */
export function ClusterRow({ room: savedCluster }: { room: SavedCluster }) {
  const { cluster_id, name, topic, visibility, online, handle, vis, held, unread, last_at, joined_at, admin } =
    savedCluster;
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
          {toDisplayText(name)}
        </Link>
        <p className={`${styles.about} truncate`}>
          {topic !== '' && `${toDisplayText(topic)} · `}
          {held ? `you are ${toDisplayText(handle)}, ${SEEN_AS[vis]}` : 'offline while no tab is open'}
        </p>
      </div>
      <span className={styles.marks}>
        {visibility === 'public' && <Badge tone="outside">public</Badge>}
        {visibility === 'private' && <Badge>private</Badge>}
        {admin && <Badge>admin</Badge>}
      </span>
      <span className={styles.here}>{formatOnlineCount(online)}</span>
      <p className={styles.unread} title={held ? `Counted since ${formatClockTime(joined_at * 1_000)}` : undefined}>
        {unread > 0 ? (
          <strong>{formatUnread(savedCluster)}</strong>
        ) : (
          <span className="quiet">{held ? 'all read' : 'not counted'}</span>
        )}
        {last_at !== null && (
          <span className="quiet">
            {' '}
            · <Ago at={toIsoTime(last_at)} />
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
          {toDisplayText(name)}
        </Link>
        <p className={`${styles.about} truncate`}>
          {toDisplayText(facts.replaceAll(/\s+/g, ' ')) || 'No description.'}
        </p>
      </div>
      <span className={styles.marks} />
      <span className={styles.here}>{formatOnlineCount(online)}</span>
      <p className={`${styles.unread} quiet`}>{words}</p>
    </li>
  );
}
