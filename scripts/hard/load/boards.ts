import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';

/** A cluster with boards enabled. */
export interface BoardsCluster {
  made: ClusterCreated;
  /** Path of the cluster in the daemon's API. */
  path: string;
  /** Headers with the admin token. */
  admin: { 'x-cluster-token': string };
}

export const addBoard = (daemon: DaemonProcess, { path, admin }: BoardsCluster, slug: string): Promise<unknown> =>
  daemon.call('POST', `${path}/boards`, { slug, name: slug, kind: 'generic', about: '' }, admin);

/** Creates a cluster from `wanted`, enables its boards and adds one board per slug. */
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
