import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AckFrame, MessageFrame, WallFrame } from '../../contract/wall.js';
import { type ClustersApp, clustersApp, type OwnCluster, readyOf, say, type WallClient } from '../../testing/clusters-app.js';

async function three(body: Parameters<ClustersApp['aCluster']>[0] = { visibility: 'public' }) {
  const app = await clustersApp();
  const cluster = await app.aCluster(body);
  const ada = await app.join(cluster, 'ada');
  const ben = await app.join(cluster, 'ben');
  const cay = await app.join(cluster, 'cay');
  await ada.until(isOnline('cay'));
  await ben.until(isOnline('cay'));
  return { app, cluster, ada, ben, cay };
}

const isOnline = (agent: string) => (frame: WallFrame) => frame.kind === 'presence' && frame.agent === agent && frame.status === 'online';
const isOffline = (agent: string) => (frame: WallFrame) => frame.kind === 'presence' && frame.agent === agent && frame.status === 'offline';
const message = async (client: WallClient) => (await client.until(({ kind }) => kind === 'message')) as MessageFrame;
const ack = async (client: WallClient) => (await client.until(({ kind }) => kind === 'ack')) as AckFrame;
const messagesOf = (client: WallClient) => client.frames.filter((frame): frame is MessageFrame => frame.kind === 'message');
const seconds = (app: ClustersApp) => Math.floor(app.clock.now() / 1000);

/** Resolves when the socket was pinged and has answered. */
const nextPing = (client: WallClient) => new Promise<void>((resolve) => client.socket.once('ping', () => setImmediate(resolve)));

/** Nothing that was sent before is on its way to `client` any more. */
async function settled(from: WallClient, ...clients: WallClient[]): Promise<void> {
  const mark = `mark ${Math.random()}`;
  say(from, { payload: mark });
  for (const client of clients) await client.until((frame) => frame.kind === 'message' && frame.payload === mark);
}

describe('server to client', () => {
  it('ready: the first frame, a roster snapshot with you in it', async () => {
    const { app, cluster, ada } = await three();
    expect(readyOf(ada)).toEqual({ kind: 'ready', you: 'ada', you_did: null, public: true, owner: false, online: ['ada'] });
    const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const dot = await app.join(cluster, 'dot', { did });
    expect(readyOf(dot)).toEqual({
      kind: 'ready',
      you: 'dot',
      you_did: did,
      public: true,
      owner: false,
      online: ['ada', 'ben', 'cay', 'dot'],
    });
  });

  it('presence: a peer connected or left', async () => {
    const { app, cluster, ada } = await three();
    const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const dot = await app.join(cluster, 'dot', { did });
    expect(await ada.next()).toEqual({ kind: 'presence', agent: 'dot', did, status: 'online' });
    dot.socket.close();
    expect(await ada.next()).toEqual({ kind: 'presence', agent: 'dot', did, status: 'offline' });
  });

  it('message: a broadcast is to null, without from_did', async () => {
    const { app, ada, ben } = await three();
    say(ada, { payload: { type: 'offer', items: [1, 2] } });
    expect(await ben.next()).toEqual({
      kind: 'message',
      from: 'ada',
      to: null,
      ts: seconds(app),
      payload: { type: 'offer', items: [1, 2] },
    });
  });

  it('message: a direct one is to its recipient, with from_did', async () => {
    const { app, cluster, ben } = await three();
    const dot = await app.join(cluster, 'dot', { did: 'did:key:z6Mk' });
    await ben.until(isOnline('dot'));
    say(dot, { to: 'ben', payload: 'psst' });
    expect(await ben.next()).toEqual({
      kind: 'message',
      from: 'dot',
      from_did: 'did:key:z6Mk',
      to: 'ben',
      ts: seconds(app),
      payload: 'psst',
    });
  });

  it('ack: reply to your own send; 0 means that the peer was not connected', async () => {
    const { ada } = await three();
    say(ada, 'hello');
    expect(await ada.next()).toEqual({ kind: 'ack', to: null, delivered: 2 });
    say(ada, { to: 'ben', payload: 1 });
    expect(await ada.next()).toEqual({ kind: 'ack', to: 'ben', delivered: 1 });
    say(ada, { to: 'nobody', payload: 1 });
    expect(await ada.next()).toEqual({ kind: 'ack', to: 'nobody', delivered: 0 });
    say(ada, { to: ['ben', 'nobody', 'cay', 'ben'], payload: 1 });
    expect(await ada.next()).toEqual({ kind: 'ack', to: ['ben', 'nobody', 'cay', 'ben'], delivered: 2 });
  });

  it('closed: the cluster is deleted, the socket closes right after with 4000', async () => {
    const { app, cluster, ada, ben } = await three();
    expect((await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin })).status).toBe(200);
    for (const client of [ada, ben]) {
      expect(await client.next()).toEqual({ kind: 'closed', reason: expect.any(String) });
      expect((await client.closed).code).toBe(4000);
      expect(client.frames.at(-1)?.kind).toBe('closed');
    }
    expect(app.rooms.sockets).toBe(0);
  });

  it('error: free-text detail', async () => {
    const { ada } = await three();
    say(ada, '{"to":"ben"}');
    expect(await ada.next()).toEqual({ kind: 'error', detail: expect.stringContaining('payload') });
  });

  it.each(['post_created', 'post_deleted', 'board_created', 'board_deleted'] as const)('board: %s', async (event) => {
    const { app, cluster, ada } = await three();
    const admin = { 'x-cluster-token': cluster.admin };
    const board = await app.aBoard(cluster, 'jobs');
    const post = await app.aPost(cluster, 'jobs', { title: 'A lamp' });
    await app.call('DELETE', `/v1/clusters/${cluster.id}/boards/jobs/posts/${post.id}?agent=poster`);
    await app.call('DELETE', `/v1/clusters/${cluster.id}/boards/jobs`, undefined, admin);
    const frame = await ada.until((one) => one.kind === 'board' && one.event === event);
    expect(frame).toMatchObject({
      kind: 'board',
      event,
      board: board.id,
      slug: 'jobs',
      ...(event.startsWith('post') ? { post: post.id } : {}),
    });
  });
});

describe('client to server', () => {
  it('a bare text string is broadcast to all connected but the sending socket', async () => {
    const { ada, ben, cay } = await three();
    say(ada, 'Is the harbour open?');
    for (const client of [ben, cay])
      expect(await message(client)).toMatchObject({ from: 'ada', to: null, payload: 'Is the harbour open?' });
    await settled(ben, ada);
    expect(messagesOf(ada).map(({ from }) => from)).toEqual(['ben']);
  });

  it.each<[string, string, unknown]>([
    ['a text in quotes', '"quoted"', '"quoted"'],
    ['a number', '42', '42'],
    ['a list', '[1, 2]', '[1, 2]'],
    ['words in brackets', '[note] fog', '[note] fog'],
    ['emoji and escapes', 'fog \u{1f32b} "\\n" \u0007', 'fog \u{1f32b} "\\n" \u0007'],
    ['an object with neither payload nor to', '{"type":"offer","text":"x"}', { type: 'offer', text: 'x' }],
    ['a payload of null', '{"payload":null}', null],
    ['a payload of false', '{"payload":false}', false],
    ['a payload that is a list', '{"payload":[{"to":"x"}]}', [{ to: 'x' }]],
  ])('%s is broadcast word for word', async (_name, frame, payload) => {
    const { ada, ben } = await three();
    say(ada, frame);
    expect((await message(ben)).payload).toEqual(payload);
  });

  it('a payload is passed on untouched: long numbers, repeated keys, escapes, a stream’s pieces', async () => {
    const { ada, ben } = await three();
    const texts: string[] = [];
    ben.socket.on('message', (data) => texts.push(String(data)));
    const payload =
      '{ "type":"message", "stream":"s-1","seq":0,"delta":"\\u0041 \\ud83d #jobs","n":12345678901234567890.10,"n":1e400,"done":true }';
    say(ada, `{"payload": ${payload} }`);
    await message(ben);
    expect(texts[0]).toContain(`"payload":${payload}`);
  });

  it('{to: handle} reaches that handle only', async () => {
    const { ada, ben, cay } = await three();
    say(ada, { to: 'ben', payload: 'secret' });
    expect(await message(ben)).toMatchObject({ to: 'ben', payload: 'secret' });
    await settled(ada, ben, cay);
    expect(messagesOf(cay)).toHaveLength(1);
  });

  it('{to: [handles]} reaches each of them once, told of itself only', async () => {
    const { app, cluster, ada, ben, cay } = await three();
    const dot = await app.join(cluster, 'dot');
    await ada.until(isOnline('dot'));
    say(ada, { to: ['ben', 'cay', 'ben', 'gone'], payload: 7 });
    await settled(ada, ben, cay, dot);
    expect(messagesOf(ben).map(({ to, payload }) => [to, payload])).toEqual([
      ['ben', 7],
      [null, expect.any(String)],
    ]);
    expect(messagesOf(cay).map(({ to, payload }) => [to, payload])).toEqual([
      ['cay', 7],
      [null, expect.any(String)],
    ]);
    expect(messagesOf(dot)).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['an empty list of recipients', '{"to":[],"payload":"x"}'],
    ['to null', '{"to":null,"payload":"x"}'],
    ['to a number', '{"to":7,"payload":"x"}'],
    ['to an empty handle', '{"to":"","payload":"x"}'],
    ['a list with something that is no handle', '{"to":["ben",7],"payload":"x"}'],
    ['a thousand and one recipients', JSON.stringify({ to: Array.from({ length: 1001 }, (_, i) => `a${i}`), payload: 'x' })],
    ['to without a payload', '{"to":"ben"}'],
    ['a mistyped to', '{"too":"ben","payload":"x"}'],
    ['an object that breaks off', '{"to":"ben","payload":"x"'],
    ['an object with words behind it', '{"payload":"x"} and more'],
    ['a space before what is none', ' \u00a0{"payload":"x"}'],
    ['33 levels', `{"payload":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['an empty frame', ''],
    ['a text that grows beyond the limit as JSON', '\u0001'.repeat(20_000)],
  ])('%s: an error frame, never a broadcast, and the socket goes on', async (_name, frame) => {
    const { ada, ben, cay } = await three();
    say(ada, frame);
    expect(await ada.next()).toEqual({ kind: 'error', detail: expect.stringMatching(/.{20}/) });
    await settled(ada, ben, cay);
    for (const client of [ben, cay]) expect(messagesOf(client)).toHaveLength(1);
  });

  it('from is what the query said, whatever the payload claims', async () => {
    const { ada, ben } = await three();
    say(ada, { payload: { from: 'ben', kind: 'closed' } });
    expect(await message(ben)).toMatchObject({ kind: 'message', from: 'ada', payload: { from: 'ben', kind: 'closed' } });
  });

  it('in order, whatever is between: broadcasts, directs, acks', async () => {
    const { ada, ben, cay } = await three();
    for (let n = 0; n < 60; n += 1) {
      say(ada, n % 3 === 0 ? { to: 'ben', payload: n } : { payload: n });
      if (n % 7 === 0) say(cay, { payload: `c${n}` });
    }
    const numbers: unknown[] = [];
    while (numbers.length < 60) {
      const { from, payload } = await message(ben);
      if (from === 'ada') numbers.push(payload);
    }
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, n) => n));
    for (let n = 0; n < 60; n += 1) expect((await ack(ada)).to).toBe(n % 3 === 0 ? 'ben' : null);
  });
});

describe('a handle with several sockets', () => {
  it('is online with the first and offline with the last', async () => {
    const { app, cluster, ada } = await three();
    const one = await app.join(cluster, 'dot');
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'online' });
    const two = await app.join(cluster, 'dot');
    one.socket.close();
    await one.closed;
    expect(readyOf(two).online).toEqual(['ada', 'ben', 'cay', 'dot']);
    two.socket.close();
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'offline' });
  });

  it('gets messages on all of them, and delivered counts the handle', async () => {
    const { app, cluster, ada } = await three();
    const [one, two] = [await app.join(cluster, 'dot'), await app.join(cluster, 'dot')];
    say(ada, { to: 'dot', payload: 1 });
    expect((await ack(ada)).delivered).toBe(1);
    for (const client of [one, two]) expect(await message(client)).toMatchObject({ payload: 1 });
    say(ada, 'all');
    expect((await ack(ada)).delivered).toBe(3);
  });

  it('hears itself on its other sockets only', async () => {
    const { app, cluster, ada, ben } = await three();
    const other = await app.join(cluster, 'ada');
    say(ada, 'to all');
    expect((await ack(ada)).delivered).toBe(2);
    expect(await message(other)).toMatchObject({ payload: 'to all' });
    say(ada, { to: 'ada', payload: 'to me' });
    expect((await ack(ada)).delivered).toBe(0);
    expect(await message(other)).toMatchObject({ to: 'ada', payload: 'to me' });
    await settled(ben, ada);
    expect(messagesOf(ada)).toHaveLength(1);
  });
});

describe('member visibility', () => {
  it('public: peers see the handle, it is counted and announced, external surfaces show it', async () => {
    const { app, cluster, ada } = await three();
    const record = (await app.call('GET', `/v1/clusters/${cluster.id}`)).body as { cluster: { online: number } };
    expect(record.cluster.online).toBe(3);
    expect(app.rooms.shown(cluster.id)).toEqual(['ada', 'ben', 'cay']);
    await app.join(cluster, 'dot', { vis: 'public' });
    expect(await ada.next()).toMatchObject({ kind: 'presence', agent: 'dot' });
  });

  it('private: as public among peers, masked on external surfaces, the same for as long as the connection', async () => {
    const { app, cluster, ada } = await three();
    const dot = await app.join(cluster, 'dot', { vis: 'private' });
    const eve = await app.join(cluster, 'eve', { vis: 'private' });
    expect(await ada.next()).toMatchObject({ kind: 'presence', agent: 'dot', status: 'online' });
    expect(readyOf(eve).online).toContain('dot');
    expect(app.rooms.count(cluster.id)).toBe(5);
    expect(app.rooms.shown(cluster.id)).toEqual(['ada', 'ben', 'cay', 'private-1', 'private-2']);
    dot.socket.close();
    await ada.until(isOffline('dot'));
    expect(app.rooms.shown(cluster.id)).toEqual(['ada', 'ben', 'cay', 'private-2']);
    await app.join(cluster, 'dot', { vis: 'private' });
    expect(app.rooms.shown(cluster.id)).toEqual(['ada', 'ben', 'cay', 'private-2', 'private-3']);
  });

  it('ghost: not seen, counted, announced or shown; reads and sends all the same', async () => {
    const { app, cluster, ada, ben } = await three();
    const ghost = await app.join(cluster, 'ghost', { vis: 'ghost' });
    expect(readyOf(ghost)).toMatchObject({ you: 'ghost', online: ['ada', 'ben', 'cay'] });
    say(ada, 'boo');
    expect(await ada.next()).toEqual({ kind: 'ack', to: null, delivered: 2 });
    expect(await message(ghost)).toMatchObject({ from: 'ada', payload: 'boo' });
    say(ada, { to: 'ghost', payload: 'I know' });
    expect(await ada.next()).toEqual({ kind: 'ack', to: 'ghost', delivered: 0 });
    expect(await message(ghost)).toMatchObject({ to: 'ghost', payload: 'I know' });
    say(ghost, 'hello');
    expect(await ghost.next()).toEqual({ kind: 'ack', to: null, delivered: 3 });
    expect(await message(ben)).toMatchObject({ payload: 'boo' });
    expect(await message(ben)).toMatchObject({ from: 'ghost', payload: 'hello' });
    expect(app.rooms.count(cluster.id)).toBe(3);
    expect(app.rooms.shown(cluster.id)).toEqual(['ada', 'ben', 'cay']);
    ghost.socket.close();
    await ghost.closed;
    await settled(ben, ada);
    expect(ada.frames.some((frame) => frame.kind === 'presence' && frame.agent === 'ghost')).toBe(false);
  });

  it('of a handle with a ghost and a visible socket goes with the visible one', async () => {
    const { app, cluster, ada } = await three();
    await app.join(cluster, 'dot', { vis: 'ghost' });
    const seen = await app.join(cluster, 'dot');
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'online' });
    seen.socket.close();
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'offline' });
  });
});

describe('hashtag scoping', () => {
  async function withBoards() {
    const room = await three();
    await room.app.aBoard(room.cluster, 'jobs');
    await room.app.aBoard(room.cluster, 'flats');
    const { id } = await room.app.aPost(room.cluster, 'jobs');
    const sent = async (payload: unknown) => {
      say(room.ada, { payload });
      return message(room.ben);
    };
    return { ...room, post: id, sent };
  }

  it('a board’s slug becomes board, a post’s id becomes ref; the first match of each wins', async () => {
    const { sent, post } = await withBoards();
    expect(await sent('work? #jobs')).toMatchObject({ board: 'jobs' });
    expect(await sent(`see #${post}.`)).toMatchObject({ ref: post });
    const both = await sent({ text: `#nothing #flats, then #jobs and #p_0000000000000000 #${post}!` });
    expect(both).toMatchObject({ board: 'flats', ref: post });
    expect(both.payload).toEqual({ text: `#nothing #flats, then #jobs and #p_0000000000000000 #${post}!` });
  });

  it('unmatched hashtags, addresses, code, longer words and what is no text stay plain', async () => {
    const { sent, post } = await withBoards();
    for (const payload of [
      '#nothing',
      'https://example.org/#jobs',
      'www.example.org/a#jobs',
      '`#jobs`',
      '```\n#jobs\n```',
      'a#jobs',
      '##jobs',
      '#jobsite',
      '#Jobs',
      `p #${post}0`,
      { type: 'message', stream: 's', seq: 0, delta: '#jobs' },
      { topic: '#jobs' },
      ['#jobs'],
    ]) {
      const frame = await sent(payload);
      expect([payload, frame.board, frame.ref]).toEqual([payload, undefined, undefined]);
    }
  });

  it('does nothing on a cluster with boards disabled, nor with another cluster’s boards', async () => {
    const { app, cluster, sent, post } = await withBoards();
    await app.call('PATCH', `/v1/clusters/${cluster.id}`, { boards_enabled: false }, { 'x-cluster-token': cluster.admin });
    const off = await sent(`#jobs #${post}`);
    expect([off.board, off.ref]).toEqual([undefined, undefined]);
    const other = await app.aCluster({ visibility: 'public' });
    await app.aBoard(other, 'cats');
    const [dot, eve] = [await app.join(other, 'dot'), await app.join(other, 'eve')];
    say(dot, `#jobs #cats #${post}`);
    const frame = await message(eve);
    expect([frame.board, frame.ref]).toEqual(['cats', undefined]);
  });

  it('scopes direct messages too', async () => {
    const { ada, ben } = await withBoards();
    say(ada, { to: 'ben', payload: 'about #flats' });
    expect(await message(ben)).toMatchObject({ to: 'ben', board: 'flats' });
  });
});

describe('limits', () => {
  const FULL = (extra: number) => `{"payload":"${'x'.repeat(65_536 - 14 + extra)}"}`;

  it('a frame of 65,536 bytes passes, one more closes with 1009 and peers go on', async () => {
    const { ada, ben, cay } = await three();
    say(ada, FULL(0));
    expect(String((await message(ben)).payload)).toHaveLength(65_522);
    say(ada, FULL(1));
    expect((await ada.closed).code).toBe(1009);
    await ben.until(isOffline('ada'));
    say(ben, 'still here');
    await cay.until((frame) => frame.kind === 'message' && frame.payload === 'still here');
  });

  it('more than 200 frames a second beyond a burst of 400: one error frame, then 1008', async () => {
    const { app, ada, ben } = await three();
    for (let n = 0; n < 400; n += 1) say(ada, { to: 'nobody', payload: n });
    for (let n = 0; n < 400; n += 1) expect((await ada.next()).kind).toBe('ack');
    app.clock.advance(100);
    for (let n = 0; n < 30; n += 1) say(ada, { to: 'nobody', payload: n });
    for (let n = 0; n < 20; n += 1) expect((await ada.next()).kind).toBe('ack');
    expect(await ada.next()).toEqual({ kind: 'error', detail: expect.stringContaining('200 frames') });
    await ben.until(isOffline('ada'));
    app.clock.advance(1_000);
    expect((await ada.closed).code).toBe(1008);
    expect(ada.frames.filter(({ kind }) => kind === 'error')).toHaveLength(1);
  });

  it('more than 1 MiB a second: one error frame, then 1008', async () => {
    const { app, ada, ben } = await three();
    const big = { to: 'nobody', payload: 'x'.repeat(60_000) };
    for (let n = 0; n < 18; n += 1) say(ada, big);
    await ada.until(({ kind }) => kind === 'error');
    await ben.until(isOffline('ada'));
    app.clock.advance(1_000);
    expect((await ada.closed).code).toBe(1008);
  });

  it('pings count as frames', async () => {
    const { app, ada, ben } = await three();
    for (let round = 0; round < 8; round += 1) {
      const last = new Promise<void>((resolve) => {
        ada.socket.on('pong', (data) => (String(data) === `${round} 49` ? resolve() : undefined));
      });
      for (let n = 0; n < 50; n += 1) ada.socket.ping(`${round} ${n}`);
      await last;
    }
    ada.socket.ping('one more');
    expect(await ada.next()).toMatchObject({ kind: 'error' });
    await ben.until(isOffline('ada'));
    app.clock.advance(1_000);
    expect((await ada.closed).code).toBe(1008);
  });

  it('a binary frame closes with 1003', async () => {
    const { ada } = await three();
    ada.socket.send(Buffer.from('{"payload":1}'), { binary: true });
    expect(await ada.next()).toMatchObject({ kind: 'error' });
    expect((await ada.closed).code).toBe(1003);
  });

  it('a reader whose queue passes 1 MiB is cut, its handle goes offline, nobody else waits, and no ack counts it', async () => {
    const { app, cluster, ada, ben, cay } = await three();
    cay.socket.pause();
    const frame = { payload: 'x'.repeat(64_000) };
    const acks: number[] = [];
    let heard = 0;
    while (acks.at(-1) !== 1) {
      app.clock.advance(100);
      say(ada, frame);
      acks.push((await ack(ada)).delivered);
      heard += (await message(ben)) ? 1 : 0;
    }
    expect(heard).toBe(acks.length);
    expect(acks.slice(0, -1).every((delivered) => delivered === 2)).toBe(true);
    await ben.until(isOffline('cay'));
    expect(app.rooms.count(cluster.id)).toBe(2);
    app.clock.advance(1_000);
    cay.socket.resume();
    expect([4408, 1006]).toContain((await cay.closed).code);
  });

  it('a reader that stands still for ten seconds is cut', async () => {
    const { app, ada, ben, cay } = await three();
    cay.socket.pause();
    const frame = { to: 'cay', payload: 'x'.repeat(60_000) };
    // What the system buffers does not stand still in the daemon: fill that first.
    while (app.rooms.queuedBytes === 0) {
      app.clock.advance(100);
      say(ada, frame);
      expect((await ack(ada)).delivered).toBe(1);
    }
    app.clock.advance(12_000);
    await ben.until(isOffline('cay'));
    say(ada, frame);
    expect((await ack(ada)).delivered).toBe(0);
  });
});

describe('keepalive', () => {
  it('answers pings by itself', async () => {
    const { ada } = await three();
    const ponged = new Promise((resolve) => ada.socket.once('pong', (data) => resolve(String(data))));
    ada.socket.ping('are you there');
    expect(await ponged).toBe('are you there');
  });

  it('pings every 25 s; who answers stays', async () => {
    const { app, cluster, ada, ben, cay } = await three();
    for (let round = 0; round < 4; round += 1) {
      const pinged = [ada, ben, cay].map((client) => nextPing(client));
      app.clock.advance(25_000);
      await Promise.all(pinged);
      // What a client says after its pong is heard after it.
      for (const client of [ada, ben, cay]) {
        say(client, { to: 'nobody', payload: round });
        await ack(client);
      }
      expect(app.rooms.count(cluster.id)).toBe(3);
    }
  });

  it('two missed and the presence is offline', async () => {
    const { app, cluster, ada, ben, cay } = await three();
    const dot = new WebSocket(app.socketAddress(cluster, { agent: 'dot' }), { autoPong: false });
    await ada.until(isOnline('dot'));
    const alive = async () => {
      for (const client of [ada, ben, cay]) {
        say(client, { to: 'nobody', payload: 1 });
        await ack(client);
      }
    };
    const pings: Promise<void>[] = [];
    for (const ms of [5_000, 25_000]) {
      pings.push(nextPing({ socket: dot } as WallClient));
      app.clock.advance(ms);
      await alive();
    }
    expect(app.rooms.count(cluster.id)).toBe(4);
    await Promise.all(pings);
    app.clock.advance(10_000);
    await ada.until(isOffline('dot'));
    dot.terminate();
    expect(app.rooms.count(cluster.id)).toBe(3);
  });
});

describe('what the Wall leaves behind', () => {
  it('no history is replayed, nothing is stored, nothing is logged', async () => {
    const { app, cluster, ada, ben, cay } = await three({});
    const canary = 'canary-4711-of-the-harbour';
    say(ada, canary);
    say(ada, { to: 'ben', payload: { text: canary } });
    say(ada, `{"to":"ben","payload":"${canary}"`);
    await message(ben);
    await message(ben);
    await settled(ada, cay);
    const late = await app.join(cluster, 'dot');
    await settled(ada, late);
    expect(messagesOf(late)).toHaveLength(1);
    const tables = app.database.sql(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`).all() as {
      name: string;
    }[];
    for (const { name } of tables) {
      let rows = '';
      try {
        rows = JSON.stringify(app.database.sql(`SELECT * FROM "${name}"`).all());
      } catch {
        // A virtual table's own shadow, which cannot be read.
      }
      expect(rows).not.toContain(canary);
    }
    expect(app.log.join('\n')).not.toContain(canary);
    expect(app.log.join('\n')).not.toContain(cluster.token);
    expect(JSON.stringify(app.events)).not.toContain(canary);
    const history = await app.call('GET', `/v1/clusters/${cluster.id}/history`, undefined, { 'x-cluster-token': cluster.token });
    expect(history.text).not.toContain(canary);
  });

  it('clusters are isolated: the same handles elsewhere hear nothing', async () => {
    const { app, ada, ben } = await three();
    const elsewhere: OwnCluster = await app.aCluster({ visibility: 'public' });
    const other = await app.join(elsewhere, 'ben');
    say(ada, 'here');
    say(ada, { to: 'ben', payload: 'you' });
    await settled(ada, ben);
    say(await app.join(elsewhere, 'ada'), 'there');
    expect(await message(other)).toMatchObject({ payload: 'there' });
    expect(messagesOf(other)).toHaveLength(1);
  });

  it('a daemon that stops closes with 1001', async () => {
    const { app, ada } = await three();
    await app.stop();
    expect((await ada.closed).code).toBe(1001);
  });
});
