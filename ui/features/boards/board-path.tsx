import { Link } from '@tanstack/react-router';
import type { Board } from '../../../daemon/contract/boards.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import type { BoardVisit } from './board-visit.js';

/** Links from a post to its cluster and, if known, its board. */
export function BoardPath({ visit: { cluster }, board }: { visit: BoardVisit; board: Board | undefined }) {
  return (
    <p className="cluster small">
      <Link to="/rooms/$id" params={{ id: cluster.id }} search={{ tab: 'boards' }}>
        {toDisplayText(cluster.name)}
      </Link>
      {board && (
        <>
          <span className="quiet" aria-hidden="true">
            /
          </span>
          <Link to="/rooms/$id/b/$slug" params={{ id: cluster.id, slug: board.slug }}>
            {toDisplayText(board.name)}
          </Link>
        </>
      )}
    </p>
  );
}
