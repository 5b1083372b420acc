import { describe, expect, it } from 'vitest';
import { getReadyFrame, type OwnCluster, sendFrame } from '../../testing/apps/clusters-app.js';
import {
  isOnline,
  listMessages,
  nextAck,
  nextMessage,
  seconds,
  settled,
  threeMembers,
} from '../../testing/apps/wall-talk.js';

describe('Server to client', () => {
  it('sends ready first, with a roster that includes the member itself', async () => {
    const { app, cluster, ada } = await threeMembers();
    expect(getReadyFrame(ada)).toEqual({
      kind: 'ready',
      you: 'ada',
      you_did: null,
      public: true,
      owner: false,
      online: ['ada'],
    });
    const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const dot = await app.join(cluster, 'dot', { did });
    expect(getReadyFrame(dot)).toEqual({
      kind: 'ready',
      you: 'dot',
      you_did: did,
      public: true,
      owner: false,
      online: ['ada', 'ben', 'cay', 'dot'],
    });
  });

  it('sends presence when a peer connects or leaves', async () => {
    const { app, cluster, ada } = await threeMembers();
    const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const dot = await app.join(cluster, 'dot', { did });
    expect(await ada.next()).toEqual({ kind: 'presence', agent: 'dot', did, status: 'online' });
    dot.socket.close();
    expect(await ada.next()).toEqual({ kind: 'presence', agent: 'dot', did, status: 'offline' });
  });

  it('sends a broadcast message with to null and without from_did', async () => {
    const { app, ada, ben } = await threeMembers();
    sendFrame(ada, { payload: { type: 'offer', items: [1, 2] } });
    expect(await ben.next()).toEqual({
      kind: 'message',
      from: 'ada',
      to: null,
      ts: seconds(app),
      payload: { type: 'offer', items: [1, 2] },
    });
  });

  it('sends a direct message with its recipient and from_did', async () => {
    const { app, cluster, ben } = await threeMembers();
    const dot = await app.join(cluster, 'dot', { did: 'did:key:z6Mk' });
    await ben.until(isOnline('dot'));
    sendFrame(dot, { to: 'ben', payload: 'psst' });
    expect(await ben.next()).toEqual({
      kind: 'message',
      from: 'dot',
      from_did: 'did:key:z6Mk',
      to: 'ben',
      ts: seconds(app),
      payload: 'psst',
    });
  });

  it('sends an ack for an own message, with delivered 0 when the peer is not connected', async () => {
    const { ada } = await threeMembers();
    sendFrame(ada, 'hello');
    expect(await ada.next()).toEqual({ kind: 'ack', to: null, delivered: 2 });
    sendFrame(ada, { to: 'ben', payload: 1 });
    expect(await ada.next()).toEqual({ kind: 'ack', to: 'ben', delivered: 1 });
    sendFrame(ada, { to: 'nobody', payload: 1 });
    expect(await ada.next()).toEqual({ kind: 'ack', to: 'nobody', delivered: 0 });
    sendFrame(ada, { to: ['ben', 'nobody', 'cay', 'ben'], payload: 1 });
    expect(await ada.next()).toEqual({ kind: 'ack', to: ['ben', 'nobody', 'cay', 'ben'], delivered: 2 });
  });

  it('sends closed when the cluster is deleted and then closes the socket with 4000', async () => {
    const { app, cluster, ada, ben } = await threeMembers();
    expect(
      (await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin })).status,
    ).toBe(200);
    for (const client of [ada, ben]) {
      expect(await client.next()).toEqual({ kind: 'closed', reason: expect.any(String) });
      expect((await client.closed).code).toBe(4000);
      expect(client.frames.at(-1)?.kind).toBe('closed');
    }
    expect(app.hub.sockets).toBe(0);
  });

  it('sends an error with a free-text detail', async () => {
    const { ada } = await threeMembers();
    sendFrame(ada, '{"to":"ben"}');
    expect(await ada.next()).toEqual({ kind: 'error', detail: expect.stringContaining('payload') });
  });

  it.each(['post_created', 'post_deleted', 'board_created', 'board_deleted'] as const)(
    'sends a board frame for %s',
    async (event) => {
      const { app, cluster, ada } = await threeMembers();
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
    },
  );
});

describe('Client to server', () => {
  it('broadcasts a bare text to all sockets except the sending one', async () => {
    const { ada, ben, cay } = await threeMembers();
    sendFrame(ada, 'Is the harbour open?');
    for (const client of [ben, cay])
      expect(await nextMessage(client)).toMatchObject({ from: 'ada', to: null, payload: 'Is the harbour open?' });
    await settled(ben, ada);
    expect(listMessages(ada).map(({ from }) => from)).toEqual(['ben']);
  });

  it.each<[string, string, unknown]>([
    ['a text in quotes', '"quoted"', '"quoted"'],
    ['a number', '42', '42'],
    ['a list', '[1, 2]', '[1, 2]'],
    ['words in brackets', '[note] fog', '[note] fog'],
    ['emoji and escapes', 'fog \u{1f32b} "\\n" \u0007', 'fog \u{1f32b} "\\n" \u0007'],
    ['an object with a type', '{"type":"offer","text":"x"}', { type: 'offer', text: 'x' }],
    ['an object without a type', '{"text":"x"}', '{"text":"x"}'],
    ['an object that breaks off', '{"to":"ben","payload":"x"', '{"to":"ben","payload":"x"'],
    ['an object with words behind it', '{"payload":"x"} and more', '{"payload":"x"} and more'],
    ['words in braces', '{fog} over the harbour', '{fog} over the harbour'],
    ['brackets that close nothing', '{'.repeat(40), '{'.repeat(40)],
    ['a payload of null', '{"payload":null}', null],
    ['a payload of false', '{"payload":false}', false],
    ['a payload that is a list', '{"payload":[{"to":"x"}]}', [{ to: 'x' }]],
    ['a payload beside members that are ignored', '{"ts":1,"from":"ben","kind":"x","payload":"x","id":7}', 'x'],
    ['a text of 64 KiB', 'x'.repeat(65_536), 'x'.repeat(65_536)],
    ['a text of 64 KiB that is larger as JSON', '\u0001'.repeat(65_536), '\u0001'.repeat(65_536)],
  ])('broadcasts unchanged: %s', async (_name, frame, payload) => {
    const { ada, ben } = await threeMembers();
    sendFrame(ada, frame);
    expect((await nextMessage(ben)).payload).toEqual(payload);
  });

  it('forwards a payload unchanged: long numbers, repeated keys, escapes, pieces of a stream', async () => {
    const { ada, ben } = await threeMembers();
    const texts: string[] = [];
    ben.socket.on('message', (data) => texts.push(String(data)));
    const payload =
      '{ "type":"message", "stream":"s-1","seq":0,"delta":"\\u0041 \\ud83d ' +
      '#jobs","n":12345678901234567890.10,"n":1e400,"done":true }';
    sendFrame(ada, `{"payload": ${payload} }`);
    await nextMessage(ben);
    expect(texts[0]).toContain(`"payload":${payload}`);
  });

  it('delivers {to: handle} to that handle only', async () => {
    const { ada, ben, cay } = await threeMembers();
    sendFrame(ada, { to: 'ben', payload: 'secret' });
    expect(await nextMessage(ben)).toMatchObject({ to: 'ben', payload: 'secret' });
    await settled(ada, ben, cay);
    expect(listMessages(cay)).toHaveLength(1);
  });

  it('delivers {to: [handles]} once to each, naming only the recipient itself', async () => {
    const { app, cluster, ada, ben, cay } = await threeMembers();
    const dot = await app.join(cluster, 'dot');
    await ada.until(isOnline('dot'));
    sendFrame(ada, { to: ['ben', 'cay', 'ben', 'gone'], payload: 7 });
    await settled(ada, ben, cay, dot);
    expect(listMessages(ben).map(({ to, payload }) => [to, payload])).toEqual([
      ['ben', 7],
      [null, expect.any(String)],
    ]);
    expect(listMessages(cay).map(({ to, payload }) => [to, payload])).toEqual([
      ['cay', 7],
      [null, expect.any(String)],
    ]);
    expect(listMessages(dot)).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['an empty list of recipients', '{"to":[],"payload":"x"}'],
    ['to null', '{"to":null,"payload":"x"}'],
    ['to a number', '{"to":7,"payload":"x"}'],
    ['to an empty handle', '{"to":"","payload":"x"}'],
    ['a list with something that is no handle', '{"to":["ben",7],"payload":"x"}'],
    [
      'a thousand and one recipients',
      JSON.stringify({ to: Array.from({ length: 1001 }, (_, i) => `a${i}`), payload: 'x' }),
    ],
    ['to without a payload', '{"to":"ben"}'],
    ['a mistyped to', '{"too":"ben","payload":"x"}'],
    ['another spelling of to', '{"To":"ben","payload":"x"}'],
    ['another word for to', '{"recipients":["ben"],"payload":"x"}'],
    ['33 levels', `{"payload":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['33 levels of an object with a type', `{"type":"x","of":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['33 levels to one member', `{"to":"ben","payload":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['an empty frame', ''],
  ])('results in an error frame, never in a broadcast, and keeps the socket open: %s', async (_name, frame) => {
    const { ada, ben, cay } = await threeMembers();
    sendFrame(ada, frame);
    expect(await ada.next()).toEqual({ kind: 'error', detail: expect.stringMatching(/.{20}/) });
    await settled(ada, ben, cay);
    for (const client of [ben, cay]) expect(listMessages(client)).toHaveLength(1);
  });

  it('sets from to the handle in the query, whatever the payload contains', async () => {
    const { ada, ben } = await threeMembers();
    sendFrame(ada, { payload: { from: 'ben', kind: 'closed' } });
    expect(await nextMessage(ben)).toMatchObject({
      kind: 'message',
      from: 'ada',
      payload: { from: 'ben', kind: 'closed' },
    });
  });

  it('preserves order across broadcasts, direct messages and acks', async () => {
    const { ada, ben, cay } = await threeMembers();
    for (let n = 0; n < 60; n += 1) {
      sendFrame(ada, n % 3 === 0 ? { to: 'ben', payload: n } : { payload: n });
      if (n % 7 === 0) sendFrame(cay, { payload: `c${n}` });
    }
    const numbers: unknown[] = [];
    while (numbers.length < 60) {
      const { from, payload } = await nextMessage(ben);
      if (from === 'ada') numbers.push(payload);
    }
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, n) => n));
    for (let n = 0; n < 60; n += 1) expect((await nextAck(ada)).to).toBe(n % 3 === 0 ? 'ben' : null);
  });

  it('sends no error ahead of the ack of an earlier message', async () => {
    const { ada } = await threeMembers();
    for (let n = 0; n < 20; n += 1) sendFrame(ada, n % 4 === 3 ? { to: [] } : { payload: n });
    for (let n = 0; n < 20; n += 1) {
      expect((await ada.until(({ kind }) => kind === 'ack' || kind === 'error')).kind).toBe(
        n % 4 === 3 ? 'error' : 'ack',
      );
    }
  });
});

describe('Hashtag scoping', () => {
  async function withBoards() {
    const cluster = await threeMembers();
    await cluster.app.aBoard(cluster.cluster, 'jobs');
    await cluster.app.aBoard(cluster.cluster, 'flats');
    const { id } = await cluster.app.aPost(cluster.cluster, 'jobs');
    const sent = async (payload: unknown) => {
      sendFrame(cluster.ada, { payload });
      return nextMessage(cluster.ben);
    };
    return { ...cluster, post: id, sent };
  }

  it("sets board to a board's slug and ref to a post's id, the first match of each", async () => {
    const { sent, post } = await withBoards();
    expect(await sent('work? #jobs')).toMatchObject({ board: 'jobs' });
    expect(await sent(`see #${post}.`)).toMatchObject({ ref: post });
    const both = await sent({ text: `#nothing #flats, then #jobs and #p_0000000000000000 #${post}!` });
    expect(both).toMatchObject({ board: 'flats', ref: post });
    expect(both.payload).toEqual({ text: `#nothing #flats, then #jobs and #p_0000000000000000 #${post}!` });
  });

  it('ignores unmatched hashtags, URLs, code, longer words and payloads without text', async () => {
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

  it('matches nothing in a cluster with boards disabled, nor boards of other clusters', async () => {
    const { app, cluster, sent, post } = await withBoards();
    await app.call(
      'PATCH',
      `/v1/clusters/${cluster.id}`,
      { boards_enabled: false },
      { 'x-cluster-token': cluster.admin },
    );
    const off = await sent(`#jobs #${post}`);
    expect([off.board, off.ref]).toEqual([undefined, undefined]);
    const other = await app.aCluster({ visibility: 'public' });
    await app.aBoard(other, 'cats');
    const [dot, eve] = [await app.join(other, 'dot'), await app.join(other, 'eve')];
    sendFrame(dot, `#jobs #cats #${post}`);
    const frame = await nextMessage(eve);
    expect([frame.board, frame.ref]).toEqual(['cats', undefined]);
  });

  it('also scopes direct messages', async () => {
    const { ada, ben } = await withBoards();
    sendFrame(ada, { to: 'ben', payload: 'about #flats' });
    expect(await nextMessage(ben)).toMatchObject({ to: 'ben', board: 'flats' });
  });
});

describe('Wall persistence', () => {
  it('replays, stores and logs no messages', async () => {
    const { app, cluster, ada, ben, cay } = await threeMembers({});
    const canary = 'canary-4711-of-the-harbour';
    sendFrame(ada, canary);
    sendFrame(ada, { to: 'ben', payload: { text: canary } });
    sendFrame(ada, `{"to":"ben","payload":"${canary}"`);
    await nextMessage(ben);
    await nextMessage(ben);
    await settled(ada, cay);
    const late = await app.join(cluster, 'dot');
    await settled(ada, late);
    expect(listMessages(late)).toHaveLength(1);
    const tables = app.database
      .sql(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
      .all() as {
      name: string;
    }[];
    for (const { name } of tables) {
      let rows = '';
      try {
        rows = JSON.stringify(app.database.sql(`SELECT * FROM "${name}"`).all());
      } catch {
        // The shadow table of a virtual table, which cannot be read.
      }
      expect(rows).not.toContain(canary);
    }
    expect(app.log.join('\n')).not.toContain(canary);
    expect(app.log.join('\n')).not.toContain(cluster.token);
    expect(JSON.stringify(app.events)).not.toContain(canary);
    const history = await app.call('GET', `/v1/clusters/${cluster.id}/history`, undefined, {
      'x-cluster-token': cluster.token,
    });
    expect(history.text).not.toContain(canary);
  });

  it('delivers nothing to the same handles in other clusters', async () => {
    const { app, ada, ben } = await threeMembers();
    const elsewhere: OwnCluster = await app.aCluster({ visibility: 'public' });
    const other = await app.join(elsewhere, 'ben');
    sendFrame(ada, 'here');
    sendFrame(ada, { to: 'ben', payload: 'you' });
    await settled(ada, ben);
    sendFrame(await app.join(elsewhere, 'ada'), 'there');
    expect(await nextMessage(other)).toMatchObject({ payload: 'there' });
    expect(listMessages(other)).toHaveLength(1);
  });

  it('closes with 1001 when the daemon stops', async () => {
    const { app, ada } = await threeMembers();
    await app.stop();
    expect((await ada.closed).code).toBe(1001);
  });
});
