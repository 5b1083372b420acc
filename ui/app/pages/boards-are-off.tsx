import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button.js';
import { PageHead } from '../../components/section.js';
import type { BoardVisit } from '../../features/boards/board-visit.js';
import { toDisplayText } from '../../lib/format/display-text.js';

/** A board's page in a cluster whose boards are turned off. */
export function BoardsAreOff({ visit: { cluster, adminToken } }: { visit: BoardVisit }) {
  return (
    <>
      <PageHead title="Boards are turned off" lede={toDisplayText(cluster.name)} />
      <p>
        The admin of this cluster has turned its boards off. Their posts are kept and return when boards are turned on
        {adminToken === undefined ? '.' : ': you hold the admin token.'}
      </p>
      <p>
        <Link to="/rooms/$id" params={{ id: cluster.id }} search={{ tab: 'boards' }} className={buttonClass('primary')}>
          Open the cluster
        </Link>
      </p>
    </>
  );
}
