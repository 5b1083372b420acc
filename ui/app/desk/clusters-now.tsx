import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { Flag } from '../../components/text/flag.js';
import { savedClustersQuery } from '../../features/clusters/clusters-list.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './desk.module.css';

/** Polling interval in milliseconds. Presence is published only inside a live cluster, not as an event. */
const LOOK_EVERY_MS = 30_000;

/** Returns the number of other participants: the operator's own visible connection is not counted. */
const othersIn = ({ online, held, vis }: SavedCluster): number => online - Number(held && vis !== 'ghost');

/** The clusters in which someone is online or a message is unread. Renders nothing when there is none. */
export function ClustersNow() {
  const savedClusters = (useQuery({ ...savedClustersQuery(), refetchInterval: LOOK_EVERY_MS }).data ?? []).filter(
    (savedCluster) => savedCluster.unread > 0 || othersIn(savedCluster) > 0,
  );
  if (savedClusters.length === 0) return null;
  return (
    <Section title="Clusters" count={savedClusters.length}>
      <ul className={rows.rows} aria-label="Clusters with people online">
        {savedClusters.map((savedCluster) => (
          <li key={savedCluster.cluster_id} className={styles.exposed}>
            <Flag id={savedCluster.cluster_id} isRaised isExposed={savedCluster.slug !== null} />
            <Link
              to="/rooms/$id"
              params={{ id: savedCluster.cluster_id }}
              className={`${rows.main} truncate`}
              data-row=""
            >
              {toDisplayText(savedCluster.name)}
            </Link>
            <span className="small quiet">
              {savedCluster.unread > 0 ? `${savedCluster.unread} unread` : `${othersIn(savedCluster)} there`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
