import { ClusterClient } from './cluster-client.js';
import { expectRefusedUpgrade, FrameSocket } from './frame-socket.js';
import { HttpClient } from './http-client.js';
import { absent, epochSeconds, expectLike, holding, refusal, type Scenario, text } from './scenario.js';

/** A public cluster with two members that have seen each other. */
async function room(url: string) {
  const cluster = await ClusterClient.create(url, { visibility: 'public' });
  const lamp = await cluster.enter('lamp');
  const horn = await cluster.enter('horn');
  await lamp.next({ kind: 'presence', agent: 'horn', status: 'online' });
  return { cluster, lamp, horn };
}

export const WALL: readonly Scenario[] = [
  {
    title: 'The first frame is ready {you, you_did, public, owner, online}, with did null when it was left out',
    async check({ url }) {
      const cluster = await ClusterClient.create(url, { visibility: 'public' });
      const like = { kind: 'ready', you: 'lamp', you_did: null, public: true, owner: false, online: ['lamp'] };
      await (await cluster.join('lamp')).next(like);
      await (await cluster.join('horn')).next({ you: 'horn', online: holding('lamp', 'horn') });
    },
  },
  {
    title: 'A private socket needs the token; a wrong or absent one never opens it (401), as of an unknown cluster',
    async check({ url }) {
      const cluster = await ClusterClient.create(url);
      await (await cluster.join('lamp')).next({ kind: 'ready', public: false, owner: false });
      for (const path of [cluster.path, `/v1/clusters/c_${'0'.repeat(20)}`])
        for (const query of ['', `&token=ck_${'a'.repeat(43)}`])
          await expectRefusedUpgrade(url, `${path}/ws?agent=lamp${query}`, 401);
    },
  },
  {
    title: 'owner is true for the ak_, and on a public cluster for its ck_; a wrong token is ignored there',
    async check({ url }) {
      const cluster = await ClusterClient.create(url, { visibility: 'public' });
      for (const [token, owner] of [
        [cluster.adminToken, true],
        [cluster.token, true],
        [`ck_${'a'.repeat(43)}`, false],
      ] as const)
        await (await cluster.join('lamp', `&token=${token}`)).next({ kind: 'ready', owner });
    },
  },
  {
    title: 'The ws address of the creation is the one to connect to',
    async check({ url }) {
      const { ws } = await new HttpClient(url).expect(201, 'POST', '/v1/clusters', { body: {} });
      const { pathname, search } = new URL(ws);
      const socket = await FrameSocket.open(url, `${pathname}${search}${search === '' ? '?' : '&'}agent=lamp`);
      await socket.next({ kind: 'ready', you: 'lamp' });
    },
  },
  {
    title: 'A plain GET of the Wall is 426 upgrade_required with the usual body',
    async check({ url }) {
      const [open, closed] = [
        await ClusterClient.create(url, { visibility: 'public' }),
        await ClusterClient.create(url),
      ];
      const http = new HttpClient(url);
      await http.expect(426, 'GET', `${open.path}/ws?agent=lamp`, {}, refusal('upgrade_required'));
      await http.expect(
        426,
        'GET',
        `${closed.path}/ws?agent=lamp&token=${closed.token}`,
        {},
        refusal('upgrade_required'),
      );
    },
  },
  {
    title: 'agent is required: 400; unknown query parameters are ignored',
    async check({ url }) {
      const cluster = await ClusterClient.create(url, { visibility: 'public' });
      await expectRefusedUpgrade(url, `${cluster.path}/ws`, 400);
      await (await cluster.join('lamp', '&v=2&client=old&ts=1')).next({ kind: 'ready' });
    },
  },
  {
    title: 'did is echoed to peers: ready.you_did, presence.did and from_did of a direct message',
    async check({ url }) {
      const cluster = await ClusterClient.create(url, { visibility: 'public' });
      const lamp = await cluster.enter('lamp');
      const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
      const horn = await cluster.join('horn', `&did=${did}`);
      await horn.next({ kind: 'ready', you_did: did });
      await lamp.next({ kind: 'presence', agent: 'horn', did, status: 'online' });
      horn.say({ to: 'lamp', payload: 'Fog.' });
      await lamp.next({ kind: 'message', from: 'horn', from_did: did, to: 'lamp' });
      horn.say({ payload: 'Fog.' });
      await lamp.next({ kind: 'message', from: 'horn', from_did: absent, to: null });
    },
  },
  {
    title: 'presence {agent, did, status} tells peers who connects and who leaves',
    async check({ url }) {
      const { cluster, lamp, horn } = await room(url);
      const second = await cluster.enter('horn');
      await second.close();
      await horn.close();
      await lamp.next({ kind: 'presence', agent: 'horn', did: null, status: 'offline' });
    },
  },
  {
    title: 'A bare text string is broadcast to all connected, and acknowledged {to, delivered}',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      lamp.say('Fog.');
      await horn.next({ kind: 'message', from: 'lamp', to: null, ts: epochSeconds, payload: 'Fog.' });
      await lamp.next({ kind: 'ack', to: null, delivered: 1 });
    },
  },
  {
    title: '{payload: <any>} is broadcast, whatever the payload is',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      for (const payload of [
        'Fog.',
        { text: 'Fog.', media: [{ mime: 'image/png', url: 'https://f.example/a' }] },
        [1],
        0,
      ]) {
        lamp.say({ payload });
        await horn.next({ kind: 'message', from: 'lamp', to: null, payload });
      }
    },
  },
  {
    title: 'Members that older clients add, such as ts, from and id, neither harm nor act',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      lamp.say({ payload: 'Fog.', ts: 1, from: 'someone', id: 7, kind: 'message' });
      await horn.next({ kind: 'message', from: 'lamp', to: null, ts: epochSeconds, payload: 'Fog.' });
      lamp.say({ to: 'horn', payload: 'Fog.', ts: 1, from: 'someone' });
      await horn.next({ kind: 'message', from: 'lamp', to: 'horn', ts: epochSeconds, payload: 'Fog.' });
    },
  },
  {
    title: 'An object with neither payload nor to is broadcast whole when it has a type, for example a stream piece',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      const piece = { type: 'message', stream: 's1', seq: 0, delta: 'Fo' };
      lamp.say(piece);
      await horn.next({ kind: 'message', from: 'lamp', payload: piece });
      lamp.say({ payload: { ...piece, seq: 1, delta: 'g.', done: true } });
      await horn.next({ kind: 'message', payload: { stream: 's1', seq: 1, done: true } });
    },
  },
  {
    title: 'Text that starts with { and is no frame is a bare message',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      for (const words of ['{ not JSON', '{"a": 1} and more', '[1, 2', '42 ships']) {
        lamp.say(words);
        await horn.next({ kind: 'message', payload: words });
      }
    },
  },
  {
    title: '{to: <handle>, payload} is direct to one handle; delivered 0 means the peer was not connected',
    async check({ url }) {
      const { cluster, lamp, horn } = await room(url);
      const bell = await cluster.enter('bell');
      lamp.say({ to: 'horn', payload: 'Fog?' });
      await lamp.find({ kind: 'ack', to: 'horn', delivered: 1 });
      await horn.find({ kind: 'message', from: 'lamp', to: 'horn', payload: 'Fog?' });
      lamp.say({ to: 'nobody', payload: 'Fog?' });
      await lamp.next({ kind: 'ack', to: 'nobody', delivered: 0 });
      lamp.say('For all.');
      await bell.next({ kind: 'message', payload: 'For all.' });
    },
  },
  {
    title: '{to: [<handle>, ...], payload} is direct to several; the ack carries to as the list',
    async check({ url }) {
      const { cluster, lamp, horn } = await room(url);
      const bell = await cluster.enter('bell');
      lamp.say({ to: ['horn', 'bell'], payload: 'Fog?' });
      for (const peer of [horn, bell]) await peer.find({ kind: 'message', from: 'lamp', payload: 'Fog?' });
      await lamp.find({ kind: 'ack', to: ['horn', 'bell'], delivered: 2 });
    },
  },
  {
    title: 'An empty array is refused and never broadcast',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      lamp.say({ to: [], payload: 'For nobody.' });
      await lamp.next({ kind: 'error', detail: text });
      lamp.say('For all.');
      await horn.next({ kind: 'message', payload: 'For all.' });
    },
  },
  {
    title: 'A broadcast goes to every socket but the sending one; delivered counts handles',
    async check({ url }) {
      const { cluster, lamp, horn } = await room(url);
      const second = await cluster.enter('horn');
      lamp.say('Fog.');
      for (const socket of [horn, second]) await socket.next({ kind: 'message', payload: 'Fog.' });
      await lamp.next({ kind: 'ack', delivered: 1 });
    },
  },
  {
    title: 'vis=ghost: not announced, not counted, absent from ready.online; it still reads and sends',
    async check({ url }) {
      const { cluster, lamp, horn } = await room(url);
      const ghost = await cluster.join('ghost', '&vis=ghost');
      await ghost.next({ kind: 'ready', you: 'ghost', online: ['lamp', 'horn'] });
      lamp.say('Fog.');
      await ghost.next({ kind: 'message', payload: 'Fog.' });
      await lamp.next({ kind: 'ack', delivered: 1 });
      ghost.say('Boo.');
      await lamp.next({ kind: 'message', from: 'ghost', payload: 'Boo.' });
      await ghost.close();
      horn.say('Gone?');
      await lamp.next({ kind: 'message', from: 'horn', payload: 'Gone?' });
      await cluster.askFor(200, 'GET', '', undefined, { cluster: { online: 2 } });
    },
  },
  {
    title: 'vis=private: peers in the room see the handle, external surfaces do not',
    async check({ url }) {
      const { cluster, lamp } = await room(url);
      const shy = await cluster.join('shyhandle', '&vis=private');
      await shy.next({ kind: 'ready', online: holding('lamp', 'shyhandle') });
      await lamp.next({ kind: 'presence', agent: 'shyhandle', status: 'online' });
      const { cluster: record } = await cluster.askFor(200, 'GET', '', undefined, { cluster: { online: 3 } });
      const page = await new HttpClient(url).send('GET', `/clusters/${record.slug}`, {
        headers: { accept: 'text/html' },
      });
      expectLike('the page', [page.status, String(page.body).includes('shyhandle')], [200, false]);
    },
  },
  {
    title: 'Another vis is a 400',
    async check({ url }) {
      const cluster = await ClusterClient.create(url, { visibility: 'public' });
      await expectRefusedUpgrade(url, `${cluster.path}/ws?agent=lamp&vis=hidden`, 400);
    },
  },
  {
    title: 'Wall traffic is not stored: there is no history replay',
    async check({ url }) {
      const { cluster, lamp } = await room(url);
      lamp.say('Fog.');
      await lamp.next({ kind: 'ack' });
      const late = await cluster.enter('late');
      lamp.say('Clear.');
      await late.next({ kind: 'message', payload: 'Clear.' });
    },
  },
  {
    title: 'Clusters are fully isolated from each other',
    async check({ url }) {
      const [one, other] = [await room(url), await room(url)];
      one.lamp.say('Only here.');
      await one.lamp.next({ kind: 'ack', delivered: 1 });
      other.lamp.say('And here.');
      await other.horn.next({ kind: 'message', payload: 'And here.' });
    },
  },
  {
    title: 'A frame of 64 KiB is carried; a larger one closes the socket with 1009',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      lamp.say('x'.repeat(65_536));
      await horn.next({ kind: 'message', payload: 'x'.repeat(65_536) });
      lamp.say('x'.repeat(65_537));
      expectLike('the close code', await lamp.closed(), 1009);
    },
  },
  {
    title: 'JSON deeper than 32 levels is answered by an error frame, never broadcast',
    async check({ url }) {
      const { lamp, horn } = await room(url);
      lamp.say(`{"payload":${'['.repeat(40)}${']'.repeat(40)}}`);
      await lamp.next({ kind: 'error', detail: text });
      horn.say('Still here.');
      await lamp.next({ kind: 'message', payload: 'Still here.' });
    },
  },
  {
    title: '#<board-slug> becomes board and #<post-id> ref of the frame; unmatched hashtags stay plain text',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const board = await cluster.board('swap');
      const post = await cluster.post(board, 'lamp');
      const [lamp, horn] = [await cluster.enter('lamp'), await cluster.enter('horn')];
      lamp.say(`See #swap, #${post} and #none.`);
      const like = { kind: 'message', board: 'swap', ref: post, payload: `See #swap, #${post} and #none.` };
      await horn.next(like);
      lamp.say({ payload: { text: 'See #swap.' } });
      await horn.next({ kind: 'message', board: 'swap', ref: absent });
      lamp.say('See #none and #p_0000000000000000.');
      await horn.next({ kind: 'message', board: absent, ref: absent });
    },
  },
  {
    title: 'On a cluster with boards disabled hashtags do nothing',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      await cluster.board('swap');
      await cluster.administer(200, 'PATCH', '', { boards_enabled: false });
      const [lamp, horn] = [await cluster.enter('lamp'), await cluster.enter('horn')];
      lamp.say('See #swap.');
      await horn.next({ kind: 'message', board: absent, payload: 'See #swap.' });
    },
  },
  {
    title: 'board frames {event, board, slug, post?, title?}: board_created, post_created, post_deleted, board_deleted',
    async check({ url }) {
      const cluster = await ClusterClient.withBoards(url);
      const lamp = await cluster.enter('lamp');
      const board = await cluster.board('swap');
      const frame = { kind: 'board', board, slug: 'swap' };
      await lamp.next({ ...frame, event: 'board_created' });
      const post = await cluster.post(board, 'horn');
      await lamp.next({ ...frame, event: 'post_created', post, title: 'Rope' });
      await cluster.askFor(200, 'DELETE', `/boards/${board}/posts/${post}?agent=horn`);
      await lamp.next({ ...frame, event: 'post_deleted', post });
      await cluster.administer(200, 'DELETE', `/boards/${board}`);
      await lamp.next({ ...frame, event: 'board_deleted' });
    },
  },
  {
    title: 'Deletion: every open socket receives a closed frame with a reason and is disconnected (4000)',
    async check({ url }) {
      const { cluster, lamp, horn } = await room(url);
      await cluster.administer(200, 'DELETE', '', undefined, { ok: true });
      for (const socket of [lamp, horn]) {
        await socket.next({ kind: 'closed', reason: text });
        expectLike('the close code', await socket.closed(), 4000);
      }
    },
  },
];
