import type { AckFrame, MessageFrame, WallFrame } from '../../contract/wall.js';
import { type ClustersApp, clustersApp, sendFrame, type WallClient } from './clusters-app.js';

/** Starts a cluster with three members that have received each other's presence. */
export async function threeMembers(body: Parameters<ClustersApp['aCluster']>[0] = { visibility: 'public' }) {
  const app = await clustersApp();
  const cluster = await app.aCluster(body);
  const ada = await app.join(cluster, 'ada');
  const ben = await app.join(cluster, 'ben');
  const cay = await app.join(cluster, 'cay');
  await ada.until(isOnline('cay'));
  await ben.until(isOnline('cay'));
  return { app, cluster, ada, ben, cay };
}

export const isOnline = (agent: string) => (frame: WallFrame) =>
  frame.kind === 'presence' && frame.agent === agent && frame.status === 'online';
export const isOffline = (agent: string) => (frame: WallFrame) =>
  frame.kind === 'presence' && frame.agent === agent && frame.status === 'offline';
/** Resolves with the next message that the socket receives. */
export const nextMessage = async (client: WallClient) =>
  (await client.until(({ kind }) => kind === 'message')) as MessageFrame;
/** Resolves with the next ack that the socket receives. */
export const nextAck = async (client: WallClient) => (await client.until(({ kind }) => kind === 'ack')) as AckFrame;
export const listMessages = (client: WallClient) =>
  client.frames.filter((frame): frame is MessageFrame => frame.kind === 'message');
export const seconds = (app: ClustersApp) => Math.floor(app.clock.now() / 1000);

/** Resolves when the socket was pinged and has responded. */
export const nextPing = (client: WallClient) =>
  new Promise<void>((resolve) => client.socket.once('ping', () => setImmediate(resolve)));

/** Resolves when `clients` have received everything that was sent before. */
export async function settled(from: WallClient, ...clients: WallClient[]): Promise<void> {
  const mark = `mark ${Math.random()}`;
  sendFrame(from, { payload: mark });
  for (const client of clients) await client.until((frame) => frame.kind === 'message' && frame.payload === mark);
}
