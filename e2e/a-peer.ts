import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { ClusterBody, ClusterCreated } from '../daemon/contract/clusters.js';
import type { Vis, WallFrame } from '../daemon/contract/wall.js';
import type { Project } from './fixtures.js';

/** Creates a cluster as somebody else: the dashboard's operator does not save it. */
export const makeCluster = (
  project: Project,
  body: ClusterBody,
): Promise<ClusterCreated & { token: string; admin_token: string }> => project.api('POST', '/v1/clusters', body);

/** Another participant of a live cluster, with its own socket. */
export class Peer {
  readonly frames: WallFrame[] = [];
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: WebSocket) {}

  /** Resolves once the daemon has sent `ready`. */
  static async join(project: Project, id: string, agent: string, token?: string, vis: Vis = 'public'): Promise<Peer> {
    const query = new URLSearchParams({ agent, vis });
    const socket = new WebSocket(`${project.address.replace('http', 'ws')}/v1/clusters/${id}/ws?${query}`, {
      headers: token === undefined ? {} : { 'x-cluster-token': token },
    });
    const peer = new Peer(socket);
    socket.on('message', (data) => {
      peer.frames.push(JSON.parse(String(data)) as WallFrame);
      peer.wake();
    });
    socket.on('error', () => undefined);
    await peer.until(({ kind }) => kind === 'ready');
    return peer;
  }

  say(payload: unknown, to?: string | string[]): void {
    this.socket.send(JSON.stringify(to === undefined ? { payload } : { to, payload }));
  }

  /** Resolves with the first frame, received or still to come, for which `isIt` holds. */
  async until(isIt: (frame: WallFrame) => boolean): Promise<WallFrame> {
    for (;;) {
      const found = this.frames.find(isIt);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** The payloads of the received messages. */
  get receivedPayloads(): unknown[] {
    return this.frames.flatMap((frame) => (frame.kind === 'message' ? [frame.payload] : []));
  }

  async hears(payload: unknown): Promise<void> {
    const text = JSON.stringify(payload);
    await this.until((frame) => frame.kind === 'message' && JSON.stringify(frame.payload) === text);
  }

  /** Waits until the daemon has acknowledged everything that was sent before. */
  async settled(): Promise<void> {
    // Every message is acknowledged with its recipient: an agent that nobody is tells this acknowledgement from others.
    const nobody = `nobody-${randomUUID()}`;
    this.say('settled?', nobody);
    await this.until((frame) => frame.kind === 'ack' && String(frame.to) === nobody);
  }

  leave(): void {
    this.socket.close();
  }
}
