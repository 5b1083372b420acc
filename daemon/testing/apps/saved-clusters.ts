import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SavedCluster, SavedClusterDetail, SavedClusterList } from '../../contract/saved-clusters.js';
import type { ClustersApp, OwnCluster } from './clusters-app.js';

/** Returns the operator's saved clusters. */
export const listSavedClusters = async (app: ClustersApp) => (await app.call('GET', '/rooms')).body as SavedClusterList;

/** Returns one saved cluster with its tokens. */
export const getSavedCluster = async (app: ClustersApp, { id }: { id: string }) =>
  (await app.call('GET', `/rooms/${id}`)).body as SavedClusterDetail;

/** Returns the path of the file of saved clusters. */
export const savedClustersFile = (app: ClustersApp) => join(app.root, 'credentials', 'rooms.json');
export const readSavedClusters = (app: ClustersApp) =>
  JSON.parse(readFileSync(savedClustersFile(app), 'utf8')) as Record<string, unknown>;

/** Returns the number of `room.changed` events so far. */
export const savedClusterEvents = (app: ClustersApp) => app.events.filter(({ type }) => type === 'room.changed').length;

/** Saves the cluster as the operator would, with the token if it is private. */
export async function saveCluster(app: ClustersApp, cluster: OwnCluster, body: object = {}): Promise<SavedCluster> {
  const token = cluster.isPublic ? {} : { token: cluster.token };
  const reply = await app.call('POST', '/rooms', { cluster_id: cluster.id, ...token, ...body });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body as SavedCluster;
}
