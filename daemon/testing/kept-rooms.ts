import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Room, RoomDetail, RoomList } from '../contract/rooms.js';
import type { ClustersApp, OwnCluster } from './clusters-app.js';

/** The rooms that the operator keeps. */
export const roomsOf = async (app: ClustersApp) => (await app.call('GET', '/rooms')).body as RoomList;

/** One of them with its tokens. */
export const roomOf = async (app: ClustersApp, { id }: { id: string }) =>
  (await app.call('GET', `/rooms/${id}`)).body as RoomDetail;

/** Where they are kept. */
export const roomsFile = (app: ClustersApp) => join(app.root, 'credentials', 'rooms.json');
export const keptRooms = (app: ClustersApp) =>
  JSON.parse(readFileSync(roomsFile(app), 'utf8')) as Record<string, unknown>;

/** How often it was told that a room has changed. */
export const roomChanges = (app: ClustersApp) => app.events.filter(({ type }) => type === 'room.changed').length;

/** Keeps the cluster as the operator would, with the token of a private one. */
export async function keepRoom(app: ClustersApp, cluster: OwnCluster, body: object = {}): Promise<Room> {
  const token = cluster.isPublic ? {} : { token: cluster.token };
  const reply = await app.call('POST', '/rooms', { cluster_id: cluster.id, ...token, ...body });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body as Room;
}
