import type { ClusterCreated } from '../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';

/** A cluster with its boards turned on. */
export interface BoardsCluster {
  made: ClusterCreated;
  /** Where it is on its daemon. */
  path: string;
  /** The headers of its admin. */
  admin: { 'x-cluster-token': string };
}

export const addBoard = (daemon: DaemonProcess, { path, admin }: BoardsCluster, slug: string): Promise<unknown> =>
  daemon.call('POST', `${path}/boards`, { slug, name: slug, kind: 'generic', about: '' }, admin);

/** Makes a cluster of what is given, turns its boards on and adds one of each slug. */
export async function clusterWithBoards(
  daemon: DaemonProcess,
  slugs: readonly string[],
  wanted: object = {},
): Promise<BoardsCluster> {
  const made = await daemon.call<ClusterCreated>('POST', '/v1/clusters', wanted);
  const cluster = {
    made,
    path: `/v1/clusters/${made.cluster_id}`,
    admin: { 'x-cluster-token': made.admin_token as string },
  };
  await daemon.call('PATCH', cluster.path, { boards_enabled: true }, cluster.admin);
  for (const slug of slugs) await addBoard(daemon, cluster, slug);
  return cluster;
}
