import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import type { Board } from '../../../daemon/contract/boards.js';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import { savedClusterQuery } from '../clusters/clusters-queries.js';
import { boardsQuery, type Reader } from './boards-queries.js';

export interface KnownBoard {
  board: Board;
  room: Pick<SavedCluster, 'cluster_id' | 'name'>;
}

/** The most clusters whose boards are read at once. */
const CLUSTERS_MAX = 20;

/** Returns the operator as a reader of a saved cluster's boards, with its token. */
export async function findReader(client: QueryClient, room: KnownBoard['room']): Promise<Reader> {
  const { cluster_id: id, token, admin_token } = await client.fetchQuery(savedClusterQuery(room.cluster_id));
  return { cluster: { id }, token: token ?? admin_token ?? undefined };
}

/** Reads the boards of one saved cluster; none if they cannot be read. */
async function listBoards(client: QueryClient, room: SavedCluster): Promise<KnownBoard[]> {
  try {
    const { boards } = await client.fetchQuery(boardsQuery(await findReader(client, room)));
    return boards.map((board) => ({ board, room }));
  } catch {
    // A cluster that was deleted meanwhile must not hide the boards of the others.
    return [];
  }
}

/** The boards of the saved clusters, to be found by name. */
export function useKnownBoardsQuery(savedClusters: readonly SavedCluster[]) {
  const client = useQueryClient();
  const withBoards = savedClusters.filter(({ boards_enabled }) => boards_enabled).slice(0, CLUSTERS_MAX);
  return queryOptions({
    queryKey: ['known-boards', withBoards.map(({ cluster_id }) => cluster_id)],
    queryFn: async () => (await Promise.all(withBoards.map((room) => listBoards(client, room)))).flat(),
    staleTime: 0,
  });
}
