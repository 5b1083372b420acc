import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { getReadyFrame, sendFrame, type WallClient } from '../../testing/apps/clusters-app.js';
import {
  isOffline,
  isOnline,
  listMessages,
  nextAck,
  nextMessage,
  nextPing,
  settled,
  threeMembers,
} from '../../testing/apps/wall-talk.js';

describe('Handle with several sockets', () => {
  it('is online with the first and offline with the last', async () => {
    const { app, cluster, ada } = await threeMembers();
    const one = await app.join(cluster, 'dot');
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'online' });
    const two = await app.join(cluster, 'dot');
    one.socket.close();
    await one.closed;
    expect(getReadyFrame(two).online).toEqual(['ada', 'ben', 'cay', 'dot']);
    two.socket.close();
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'offline' });
  });

  it('receives messages on all of them and is counted once in delivered', async () => {
    const { app, cluster, ada } = await threeMembers();
    const [one, two] = [await app.join(cluster, 'dot'), await app.join(cluster, 'dot')];
    sendFrame(ada, { to: 'dot', payload: 1 });
    expect((await nextAck(ada)).delivered).toBe(1);
    for (const client of [one, two]) expect(await nextMessage(client)).toMatchObject({ payload: 1 });
    sendFrame(ada, 'all');
    expect((await nextAck(ada)).delivered).toBe(3);
  });

  it('receives its own messages on its other sockets only', async () => {
    const { app, cluster, ada, ben } = await threeMembers();
    const other = await app.join(cluster, 'ada');
    sendFrame(ada, 'to all');
    expect((await nextAck(ada)).delivered).toBe(2);
    expect(await nextMessage(other)).toMatchObject({ payload: 'to all' });
    sendFrame(ada, { to: 'ada', payload: 'to me' });
    expect((await nextAck(ada)).delivered).toBe(0);
    expect(await nextMessage(other)).toMatchObject({ to: 'ada', payload: 'to me' });
    await settled(ben, ada);
    expect(listMessages(ada)).toHaveLength(1);
  });
});

describe('Member visibility', () => {
  it('shows a public handle to peers and external surfaces, and counts and announces it', async () => {
    const { app, cluster, ada } = await threeMembers();
    const record = (await app.call('GET', `/v1/clusters/${cluster.id}`)).body as { cluster: { online: number } };
    expect(record.cluster.online).toBe(3);
    expect(app.hub.shown(cluster.id)).toEqual(['ada', 'ben', 'cay']);
    await app.join(cluster, 'dot', { vis: 'public' });
    expect(await ada.next()).toMatchObject({ kind: 'presence', agent: 'dot' });
  });

  it('shows a private handle to peers and masks it on external surfaces, with one mask per connection', async () => {
    const { app, cluster, ada } = await threeMembers();
    const dot = await app.join(cluster, 'dot', { vis: 'private' });
    const eve = await app.join(cluster, 'eve', { vis: 'private' });
    expect(await ada.next()).toMatchObject({ kind: 'presence', agent: 'dot', status: 'online' });
    expect(getReadyFrame(eve).online).toContain('dot');
    expect(app.hub.count(cluster.id)).toBe(5);
    expect(app.hub.shown(cluster.id)).toEqual(['ada', 'ben', 'cay', 'private-1', 'private-2']);
    dot.socket.close();
    await ada.until(isOffline('dot'));
    expect(app.hub.shown(cluster.id)).toEqual(['ada', 'ben', 'cay', 'private-2']);
    await app.join(cluster, 'dot', { vis: 'private' });
    expect(app.hub.shown(cluster.id)).toEqual(['ada', 'ben', 'cay', 'private-2', 'private-3']);
  });

  it('neither shows, counts nor announces a ghost, which still reads and sends', async () => {
    const { app, cluster, ada, ben } = await threeMembers();
    const ghost = await app.join(cluster, 'ghost', { vis: 'ghost' });
    expect(getReadyFrame(ghost)).toMatchObject({ you: 'ghost', online: ['ada', 'ben', 'cay'] });
    sendFrame(ada, 'boo');
    expect(await ada.next()).toEqual({ kind: 'ack', to: null, delivered: 2 });
    expect(await nextMessage(ghost)).toMatchObject({ from: 'ada', payload: 'boo' });
    sendFrame(ada, { to: 'ghost', payload: 'I know' });
    expect(await ada.next()).toEqual({ kind: 'ack', to: 'ghost', delivered: 0 });
    expect(await nextMessage(ghost)).toMatchObject({ to: 'ghost', payload: 'I know' });
    sendFrame(ghost, 'hello');
    expect(await ghost.next()).toEqual({ kind: 'ack', to: null, delivered: 3 });
    expect(await nextMessage(ben)).toMatchObject({ payload: 'boo' });
    expect(await nextMessage(ben)).toMatchObject({ from: 'ghost', payload: 'hello' });
    expect(app.hub.count(cluster.id)).toBe(3);
    expect(app.hub.shown(cluster.id)).toEqual(['ada', 'ben', 'cay']);
    ghost.socket.close();
    await ghost.closed;
    await settled(ben, ada);
    expect(ada.frames.some((frame) => frame.kind === 'presence' && frame.agent === 'ghost')).toBe(false);
  });

  it('depends on the visible socket for a handle that also has a ghost', async () => {
    const { app, cluster, ada } = await threeMembers();
    await app.join(cluster, 'dot', { vis: 'ghost' });
    const seen = await app.join(cluster, 'dot');
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'online' });
    seen.socket.close();
    expect(await ada.next()).toMatchObject({ agent: 'dot', status: 'offline' });
  });
});

describe('Keepalive', () => {
  it('answers pings automatically', async () => {
    const { ada } = await threeMembers();
    const ponged = new Promise((resolve) => ada.socket.once('pong', (data) => resolve(String(data))));
    ada.socket.ping('are you there');
    expect(await ponged).toBe('are you there');
  });

  it('pings every 25 s and keeps sockets that respond', async () => {
    const { app, cluster, ada, ben, cay } = await threeMembers();
    for (let round = 0; round < 4; round += 1) {
      const pinged = [ada, ben, cay].map((client) => nextPing(client));
      app.clock.advance(25_000);
      await Promise.all(pinged);
      // A message sent after the pong is also processed after it.
      for (const client of [ada, ben, cay]) {
        sendFrame(client, { to: 'nobody', payload: round });
        await nextAck(client);
      }
      expect(app.hub.count(cluster.id)).toBe(3);
    }
  });

  it('marks a member offline after two missed pings', async () => {
    const { app, cluster, ada, ben, cay } = await threeMembers();
    const dot = new WebSocket(app.socketAddress(cluster, { agent: 'dot' }), { autoPong: false });
    await ada.until(isOnline('dot'));
    const alive = async () => {
      for (const client of [ada, ben, cay]) {
        sendFrame(client, { to: 'nobody', payload: 1 });
        await nextAck(client);
      }
    };
    const pings: Promise<void>[] = [];
    for (const ms of [5_000, 25_000]) {
      pings.push(nextPing({ socket: dot } as WallClient));
      app.clock.advance(ms);
      await alive();
    }
    expect(app.hub.count(cluster.id)).toBe(4);
    await Promise.all(pings);
    app.clock.advance(10_000);
    await ada.until(isOffline('dot'));
    dot.terminate();
    expect(app.hub.count(cluster.id)).toBe(3);
  });
});
