import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import { Flag } from '../../components/text/flag.js';
import { Icon } from '../../components/text/icon.js';
import { type KnownBoard, useKnownBoardsQuery } from '../../features/boards/known-boards.js';
import { useKnownPostsQuery } from '../../features/boards/posts/known-posts.js';
import { savedClustersQuery } from '../../features/clusters/clusters-list.js';
import type { Command, Commands } from './command.js';

const NO_CLUSTERS: readonly SavedCluster[] = [];
const NO_BOARDS: readonly KnownBoard[] = [];

/** Returns the boards of saved clusters and their newest posts, once at least two characters are typed. */
export function useBoardCommands(text: string): Commands {
  const navigate = useNavigate();
  const isAsked = text.trim().length > 1;
  const { data: savedClusters = NO_CLUSTERS, isLoading: areRoomsComing } = useQuery(savedClustersQuery());
  const { data: boards = NO_BOARDS, isLoading: areBoardsComing } = useQuery({
    ...useKnownBoardsQuery(savedClusters),
    enabled: isAsked,
  });
  const { data: posts, isLoading: arePostsComing } = useQuery({
    ...useKnownPostsQuery(boards),
    enabled: isAsked && boards.length > 0,
  });
  const known = useMemo(() => {
    if (text.trim() === '') return [];
    const found = boards.map(
      ({ board: { id, slug, name, about }, room: savedCluster }): Command => ({
        group: 'Boards',
        id: `b-${id}`,
        name,
        alias: slug,
        words: `board ${savedCluster.name} ${about}`,
        more: savedCluster.name,
        mark: <Icon name="requests" />,
        run: () => void navigate({ to: '/rooms/$id/b/$slug', params: { id: savedCluster.cluster_id, slug } }),
      }),
    );
    for (const { post, board, room: savedCluster } of posts ?? [])
      found.push({
        group: 'Posts',
        id: `p-${post.id}`,
        name: post.title,
        alias: post.id,
        words: `post ${post.author} ${board.name} ${savedCluster.name}`,
        more: `#${board.slug}`,
        mark: <Flag id={post.author} size={20} />,
        run: () =>
          void navigate({
            to: '/rooms/$id/p/$pid',
            params: { id: savedCluster.cluster_id, pid: post.id },
            search: { board: board.slug },
          }),
      });
    return found;
  }, [boards, posts, text, navigate]);
  return { known, isComing: areRoomsComing || areBoardsComing || arePostsComing };
}
