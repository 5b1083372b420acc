import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Vis, WallFrame } from '../../contract/wall.js';
import { textFrame } from '../../lib/websocket-frame.js';
import { Connection } from './connection.js';
import { LiveCluster } from './live-cluster.js';

/** A connection that keeps the frames written to it, until it takes no more. */
class KeptConnection extends Connection {
  readonly frames: WallFrame[] = [];
  readonly queuedBytes = 0;
  readonly isSilent = false;
  isFull = false;
  closedWith: number | undefined;

  constructor(handle: string, vis: Vis = 'public') {
    super({ handle, did: null, vis, isOwner: false });
  }

  canTake(): boolean {
    return !this.isFull;
  }

  /** All frames of these tests are shorter than 126 bytes or 64 KiB, so each has a header of two or four bytes. */
  write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const short = (bytes[at + 1] as number) & 0x7f;
      const [begin, length] = short === 126 ? [at + 4, bytes.readUInt16BE(at + 2)] : [at + 2, short];
      this.frames.push(JSON.parse(bytes.toString('utf8', begin, begin + length)) as WallFrame);
      at = begin + length;
    }
  }

  get acks(): number[] {
    return this.frames.flatMap((frame) => (frame.kind === 'ack' ? [frame.delivered] : []));
  }

  ping(): void {}

  isStalled(): boolean {
    return false;
  }

  end(code: number): void {
    this.closedWith = code;
  }

  cut(): void {}
}

const TEXT = textFrame('{"kind":"message","from":"ada"}');

/** Waits until everything that was queued has been written. */
async function written(): Promise<void> {
  for (let tick = 0; tick < 3; tick += 1) await waitForTick();
}

async function clusterOf(...connections: KeptConnection[]): Promise<LiveCluster> {
  const cluster = new LiveCluster(true);
  for (const connection of connections) cluster.enter(connection);
  await written();
  return cluster;
}

describe('The ack of a direct message', () => {
  it('counts no handle whose connections took nothing', async () => {
    const [ada, ben, cay] = [new KeptConnection('ada'), new KeptConnection('ben'), new KeptConnection('cay')];
    const cluster = await clusterOf(ada, ben, cay);
    ben.isFull = true;
    cluster.direct(ada, ['ben', 'cay', 'nobody'], () => TEXT);
    await written();
    expect(ada.acks).toEqual([1]);
    expect(ben.closedWith).toBe(4408);
    expect(cluster.handles()).toEqual(['ada', 'cay']);
  });

  it('counts a handle once while one of its connections took it', async () => {
    const [ada, ben, second] = [new KeptConnection('ada'), new KeptConnection('ben'), new KeptConnection('ben')];
    const cluster = await clusterOf(ada, ben, second);
    ben.isFull = true;
    cluster.direct(ada, 'ben', () => TEXT);
    await written();
    expect(ada.acks).toEqual([1]);
  });

  it('counts neither a ghost nor the sender itself', async () => {
    const ada = new KeptConnection('ada');
    const cluster = await clusterOf(ada, new KeptConnection('ada'), new KeptConnection('eve', 'ghost'));
    cluster.direct(ada, ['ada', 'eve'], () => TEXT);
    await written();
    expect(ada.acks).toEqual([0]);
  });
});

describe('The ack of a message', () => {
  it.each([
    ['to all', (cluster: LiveCluster, ada: KeptConnection) => cluster.broadcast(ada, () => TEXT), 1],
    ['to a handle', (cluster: LiveCluster, ada: KeptConnection) => cluster.direct(ada, 'dot', () => TEXT), 0],
  ] as const)('%s does not count who joins in the same tick after it was sent', async (_to, send, delivered) => {
    const [ada, ben, dot] = [new KeptConnection('ada'), new KeptConnection('ben'), new KeptConnection('dot')];
    const cluster = await clusterOf(ada, ben);
    send(cluster, ada);
    cluster.enter(dot);
    await written();
    expect(ada.acks).toEqual([delivered]);
    expect(dot.frames.map(({ kind }) => kind)).toEqual(['ready']);
  });

  it('to all counts no handle that was dropped because it is too slow', async () => {
    const [ada, ben, cay] = [new KeptConnection('ada'), new KeptConnection('ben'), new KeptConnection('cay')];
    const cluster = await clusterOf(ada, ben, cay);
    cay.isFull = true;
    cluster.broadcast(ada, () => TEXT);
    await written();
    expect(ada.acks).toEqual([1]);
  });
});
