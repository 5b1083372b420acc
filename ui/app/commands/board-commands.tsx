import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Room } from '../../../daemon/contract/rooms.js';
import { Flag } from '../../components/flag.js';
import { Icon } from '../../components/icon.js';
import { type KnownBoard, useKnownBoardsQuery } from '../../features/boards/known-boards.js';
import { useKnownPostsQuery } from '../../features/boards/known-posts.js';
import { roomsQuery } from '../../features/rooms/rooms-list.js';
import type { Command, Commands } from './command.js';

const NO_ROOMS: readonly Room[] = [];
const NO_BOARDS: readonly KnownBoard[] = [];

/** Returns the boards of saved clusters and their newest posts, once at least two characters are typed. */
export function useBoardCommands(text: string): Commands {
  const navigate = useNavigate();
  const isAsked = text.trim().length > 1;
  const { data: rooms = NO_ROOMS, isLoading: areRoomsComing } = useQuery(roomsQuery());
  const { data: boards = NO_BOARDS, isLoading: areBoardsComing } = useQuery({
    ...useKnownBoardsQuery(rooms),
    enabled: isAsked,
  });
  const { data: posts, isLoading: arePostsComing } = useQuery({
    ...useKnownPostsQuery(boards),
    enabled: isAsked && boards.length > 0,
  });
  const known = useMemo(() => {
    if (text.trim() === '') return [];
    const found = boards.map(
      ({ board: { id, slug, name, about }, room }): Command => ({
        group: 'Boards',
        id: `b-${id}`,
        name,
        alias: slug,
        words: `board ${room.name} ${about}`,
        more: room.name,
        mark: <Icon name="requests" />,
        run: () => void navigate({ to: '/rooms/$id/b/$slug', params: { id: room.cluster_id, slug } }),
      }),
    );
    for (const { post, board, room } of posts ?? [])
      found.push({
        group: 'Posts',
        id: `p-${post.id}`,
        name: post.title,
        alias: post.id,
        words: `post ${post.author} ${board.name} ${room.name}`,
        more: `#${board.slug}`,
        mark: <Flag id={post.author} size={20} />,
        run: () =>
          void navigate({
            to: '/rooms/$id/p/$pid',
            params: { id: room.cluster_id, pid: post.id },
            search: { board: board.slug },
          }),
      });
    return found;
  }, [boards, posts, text, navigate]);
  return { known, isComing: areRoomsComing || areBoardsComing || arePostsComing };
}
