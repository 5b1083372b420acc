import { describe, expect, it } from 'vitest';
import { clustersApp, getReadyFrame, sendFrame } from '../../testing/apps/clusters-app.js';
import { isOnline, listMessages, nextMessage, settled, threeMembers } from '../../testing/apps/wall-talk.js';
import { rawRequest } from '../../testing/processes/raw-request.js';

describe('Wall service', () => {
  it('never announces or lists a private cluster or its members on a public surface', async () => {
    const app = await clustersApp();
    const hidden = await app.aCluster({ name: 'Secret harbour', topic: '#secret' });
    const open = await app.aCluster({ name: 'Open harbour', visibility: 'public' });
    const listener = await app.join(open, 'listener');
    const zoe = await app.join(hidden, 'zoe-of-the-harbour', { vis: 'public' });
    await app.aBoard(hidden, 'jobs');
    await app.aPost(hidden, 'jobs', {
      title: 'A secret lamp',
      props: { where: { lat: 1, lon: 2, label: 'Secret pier' } },
    });
    sendFrame(zoe, 'A secret word.');
    await zoe.until(({ kind }) => kind === 'ack');

    const surfaces = [
      '/v1/clusters',
      '/v1/clusters/secret-harbour',
      `/v1/clusters/${hidden.id}`,
      '/map',
      '/clusters/secret-harbour',
    ];
    for (const path of [...surfaces, `/monitor?id=${hidden.id}&vis=public`, `/v1/clusters/${hidden.id}/boards`]) {
      const { text } = await app.call('GET', path);
      expect([
        path,
        /secret (harbour|lamp|pier|word)|zoe|#secret/i.exec(text.replaceAll('secret-harbour', '')),
      ]).toEqual([path, null]);
    }
    const peer = await app.join(open, 'ada');
    await settled(peer, listener);
    expect(listener.frames.every((frame) => !/secret|zoe/i.test(JSON.stringify(frame)))).toBe(true);
  });

  it('lets anyone join a public cluster with the cluster_id alone', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    expect(app.socketAddress(cluster, { agent: 'ada' })).not.toContain('token');
    expect(getReadyFrame(await app.join(cluster, 'ada'))).toMatchObject({ public: true, owner: false });
  });

  it('responds 400 to an invalid handshake immediately and joins nobody', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    const { port, pathname, search } = new URL(app.socketAddress(cluster, { agent: 'ada' }));
    const reply = await rawRequest(Number(port), [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: short',
    ]);
    expect(reply.status).toBe(400);
    expect(app.hub.count(cluster.id)).toBe(0);
  });

  it.each(['public', 'private'] as const)('responds 426 to a plain GET of the Wall: %s', async (visibility) => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility });
    const { pathname, search } = new URL(app.socketAddress(cluster, { agent: 'ada' }));
    expect(await app.call('GET', `${pathname}${search}`)).toMatchObject({
      status: 426,
      body: { error: 'upgrade_required', message: expect.any(String) },
    });
    expect(app.hub.count(cluster.id)).toBe(0);
  });

  it('offers the Wall over the WebSocket only, with no HTTP endpoint to send, join or list members', async () => {
    const { app, cluster, ben } = await threeMembers();
    for (const name of [
      'messages',
      'message',
      'send',
      'say',
      'wall',
      'members',
      'online',
      'presence',
      'join',
      'leave',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : { payload: 'hello' };
        const reply = await app.call(method, `/v1/clusters/${cluster.id}/${name}?agent=eve`, body, {
          'x-cluster-token': cluster.admin,
        });
        expect([method, name, reply.status]).toEqual([method, name, 404]);
      }
    }
    expect(listMessages(ben)).toEqual([]);
  });

  it('accepts self-asserted identities: duplicate handles, and any did:key, which is forwarded unverified', async () => {
    const { app, cluster, ada } = await threeMembers();
    const did = 'did:key:zNobodyHoldsThisKey';
    const first = await app.join(cluster, 'eve', { did });
    const second = await app.join(cluster, 'mallory', { did });
    expect([getReadyFrame(first).you_did, getReadyFrame(second).you_did]).toEqual([did, did]);
    expect(await ada.until(isOnline('eve'))).toMatchObject({ did });
    expect(await ada.until(isOnline('mallory'))).toMatchObject({ did });
    const third = await app.join(cluster, 'ada', { did });
    sendFrame(third, { to: 'ben', payload: 'It is me.' });
    expect((await third.until(({ kind }) => kind === 'ack')).kind).toBe('ack');
    expect(getReadyFrame(third)).toMatchObject({ you: 'ada', you_did: did });
  });

  it("provides the rules as data: the card, the cluster's props, each board's charter and props", async () => {
    const { app, cluster, ada } = await threeMembers();
    const props = { lang: 'de', limits: { post_max_chars: 280 } };
    await app.aBoard(cluster, 'jobs');
    await app.call('PATCH', `/v1/clusters/${cluster.id}`, { props }, { 'x-cluster-token': cluster.admin });
    expect(getReadyFrame(ada).kind).toBe('ready');
    expect((await app.call('GET', `/v1/clusters/${cluster.id}`)).body).toMatchObject({
      cluster: { id: cluster.id, props },
    });
    expect((await app.call('GET', `/v1/clusters/${cluster.id}/boards`)).body).toMatchObject({
      boards: [{ slug: 'jobs', about: 'All about jobs.', props: null }],
      cluster_props: props,
    });
  });

  it('serves all cluster paths under /v1', async () => {
    const app = await clustersApp();
    const { id, admin } = await app.aCluster({ visibility: 'public' });
    for (const [method, path, body] of [
      ['POST', '/clusters', {}],
      ['GET', '/clusters', undefined],
      ['DELETE', `/clusters/${id}`, undefined],
      ['PATCH', `/clusters/${id}`, { boards_enabled: true }],
      ['GET', `/clusters/${id}/boards`, undefined],
      ['GET', `/clusters/${id}/ws?agent=ada`, undefined],
    ] as const) {
      expect([method, path, (await app.call(method, path, body, { 'x-cluster-token': admin })).status]).toEqual([
        method,
        path,
        404,
      ]);
    }
  });
});

describe('Wall message payload', () => {
  it('forwards an object with text and media unchanged and scopes its text', async () => {
    const { app, cluster, ada, ben } = await threeMembers();
    await app.aBoard(cluster, 'jobs');
    const media = [
      { mime: 'image/png', url: 'https://example.org/lamp.png' },
      { mime: 'text/plain', b64: 'QSBsYW1w' },
    ];
    for (const payload of [{ text: 'A lamp for #jobs', media }, { media }, { text: 'A lamp for #jobs' }]) {
      sendFrame(ada, { payload });
      expect(await nextMessage(ben)).toMatchObject({ payload, ...('text' in payload && { board: 'jobs' }) });
    }
  });

  it('delivers the pieces of a stream completely and in seq order, interleaved with other senders and streams', async () => {
    const { ada, ben, cay } = await threeMembers();
    for (let seq = 0; seq < 20; seq += 1) {
      for (const [sender, stream] of [
        [ada, 's-1'],
        [ada, 's-2'],
        [cay, 's-1'],
      ] as const) {
        sendFrame(sender, {
          payload: { type: 'message', stream, seq, delta: `${stream} ${seq} `, ...(seq === 19 && { done: true }) },
        });
      }
    }
    await settled(ada, ben);
    await settled(cay, ben);
    for (const [from, stream] of [
      ['ada', 's-1'],
      ['ada', 's-2'],
      ['cay', 's-1'],
    ]) {
      const pieces = listMessages(ben)
        .filter((frame) => frame.from === from)
        .map(({ payload }) => payload as { stream?: string; seq: number; done?: boolean })
        .filter((payload) => payload.stream === stream);
      expect(pieces.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, seq) => seq));
      expect(pieces.map(({ done }) => done === true).indexOf(true)).toBe(19);
    }
  });

  it('accepts 32 levels of nesting', async () => {
    const { ada, ben } = await threeMembers();
    const frame = `{"payload":${'['.repeat(31)}${']'.repeat(31)}}`;
    sendFrame(ada, frame);
    expect((await nextMessage(ben)).payload).toEqual((JSON.parse(frame) as { payload: unknown }).payload);
  });
});

describe('Presence and keepalive', () => {
  it('need no heartbeat messages', async () => {
    const { app, ada, ben } = await threeMembers();
    const before = ada.frames.length;
    for (let second = 0; second < 24; second += 1) app.clock.advance(1_000);
    sendFrame(ben, 'a sign of life');
    await nextMessage(ada);
    expect(ada.frames.slice(before).map(({ kind }) => kind)).toEqual(['message']);
  });
});
