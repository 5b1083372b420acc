import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AckFrame } from '../contract/wall.js';
import { clustersApp, type OwnCluster } from '../testing/apps/clusters-app.js';
import { FailingSocket } from '../testing/stand-ins/failing-socket.js';
import type { ApiError } from './api-error.js';
import type { Daemon } from './daemon.js';
import { type GapFrame, Wall } from './wall.js';

/** Records the sockets that the library opens. */
function recording(address: string): { daemon: Daemon; sockets: WebSocket[] } {
  const sockets: WebSocket[] = [];
  class Recorded extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      sockets.push(this);
    }
  }
  return { daemon: { address, WebSocket: Recorded }, sockets };
}

async function aRoom(visibility: 'public' | 'private' = 'public') {
  const app = await clustersApp();
  const cluster = await app.aCluster({ visibility });
  const { daemon, sockets } = recording(app.address);
  const join = (agent: string, more: object = {}) => Wall.join(daemon, { cluster: cluster.id, agent, ...more });
  return { app, cluster, daemon, sockets, join };
}

type Read = Awaited<ReturnType<AsyncGenerator<Parameters<typeof getKind>[0]>['next']>>['value'];
const getKind = ({ kind }: { kind: string }) => kind;

/** Resolves with the next frame of `kind`. */
async function until<T extends { kind: string }>(wall: AsyncIterable<{ kind: string }>, kind: T['kind']): Promise<T> {
  const frames = wall[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = (await frames.next()) as { value: Read; done?: boolean };
    if (done) return expect.fail(`the room was left before any ${kind}`);
    if (getKind(value) === kind) return value as T;
  }
}

const refused = (run: Promise<unknown>) =>
  run.then(
    () => expect.fail('it was not refused'),
    (error: ApiError) => error,
  );
const tokenIn = ({ isPublic, token }: OwnCluster) => (isPublic ? {} : { token });

describe('Wall connection', () => {
  it('sends to all or to some, and resolves with how many were reached', async () => {
    const { join } = await aRoom();
    const ada = await join('ada');
    const ben = await join('ben');
    expect(await until(ben, 'ready')).toMatchObject({ you: 'ben', online: ['ada', 'ben'] });
    expect(await ada.say('hello')).toMatchObject({ kind: 'ack', to: null, delivered: 1 });
    expect(await ada.to('ben', { text: 'only you' })).toMatchObject({ to: 'ben', delivered: 1 });
    expect(await ada.to(['ben', 'cay'], 'both')).toMatchObject({ to: ['ben', 'cay'], delivered: 1 });
    expect(await until(ben, 'message')).toMatchObject({ from: 'ada', to: null, payload: 'hello' });
    expect(await until(ben, 'message')).toMatchObject({ to: 'ben', payload: { text: 'only you' } });
    ada.leave();
    ben.leave();
  });

  it('matches each ack and each error to its message, in order', async () => {
    const { join } = await aRoom();
    const ada = await join('ada');
    const ben = await join('ben');
    const outcomes = await Promise.allSettled([ada.say(1), ada.to([], 2), ada.to('nobody', 3), ada.say(4)]);
    expect(
      outcomes.map((one) => (one.status === 'fulfilled' ? (one.value as AckFrame).delivered : one.reason.code)),
    ).toEqual([1, 'bad_request', 0, 1]);
    expect((await refused(ada.say('x'.repeat(65_536)))).code).toBe('too_large');
    ada.leave();
    expect((await refused(ada.say('gone'))).code).toBe('offline');
    ben.leave();
  });

  it('rejoins after the connection is cut and yields the gap before ready', async () => {
    const { join, sockets } = await aRoom();
    const ada = await join('ada');
    const ben = await join('ben');
    await until(ada, 'ready');
    const unheard = ada.say('perhaps');
    sockets[0]?.terminate();
    expect((await refused(unheard)).message).toMatch(/delivery is unknown/);
    expect((await refused(ada.say('not now'))).code).toBe('offline');
    const gap = await until<GapFrame>(ada, 'gap');
    expect(gap.missed).toBeNull();
    expect(gap.until).toBeGreaterThanOrEqual(gap.since);
    expect(await until(ada, 'ready')).toMatchObject({ you: 'ada' });
    expect((await ada.say('back')).delivered).toBe(1);
    ada.leave();
    ben.leave();
  });

  it('needs the token of a private cluster, and puts it in no URL where a header can be sent', async () => {
    const { join, cluster, sockets, daemon } = await aRoom('private');
    expect(await refused(join('ada'))).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(await refused(join('', tokenIn(cluster)))).toMatchObject({ status: 400, code: 'bad_request' });
    const ada = await join('ada', tokenIn(cluster));
    expect(sockets.map(({ url }) => url).filter((url) => url.includes(cluster.token))).toEqual([]);
    const asGlobal = globalThis as { WebSocket?: unknown };
    const before = asGlobal.WebSocket;
    asGlobal.WebSocket = daemon.WebSocket;
    try {
      const ben = await Wall.join(daemon, { cluster: cluster.id, agent: 'ben', token: cluster.token });
      expect(sockets.at(-1)?.url).toContain(cluster.token);
      ben.leave();
    } finally {
      asGlobal.WebSocket = before;
    }
    ada.leave();
  });

  it('rejects with the reason of a refusal, whatever it is', async () => {
    const { app, cluster, daemon } = await aRoom();
    const atLocalhost = { ...daemon, address: app.address.replace('127.0.0.1', 'localhost') };
    const member = { cluster: cluster.id, agent: 'ada' };
    expect(await refused(Wall.join(atLocalhost, member))).toMatchObject({ status: 421, code: 'wrong_host' });
    const below = { ...daemon, address: `${app.address}/below` };
    expect(await refused(Wall.join(below, member))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('rejects at once with a WebSocket that fires no close for a refusal', async () => {
    const { app, cluster } = await aRoom('private');
    const joining = Wall.join(
      { address: app.address, WebSocket: FailingSocket },
      { cluster: cluster.id, agent: 'ada', token: 'ck_wrong' },
    );
    expect(await refused(joining)).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('ends when the cluster is deleted, and the reader gets the error', async () => {
    const { app, cluster, join } = await aRoom();
    const ada = await join('ada');
    const reading = until(ada, 'never');
    await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin });
    await expect(reading).rejects.toMatchObject({ code: 'deleted' });
    expect((await refused(ada.say('anyone?'))).code).toBe('offline');
  });

  it('ends without error on leave, with the reason on abort, and rejects without a daemon', async () => {
    const { app, daemon, cluster, join } = await aRoom();
    const ada = await join('ada');
    ada.leave();
    const kinds: string[] = [];
    for await (const { kind } of ada) kinds.push(kind);
    expect(kinds).toEqual(['ready']);
    const leaving = new AbortController();
    const ben = await Wall.join(daemon, { cluster: cluster.id, agent: 'ben' }, { signal: leaving.signal });
    leaving.abort(new Error('enough'));
    await expect(until(ben, 'never')).rejects.toThrow('enough');
    await app.stop();
    expect(await refused(join('cay'))).toMatchObject({ status: 0, code: 'offline' });
  });
});
