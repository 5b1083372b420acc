import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Vis, WallFrame } from '../../contract/wall.js';
import { textFrame } from '../../lib/websocket-frame.js';
import { readFrames } from '../../testing/parts/written-frames.js';
import { Connection, type Member } from './connection.js';
import { LiveCluster } from './live-cluster.js';
import { LocalConnection } from './local-connection.js';
import { RemoteConnection } from './remote-connection.js';

const MARK = { kind: 'closed', reason: 'mark' } as const;

/** A connection that keeps the frames written to it, until it takes no more. */
class KeptConnection extends Connection {
  readonly frames: WallFrame[] = [];
  readonly queuedBytes = 0;
  readonly isSilent = false;
  isFull = false;
  closedWith: number | undefined;
  isCut = false;

  constructor(handle: string, vis: Vis = 'public', member: Partial<Member> = {}) {
    super({ handle, did: null, vis, isOwner: false, ...member });
  }

  canTake(): boolean {
    return !this.isFull;
  }

  write(bytes: Buffer): void {
    this.frames.push(...readFrames(bytes));
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

  cut(): void {
    this.isCut = true;
  }

  /** Returns what was written since the last time, without the marks of `pushed`. */
  take(): WallFrame[] {
    return this.frames.splice(0).filter((frame) => frame.kind !== 'closed' || frame.reason !== MARK.reason);
  }
}

const remote = (handle: string, vis: Vis = 'public', did: string | null = null) =>
  new RemoteConnection({ handle, did, vis, isOwner: false });

const said = (from: string) => textFrame(JSON.stringify({ kind: 'message', from }));

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

/** Waits as `written` does. Presence waits for more of it, so a frame for all is sent after it. */
async function pushed(cluster: LiveCluster): Promise<void> {
  cluster.sendToAll(MARK);
  await written();
}

/** A cluster of these connections that have read everything so far. */
async function quiet(...connections: KeptConnection[]): Promise<LiveCluster> {
  const cluster = await clusterOf(...connections);
  await pushed(cluster);
  for (const connection of connections) connection.take();
  return cluster;
}

const presence = (agent: string, status: 'online' | 'offline', did: string | null = null) => ({
  kind: 'presence',
  agent,
  did,
  status,
});

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

  it('to all does not count who joins elsewhere in the same tick after it was sent', async () => {
    const cluster = new LiveCluster(true, { isReachable: true });
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    for (const connection of [ada, ben]) cluster.enter(connection);
    cluster.broadcast(ada, () => TEXT);
    cluster.enterRemote(remote('cay'));
    await written();
    expect(ada.acks).toEqual([1]);
  });

  it('is sent to nobody when its sender left in the same tick, and the message is', async () => {
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await quiet(ada, ben);
    cluster.broadcast(ada, said);
    cluster.direct(ada, 'ben', () => said('ada alone'));
    cluster.leave(ada);
    await pushed(cluster);
    expect(ada.take()).toEqual([]);
    expect(ben.take()).toMatchObject([{ from: 'ada' }, { from: 'ada alone' }, { status: 'offline' }]);
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

describe('The first frame of a connection', () => {
  it('says who it is, whether it owns the cluster, and who is there, itself included', async () => {
    const did = 'did:key:z6Mk';
    const ada = new KeptConnection('ada', 'public', { did, isOwner: true });
    const ben = new KeptConnection('ben', 'private');
    await clusterOf(ada, ben, new KeptConnection('eve', 'ghost'));
    const ready = { kind: 'ready', you_did: null, public: true, owner: false };
    expect(ada.frames[0]).toEqual({ ...ready, you: 'ada', you_did: did, owner: true, online: ['ada'] });
    expect(ben.frames[0]).toEqual({ ...ready, you: 'ben', online: ['ada', 'ben'] });
    const secret = new LiveCluster(false);
    const cay = new KeptConnection('cay');
    secret.enter(cay);
    expect(cay.frames[0]).toEqual({ ...ready, you: 'cay', public: false, online: ['cay'] });
  });

  it('shows an onlooker the masks of private members', async () => {
    const onlooker = new KeptConnection('eve', 'ghost', { isOnlooker: true });
    await clusterOf(new KeptConnection('ada', 'private'), new KeptConnection('ben'), onlooker);
    expect(onlooker.frames[0]).toMatchObject({ online: ['private-1', 'ben'] });
  });

  it('no longer lists who left or is not seen any more', async () => {
    const [ada, ben, cay] = [new KeptConnection('ada'), new KeptConnection('ben'), new KeptConnection('cay')];
    const cluster = await clusterOf(ada, ben);
    cluster.leave(ben);
    cluster.enter(cay);
    expect(cay.frames[0]).toMatchObject({ online: ['ada', 'cay'] });
    cluster.leave(cay);
    const ghost = new KeptConnection('eve', 'ghost');
    cluster.enter(ghost);
    expect(ghost.frames[0]).toMatchObject({ online: ['ada'] });
  });
});

describe('Presence', () => {
  it('tells the others of the first and the last visible connection of a handle, with the identity of the first', async () => {
    const ada = new KeptConnection('ada');
    const cluster = await quiet(ada);
    const first = new KeptConnection('ben', 'public', { did: 'did:key:first' });
    const second = new KeptConnection('ben', 'public', { did: 'did:key:second' });
    cluster.enter(new KeptConnection('ben', 'ghost'));
    cluster.enter(first);
    cluster.enter(second);
    cluster.leave(first);
    cluster.leave(first);
    await pushed(cluster);
    expect(ada.take()).toEqual([presence('ben', 'online', 'did:key:first')]);
    expect([cluster.size, cluster.handles(), cluster.isVisible('ben')]).toEqual([2, ['ada', 'ben'], true]);
    cluster.leave(second);
    await pushed(cluster);
    expect(ada.take()).toEqual([presence('ben', 'offline', 'did:key:first')]);
    expect([cluster.size, cluster.handles(), cluster.isVisible('ben')]).toEqual([1, ['ada'], false]);
  });

  it('does not depend on a ghost of the same handle', async () => {
    const ada = new KeptConnection('ada');
    const [seen, ghost] = [new KeptConnection('ben'), new KeptConnection('ben', 'ghost')];
    const cluster = await quiet(ada, seen, ghost);
    cluster.leave(ghost);
    await pushed(cluster);
    expect([ada.take(), cluster.isVisible('ben'), cluster.handlesHere(), cluster.size]).toEqual([
      ...[[], true, ['ada', 'ben'], 2],
    ]);
    cluster.leave(seen);
    await pushed(cluster);
    expect([ada.take(), cluster.handlesHere()]).toEqual([[presence('ben', 'offline')], ['ada']]);
  });

  it('shows onlookers the mask of a private member, without its identity, until it has left', async () => {
    const [ada, onlooker] = [new KeptConnection('ada'), new KeptConnection('eye', 'ghost', { isOnlooker: true })];
    const cluster = await quiet(ada, onlooker);
    const ben = new KeptConnection('ben', 'private', { did: 'did:key:ben' });
    cluster.enter(ben);
    await pushed(cluster);
    cluster.leave(ben);
    await pushed(cluster);
    const did = 'did:key:ben';
    expect(ada.take()).toEqual([presence('ben', 'online', did), presence('ben', 'offline', did)]);
    expect(onlooker.take()).toEqual([presence('private-1', 'online'), presence('private-1', 'offline')]);
    cluster.enter(new KeptConnection('ben', 'private'));
    expect(cluster.shown()).toEqual(['ada', 'private-2']);
  });

  it('masks a handle as soon as one of its connections is private, and names a ghost a ghost', async () => {
    const onlooker = new KeptConnection('eye', 'ghost', { isOnlooker: true });
    const [open, hidden, ghost] = [
      new KeptConnection('ben'),
      new KeptConnection('ben', 'private'),
      new KeptConnection('eve', 'ghost'),
    ];
    const cluster = await quiet(onlooker, open, hidden, ghost);
    cluster.broadcast(open, said);
    cluster.broadcast(ghost, said);
    await pushed(cluster);
    expect(onlooker.take()).toMatchObject([{ from: 'private-1' }, { from: 'ghost' }]);
    expect(hidden.take()).toMatchObject([{ from: 'ben' }, { from: 'eve' }]);
    expect(cluster.shown()).toEqual(['private-1']);
  });
});

describe('A direct message', () => {
  it('reaches every connection of its handles once, the sender its own others, and no onlooker', async () => {
    const [ada, other, ben] = [new KeptConnection('ada'), new KeptConnection('ada'), new KeptConnection('ben')];
    const [ghost, onlooker, cay] = [
      new KeptConnection('ben', 'ghost'),
      new KeptConnection('ben', 'ghost', { isOnlooker: true }),
      new KeptConnection('cay'),
    ];
    const cluster = await quiet(ada, other, ben, ghost, onlooker, cay);
    cluster.direct(ada, ['ben', 'ada', 'ben'], (handle) => said(`to ${handle}`));
    await pushed(cluster);
    expect([ben, ghost, other].map((one) => one.take())).toMatchObject([
      [{ from: 'to ben' }],
      [{ from: 'to ben' }],
      [{ from: 'to ada' }],
    ]);
    expect([onlooker.take(), cay.take()]).toEqual([[], []]);
    expect(ada.take()).toEqual([{ kind: 'ack', to: ['ben', 'ada', 'ben'], delivered: 1 }]);
  });

  it('is told to what the daemon holds for the handle, and not what the holder itself says', async () => {
    const heard: string[] = [];
    const hold = (handle: string, name: string) =>
      new LocalConnection({ handle, did: null, vis: 'public', isOwner: false }, (isDirect) => {
        heard.push(`${name} ${isDirect ? 'direct' : 'all'}`);
      });
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await clusterOf(ada, ben);
    const [forAda, forBen] = [hold('ada', 'a'), hold('ben', 'b')];
    cluster.enter(forAda);
    cluster.enter(forBen);
    cluster.direct(ada, 'ben', () => TEXT);
    cluster.direct(ada, 'ada', () => TEXT);
    cluster.broadcast(ada, () => TEXT);
    expect(heard).toEqual(['b direct', 'b all']);
    cluster.leave(forBen);
    cluster.broadcast(ada, () => TEXT);
    cluster.direct(ada, 'ben', () => TEXT);
    expect(heard).toHaveLength(2);
  });
});

describe('A cluster', () => {
  it('lists its handles in the order in which they came, also those that came back', async () => {
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await clusterOf(ada, ben);
    cluster.enterRemote(remote('cay'));
    cluster.leave(ada);
    cluster.enter(new KeptConnection('ada'));
    const ready = new KeptConnection('dot', 'ghost');
    cluster.enter(ready);
    expect([cluster.handles(), cluster.shown(), cluster.handlesHere()]).toEqual([
      ['ben', 'cay', 'ada'],
      ['ben', 'cay', 'ada'],
      ['ben', 'ada'],
    ]);
    expect(ready.frames[0]).toMatchObject({ online: ['ben', 'cay', 'ada'] });
  });

  it('that was closed begins anew', async () => {
    const heard: boolean[] = [];
    const held = new LocalConnection({ handle: 'hal', did: null, vis: 'private', isOwner: false }, (isDirect) =>
      heard.push(isDirect),
    );
    const onlooker = new KeptConnection('eye', 'ghost', { isOnlooker: true });
    const cluster = await quiet(new KeptConnection('old'), onlooker);
    cluster.enter(held);
    cluster.close(4000, 'deleted');
    expect(onlooker.take().filter(({ kind }) => kind !== 'presence')).toEqual([]);
    const [ada, ben] = [new KeptConnection('ada', 'private'), new KeptConnection('ben')];
    for (const connection of [ada, ben]) cluster.enter(connection);
    cluster.enterRemote(remote('cay'));
    cluster.broadcast(ada, said);
    await pushed(cluster);
    expect([ada.acks, heard, onlooker.take(), cluster.size]).toEqual([[1], [], [], 3]);
    expect(ben.take().filter(({ kind }) => kind === 'message')).toEqual([{ kind: 'message', from: 'ada' }]);
  });
});

describe('Members at other daemons', () => {
  it('are present like those here, and keep the cluster open', async () => {
    const ada = new KeptConnection('ada');
    const cluster = await quiet(ada);
    const [ben, ghost] = [remote('ben', 'private', 'did:key:ben'), remote('eve', 'ghost')];
    cluster.enterRemote(ben);
    cluster.enterRemote(ghost);
    await pushed(cluster);
    expect(ada.take()).toEqual([presence('ben', 'online', 'did:key:ben')]);
    expect([cluster.size, cluster.handles(), cluster.handlesHere()]).toEqual([2, ['ada', 'ben'], ['ada']]);
    expect([cluster.shown(), cluster.members]).toEqual([['ada', 'private-1'], [ada]]);
    cluster.leave(ada);
    cluster.leave(ghost);
    expect([cluster.isEmpty, cluster.handles()]).toEqual([false, ['ben']]);
    cluster.leave(ben);
    expect([cluster.isEmpty, cluster.size]).toEqual([true, 0]);
  });

  it('count as reached only while other daemons get what is said', async () => {
    const others = { isReachable: true };
    const cluster = new LiveCluster(true, others);
    const [ada, ben, ghost] = [
      new KeptConnection('ada'),
      new KeptConnection('ben'),
      new KeptConnection('eve', 'ghost'),
    ];
    for (const connection of [ada, ben, ghost]) cluster.enter(connection);
    for (const handle of ['cay', 'dot', 'ben']) cluster.enterRemote(remote(handle));
    const count = async (sender: KeptConnection, to?: string[]) => {
      if (to) cluster.direct(sender, to, () => TEXT);
      else cluster.broadcast(sender, () => TEXT);
      await pushed(cluster);
      return sender.acks.at(-1);
    };
    expect([await count(ada), await count(ghost), await count(ada, ['cay', 'ben'])]).toEqual([3, 4, 2]);
    others.isReachable = false;
    expect([await count(ada), await count(ghost), await count(ada, ['cay', 'ben'])]).toEqual([1, 2, 1]);
  });

  it('leave those here as they are, also those of the same handle, and are counted apart from them', async () => {
    const [ada, ben, second] = [new KeptConnection('ada'), new KeptConnection('ben'), new KeptConnection('ben')];
    const cluster = await clusterOf(ada, ben, second);
    const [cay, away] = [remote('cay'), remote('ben')];
    for (const one of [cay, away, remote('dot')]) cluster.enterRemote(one);
    cluster.leave(cay);
    cluster.leave(away);
    expect([cluster.handlesHere(), cluster.memberHere('ben')?.handle, cluster.size]).toEqual([
      ...[['ada', 'ben'], 'ben', 3],
    ]);
    cluster.broadcast(ada, () => TEXT);
    await pushed(cluster);
    cluster.leave(ben);
    cluster.broadcast(ada, () => TEXT);
    await pushed(cluster);
    cluster.leave(second);
    cluster.broadcast(ada, () => TEXT);
    await pushed(cluster);
    expect(ada.acks).toEqual([1, 1, 0]);
  });

  it('say what those here hear, and get no acknowledgement', async () => {
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await quiet(ada, ben);
    const cay = remote('cay');
    let writes = 0;
    cay.write = () => {
      writes += 1;
    };
    cluster.enterRemote(cay);
    cluster.broadcast(cay, said);
    cluster.direct(cay, 'ben', () => said('cay alone'));
    await pushed(cluster);
    expect(writes).toBe(0);
    const [online, all] = [presence('cay', 'online'), { kind: 'message', from: 'cay' }];
    expect(ada.take()).toEqual([online, all]);
    expect(ben.take()).toEqual([online, all, { kind: 'message', from: 'cay alone' }]);
  });

  it('are heard as ghosts too, which are in no cluster', async () => {
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await quiet(ada, ben);
    const shade = remote('shade', 'ghost');
    cluster.broadcast(shade, said);
    cluster.direct(shade, 'ben', () => said('shade alone'));
    await pushed(cluster);
    expect(ada.take()).toMatchObject([{ from: 'shade' }]);
    expect(ben.take()).toMatchObject([{ from: 'shade' }, { from: 'shade alone' }]);
  });

  it('are where a message must go that is for them, or for a handle that nobody has here', async () => {
    const cluster = await clusterOf(new KeptConnection('ada'), new KeptConnection('ben'));
    cluster.enterRemote(remote('ben'));
    cluster.enterRemote(remote('eve', 'ghost'));
    expect(['ada', 'ben', 'eve', 'nobody'].map((handle) => cluster.isElsewhere(handle))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('are told of a handle by its visible connections here, masked when one of them is private', async () => {
    const cluster = await clusterOf(
      new KeptConnection('ada', 'ghost', { did: 'did:key:ghost' }),
      new KeptConnection('ada', 'public', { did: 'did:key:ada' }),
      new KeptConnection('ben', 'public'),
      new KeptConnection('ben', 'private', { did: 'did:key:second' }),
      new KeptConnection('eve', 'ghost'),
    );
    cluster.enterRemote(remote('ada', 'private', 'did:key:away'));
    cluster.enterRemote(remote('cay'));
    expect(cluster.memberHere('ada')).toEqual({ handle: 'ada', did: 'did:key:ada', masked: false });
    expect(cluster.memberHere('ben')).toEqual({ handle: 'ben', did: null, masked: true });
    expect(['cay', 'eve', 'nobody'].map((handle) => cluster.memberHere(handle))).toEqual(Array(3).fill(undefined));
  });
});

describe('The end of connections', () => {
  it('by dismissal comes after what was queued and the last frame', async () => {
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await quiet(ada, ben);
    cluster.broadcast(ada, said);
    cluster.dismiss(ben, 4003, 'no', { kind: 'closed', reason: 'no' });
    expect(ben.take()).toEqual([
      { kind: 'message', from: 'ada' },
      { kind: 'closed', reason: 'no' },
    ]);
    expect([ben.closedWith, ben.isGone, cluster.members]).toEqual([4003, true, [ada]]);
    cluster.dismiss(ben, 4000, 'again', { kind: 'closed', reason: 'again' });
    cluster.answer(ben, { kind: 'closed', reason: 'again' });
    await pushed(cluster);
    expect([ben.take(), ben.closedWith]).toEqual([[], 4003]);
    expect(ada.take()).toEqual([{ kind: 'ack', to: null, delivered: 1 }, presence('ben', 'offline')]);
  });

  it('of a peer that has disappeared cuts its connection and tells the others', async () => {
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await quiet(ada, ben);
    cluster.drop(ben);
    await pushed(cluster);
    expect([ben.isCut, ben.closedWith, ada.take()]).toEqual([true, undefined, [presence('ben', 'offline')]]);
  });

  it('of all sends each the messages of the tick, its acknowledgement and one last frame, and nobody is left', async () => {
    const [ada, ben] = [new KeptConnection('ada', 'private'), new KeptConnection('ben')];
    const cluster = await quiet(ada, ben);
    const cay = remote('cay');
    cluster.enterRemote(cay);
    cluster.broadcast(ada, said);
    cluster.close(4000, 'deleted', { kind: 'closed', reason: 'deleted' });
    const [online, last] = [presence('cay', 'online'), { kind: 'closed', reason: 'deleted' }];
    expect(ada.take()).toEqual([online, { kind: 'ack', to: null, delivered: 1 }, last]);
    expect(ben.take()).toEqual([online, { kind: 'message', from: 'ada' }, last]);
    expect([ada.closedWith, ben.closedWith, ada.isGone, cay.isGone]).toEqual([4000, 4000, true, true]);
    expect([cluster.isEmpty, cluster.size, cluster.handles(), cluster.shown(), cluster.members]).toEqual([
      ...[true, 0, [], [], []],
    ]);
    cluster.leave(ada);
    await pushed(cluster);
    expect([ada.take(), ben.take()]).toEqual([[], []]);
  });

  it('leaves every other connection its place, whichever ends', async () => {
    const all = ['ada', 'ben', 'cay', 'dot'].map((handle) => new KeptConnection(handle));
    const cluster = await quiet(...all);
    const [ada, ben, cay, dot] = all as [KeptConnection, KeptConnection, KeptConnection, KeptConnection];
    cluster.leave(ben);
    cluster.leave(cay);
    await pushed(cluster);
    for (const connection of all) connection.take();
    cluster.sendToAll({ kind: 'closed', reason: 'x' });
    await pushed(cluster);
    expect(all.map((one) => one.take().length)).toEqual([1, 0, 0, 1]);
    expect([...cluster.members]).toEqual([ada, dot]);
  });

  it('leaves one that has taken the place of another where it is', async () => {
    const all = ['ada', 'ben', 'cay', 'dot'].map((handle) => new KeptConnection(handle));
    const cluster = await quiet(...all);
    const [ada, ben, cay, dot] = all as [KeptConnection, KeptConnection, KeptConnection, KeptConnection];
    cluster.leave(ben);
    cluster.leave(dot);
    expect([...cluster.members]).toEqual([ada, cay]);
    cluster.leave(ada);
    expect([...cluster.members]).toEqual([cay]);
  });
});

describe('An answer to one connection', () => {
  it('comes after the acknowledgements of what it said before, and waits for nobody else', async () => {
    const [ada, ben] = [new KeptConnection('ada'), new KeptConnection('ben')];
    const cluster = await quiet(ada, ben);
    cluster.broadcast(ada, said);
    cluster.answer(ben, { kind: 'closed', reason: 'b' });
    cluster.answer(ada, { kind: 'closed', reason: 'a' });
    await pushed(cluster);
    expect(ada.take()).toEqual([
      { kind: 'ack', to: null, delivered: 1 },
      { kind: 'closed', reason: 'a' },
    ]);
    expect(ben.take()).toEqual([
      { kind: 'message', from: 'ada' },
      { kind: 'closed', reason: 'b' },
    ]);
  });
});
