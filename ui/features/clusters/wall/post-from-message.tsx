import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useContext, useState } from 'react';
import type { Board } from '../../../../daemon/contract/boards.js';
import type { Cluster } from '../../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../../daemon/contract/saved-clusters.js';
import { Button } from '../../../components/button.js';
import { Dialog } from '../../../components/dialog.js';
import rows from '../../../components/rows.module.css';
import { DraftsContext } from '../../../lib/drafts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { createVisit } from '../../boards/board-visit.js';
import { boardsQuery } from '../../boards/boards-queries.js';
import { EMPTY_POST, type PostDraft } from '../../boards/posts/post-draft.js';
import { joinDrafts } from '../../conversations/composer/composer-draft.js';
import styles from '../clusters.module.css';

interface PostFromMessageProps {
  room: SavedClusterDetail;
  cluster: Cluster;
  text: string;
  /** Called when the text was moved to the form. */
  onMoved: () => void;
}

/** Moves a long message to the form for a post, where its lifetime can be chosen. */
export function PostFromMessage({ room: savedCluster, cluster, text, onMoved }: PostFromMessageProps) {
  const boards =
    useQuery({ ...boardsQuery(createVisit(cluster, savedCluster)), enabled: cluster.boards_enabled }).data?.boards ??
    [];
  const drafts = useContext(DraftsContext);
  const navigate = useNavigate();
  const [isChoosing, setIsChoosing] = useState(false);
  const [only] = boards;
  const move = ({ id, slug }: Board) => {
    const place = `post.${cluster.id}.${id}`;
    const before = drafts?.read<PostDraft>(place) ?? EMPTY_POST;
    drafts?.write(place, { ...before, body: joinDrafts(before.body, text) });
    onMoved();
    void navigate({ to: '/rooms/$id/b/$slug', params: { id: cluster.id, slug }, search: { make: 'post' } });
  };
  if (!only) {
    return (
      <span className="small quiet">
        Long for a Wall. {cluster.boards_enabled ? 'No boards yet.' : 'Boards are off here.'}
      </span>
    );
  }
  return (
    <>
      <Button onClick={() => (boards.length === 1 ? move(only) : setIsChoosing(true))}>Send as board post</Button>
      {isChoosing && (
        <Dialog title="On which board" onClose={() => setIsChoosing(false)}>
          <ul className={rows.rows} aria-label="Boards">
            {boards.map((board) => (
              <li key={board.id}>
                <button type="button" className={`${rows.main} ${styles.choice}`} onClick={() => move(board)}>
                  {toDisplayText(board.name)} <span className="mono small quiet">#{board.slug}</span>
                </button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
