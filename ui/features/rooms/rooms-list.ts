import { queryOptions } from '@tanstack/react-query';
import type { RoomList } from '../../../daemon/contract/rooms.js';
import { call } from '../../lib/api.js';

export const roomsKeys = {
  list: ['rooms'] as const,
  one: (id: string) => ['room', id] as const,
  catalog: ['clusters'] as const,
  cards: ['cluster'] as const,
  card: (id: string) => ['cluster', id] as const,
};

/** The saved clusters with their unread counts. The rail, the titles and the page count from them. */
export const roomsQuery = () =>
  queryOptions({
    queryKey: roomsKeys.list,
    queryFn: async ({ signal }) => (await call<RoomList>('/rooms', { signal })).rooms,
  });

/** Adds up the unread messages of all clusters. */
export const unreadIn = (rooms: readonly { unread: number }[] | undefined): number =>
  (rooms ?? []).reduce((sum, { unread }) => sum + unread, 0);
