import { Link } from '@tanstack/react-router';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Badge, OpenBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import segments from '../../components/segments.module.css';
import { Flag } from '../../components/text/flag.js';
import { viewLink } from '../../components/view-link.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatOnlineCount } from './cluster-format.js';
import styles from './wall.module.css';

export type ClusterTab = 'boards' | 'rules' | 'share' | undefined;

const TABS = [
  { tab: undefined, words: 'Wall' },
  { tab: 'boards', words: 'Boards' },
  { tab: 'rules', words: 'Rules' },
  { tab: 'share', words: 'Share' },
] as const;

interface ClusterHeadProps {
  room: SavedClusterDetail;
  tab: ClusterTab;
  isGone: boolean;
  /** Number of people online. */
  here: number;
  /** Set when the list of people can be opened beside the content, which then fills the window. */
  people: { isShown: boolean; onTurn: () => void } | undefined;
}

/** The head of a cluster's page: name and tabs. */
export function ClusterHead({ room: savedCluster, tab, isGone, here, people }: ClusterHeadProps) {
  const { cluster_id: id, name, topic, visibility } = savedCluster;
  return (
    <header className={styles.head}>
      <div className={styles.titleLine}>
        <Flag id={id} size={28} isRaised={here > 0} isExposed={visibility === 'public'} />
        <h1 tabIndex={-1} className={styles.title}>
          {toDisplayText(name)}
        </h1>
      </div>
      <div className={styles.facts}>
        {visibility === 'public' ? <OpenBadge>public</OpenBadge> : <Badge>private</Badge>}
        {savedCluster.admin && <Badge>admin</Badge>}
        {topic !== '' && <span className="truncate">{toDisplayText(topic)}</span>}
        {!isGone && <span className={people ? styles.hereWords : undefined}>{formatOnlineCount(here)}</span>}
        {people && (
          <Button isSmall className={styles.peopleButton} aria-expanded={people.isShown} onClick={people.onTurn}>
            {formatOnlineCount(here)}
            <span className="visually-hidden">: who they are</span>
          </Button>
        )}
      </div>
      <nav aria-label={toDisplayText(name)} className={`${segments.segments} ${styles.tabs}`}>
        {(isGone ? TABS.slice(0, 1) : TABS).map((one) => (
          <Link
            key={one.words}
            from="/rooms/$id"
            to="."
            search={one.tab ? { tab: one.tab } : {}}
            {...viewLink(one.tab === tab)}
          >
            {one.words}
          </Link>
        ))}
      </nav>
    </header>
  );
}
