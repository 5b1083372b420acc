import { describe, expect, it } from 'vitest';
import type { AckFrame, MessageFrame, Vis, WallFrame } from '../../contract/wall.js';
import {
  type ClustersApp,
  clustersApp,
  type OwnCluster,
  sendFrame,
  type WallClient,
} from '../../testing/apps/clusters-app.js';
import { Dice } from '../../testing/dice.js';

const CLUSTERS = 50;
const SOCKETS = 4;
const STEPS = 5_000;
const HANDLES = ['ada', 'ben', 'cay'];
const VIS: readonly Vis[] = ['public', 'private', 'ghost'];

interface Joined {
  client: WallClient;
  cluster: OwnCluster;
  handle: string;
  vis: Vis;
  /** The messages that it must receive, as `sender number`. */
  due: string[];
  /** The acks that it must receive, in order. */
  acks: AckFrame[];
}

/** The connections that a message must reach, and the number of handles that its ack must report. */
function meant(
  sender: Joined,
  all: readonly Joined[],
  to: readonly string[] | null,
): { receivers: Joined[]; delivered: number } {
  const receivers = all.filter(
    (one) => one !== sender && one.cluster === sender.cluster && (to === null || to.includes(one.handle)),
  );
  const visible = receivers.filter(({ vis, handle }) => vis !== 'ghost' && handle !== sender.handle);
  return { receivers, delivered: new Set(visible.map(({ handle }) => handle)).size };
}

async function join(app: ClustersApp, random: () => number): Promise<Joined[]> {
  const all: Joined[] = [];
  for (let n = 0; n < CLUSTERS; n += 1) {
    const cluster = await app.aCluster({ visibility: n % 2 === 0 ? 'public' : 'private' });
    for (let k = 0; k < SOCKETS; k += 1) {
      const handle = HANDLES[Math.floor(random() * HANDLES.length)] as string;
      const vis = VIS[Math.floor(random() * VIS.length)] as Vis;
      all.push({ client: await app.join(cluster, handle, { vis }), cluster, handle, vis, due: [], acks: [] });
    }
  }
  return all;
}

describe('Fifty clusters with random traffic', () => {
  it('deliver exactly the intended frames to each socket, with a correct ack for every message', async () => {
    const app = await clustersApp();
    const { random } = new Dice(20_261_121);
    const all = await join(app, random);

    for (let step = 0; step < STEPS; step += 1) {
      const sender = all[Math.floor(random() * all.length)] as Joined;
      const kind = random();
      const to = kind < 0.5 ? null : HANDLES.filter(() => random() < 0.5);
      const asked = to?.length === 1 && kind < 0.75 ? (to[0] as string) : to;
      if (to?.length === 0) {
        sendFrame(sender.client, { to, payload: step });
        continue;
      }
      sendFrame(sender.client, asked === null ? { payload: step } : { to: asked, payload: step });
      const { receivers, delivered } = meant(sender, all, to);
      for (const one of receivers) one.due.push(`${sender.handle} ${step}`);
      sender.acks.push({ kind: 'ack', to: asked, delivered });
    }

    const is =
      <Kind extends WallFrame['kind']>(kind: Kind) =>
      (frame: WallFrame): frame is Extract<WallFrame, { kind: Kind }> =>
        frame.kind === kind;
    for (const { client, due, acks, handle, vis, cluster } of all) {
      const messages = () => client.frames.filter(is('message'));
      while (messages().length < due.length || client.frames.filter(is('ack')).length < acks.length)
        await client.next();
      const got = messages().map(({ from, payload }: MessageFrame) => `${from} ${payload}`);
      // Messages of two senders may arrive in either order.
      expect([cluster.id, handle, vis, ...got.sort()]).toEqual([cluster.id, handle, vis, ...due.sort()]);
      expect(client.frames.filter(is('ack'))).toEqual(acks);
      for (const { to } of messages()) expect([null, handle]).toContain(to);
    }
  });
});
