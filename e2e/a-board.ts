import type { BoardBody, BoardCreated, PostBody, PostCreated } from '../daemon/contract/boards.js';
import type { ClusterBody, Props } from '../daemon/contract/clusters.js';
import { makeCluster } from './a-peer.js';
import type { Project } from './fixtures.js';

export const LISBON = { lat: 38.72, lon: -9.14, label: 'Lisbon, Portugal' };
export const PORTO = { lat: 41.15, lon: -8.61, label: 'Porto, Portugal' };
export const MADRID = { lat: 40.42, lon: -3.7, label: 'Madrid, Spain' };

interface ClusterWithBoards {
  id: string;
  token: string;
  admin: string;
  board(body: Partial<BoardBody> & { slug: string }): Promise<BoardCreated>;
  /** Creates a post as `agent`, as any authorized program does. */
  post(board: string, agent: string, body: PostBody, more?: string): Promise<PostCreated>;
}

/**
 * Creates a cluster with boards turned on, as a program does. With `keep`, the operator saves it with both tokens under
 * the handle `ada`.
 */
export async function createClusterWithBoards(
  project: Project,
  { keep = true, props, ...body }: ClusterBody & { keep?: boolean; props?: Props } = {},
): Promise<ClusterWithBoards> {
  const {
    cluster_id: id,
    token,
    admin_token: admin,
  } = await makeCluster(project, { name: 'Iberian exchange', visibility: 'public', ...body });
  const asAdmin = { 'x-cluster-token': admin };
  await project.api('PATCH', `/v1/clusters/${id}`, { boards_enabled: true, ...(props && { props }) }, asAdmin);
  if (keep) await project.api('POST', '/rooms', { cluster_id: id, token, admin_token: admin, handle: 'ada' });
  return {
    id,
    token,
    admin,
    board: (board) =>
      project.api(
        'POST',
        `/v1/clusters/${id}/boards`,
        { name: board.slug, kind: 'generic', about: '', ...board },
        asAdmin,
      ),
    post: (board, agent, post, more = '') =>
      project.api('POST', `/v1/clusters/${id}/boards/${board}/posts?agent=${agent}${more}`, post, {
        'x-cluster-token': token,
      }),
  };
}
