import { describe, expect, it } from 'vitest';
import type { SavedCluster } from '../../contract/saved-clusters.js';
import { clustersApp, getReadyFrame, sendFrame } from '../../testing/apps/clusters-app.js';
import {
  getSavedCluster,
  readSavedClusters,
  saveCluster,
  savedClusterEvents,
} from '../../testing/apps/saved-clusters.js';
import { isOffline, isOnline, nextAck, nextMessage, settled, threeMembers } from '../../testing/apps/wall-talk.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { Member } from '../clusters/connection.js';
import type { MessageListener } from '../clusters/local-connection.js';
import { ClusterPresence } from './cluster-presence.js';

describe('Held cluster connection', () => {
  it('shows, counts and reaches the operator under its handle like any member', async () => {
    const { app, cluster, ada } = await threeMembers();
    await saveCluster(app, cluster, { handle: 'ivy' });
    expect(await ada.until(isOnline('ivy'))).toEqual({ kind: 'presence', agent: 'ivy', did: null, status: 'online' });
    const dot = await app.join(cluster, 'dot');
    expect(getReadyFrame(dot).online).toEqual(['ada', 'ben', 'cay', 'ivy', 'dot']);
    expect((await app.call('GET', `/v1/clusters/${cluster.id}`)).body).toMatchObject({ cluster: { online: 5 } });
    sendFrame(dot, { to: 'ivy', payload: 'are you there' });
    expect(await nextAck(dot)).toMatchObject({ delivered: 1 });
    sendFrame(dot, 'all');
    expect(await nextAck(dot)).toMatchObject({ delivered: 4 });
    expect(app.hub.shown(cluster.id)).toContain('ivy');
  });

  it('shares the handle with a browser tab: online with the first connection, offline with the last', async () => {
    const { app, cluster, ada } = await threeMembers();
    await saveCluster(app, cluster, { handle: 'ivy' });
    await ada.until(isOnline('ivy'));
    const tab = await app.join(cluster, 'ivy');
    sendFrame(ada, { to: 'ivy', payload: 1 });
    expect(await nextAck(ada)).toMatchObject({ delivered: 1 });
    expect(await nextMessage(tab)).toMatchObject({ payload: 1 });
    tab.socket.close();
    await tab.closed;
    sendFrame(ada, { to: 'ivy', payload: 2 });
    expect(await nextAck(ada)).toMatchObject({ delivered: 1 });
    await app.call('DELETE', `/rooms/${cluster.id}`);
    expect(await ada.next()).toMatchObject({ kind: 'presence', agent: 'ivy', status: 'offline' });
  });

  it('shows a private handle to peers and masks it on external surfaces', async () => {
    const { app, cluster, ada } = await threeMembers();
    await saveCluster(app, cluster, { handle: 'ivy', vis: 'private' });
    await ada.until(isOnline('ivy'));
    expect(app.hub.shown(cluster.id)).toEqual(['ada', 'ben', 'cay', 'private-1']);
  });

  it('is never visible as a ghost and still counts messages', async () => {
    const { app, cluster, ada, ben } = await threeMembers();
    await saveCluster(app, cluster, { handle: 'ivy', vis: 'ghost' });
    sendFrame(ada, { to: 'ivy', payload: 'boo' });
    expect(await nextAck(ada)).toMatchObject({ delivered: 0 });
    sendFrame(ada, 'all');
    expect(await nextAck(ada)).toMatchObject({ delivered: 2 });
    expect(await getSavedCluster(app, cluster)).toMatchObject({ online: 3, unread: 2, unread_direct: 1 });
    await app.call('DELETE', `/rooms/${cluster.id}`);
    await settled(ada, ben);
    expect(ben.frames.some((frame) => frame.kind === 'presence' && frame.agent === 'ivy')).toBe(false);
  });

  it('changes handle or visibility without a gap, and leaves when it is not held', async () => {
    const { app, cluster, ada } = await threeMembers();
    await saveCluster(app, cluster, { handle: 'ivy' });
    await ada.until(isOnline('ivy'));
    const patch = async (body: object) => (await app.call('PATCH', `/rooms/${cluster.id}`, body)).body as SavedCluster;
    expect(await patch({ vis: 'private' })).toMatchObject({ vis: 'private', online: 4 });
    expect(await patch({ handle: 'oak' })).toMatchObject({ handle: 'oak', online: 4 });
    expect(await ada.next()).toMatchObject({ agent: 'oak', status: 'online' });
    expect(await ada.next()).toMatchObject({ agent: 'ivy', status: 'offline' });
    expect(await patch({ vis: 'ghost' })).toMatchObject({ online: 3 });
    expect(await ada.next()).toMatchObject({ agent: 'oak', status: 'offline' });
    expect(await patch({ vis: 'public' })).toMatchObject({ online: 4 });
    expect(await ada.next()).toMatchObject({ agent: 'oak', status: 'online' });
    app.clock.advance(5_000);
    expect(await patch({ held: false })).toMatchObject({ held: false, online: 3 });
    expect(await ada.next()).toMatchObject({ agent: 'oak', status: 'offline' });
    sendFrame(ada, 'nobody counts this');
    await nextAck(ada);
    expect(await getSavedCluster(app, cluster)).toMatchObject({ unread: 0, last_at: null });
    app.clock.advance(5_000);
    expect(await patch({ held: true })).toMatchObject({ joined_at: Math.floor(app.clock.now() / 1000), online: 4 });
  });

  it('is made again when a cluster is back that was away with the tables of a network', async () => {
    const app = await clustersApp();
    const cluster = await app.aCluster({ visibility: 'public' });
    await saveCluster(app, cluster, { handle: 'ivy' });
    for (const [from, to] of [
      [cluster.id, 'c_away'],
      ['c_away', cluster.id],
    ] as const) {
      app.database.sql('UPDATE clusters SET id = ? WHERE id = ?').run(to, from);
      await app.replaced();
    }
    expect(app.hub.shown(cluster.id)).toEqual(['ivy']);
    const ada = await app.join(cluster, 'ada');
    sendFrame(ada, { to: 'ivy', payload: 'are you there' });
    expect(await nextAck(ada)).toMatchObject({ delivered: 1 });
  });
});

describe('Message counters', () => {
  it('count broadcasts and direct messages of others, but not own messages, board frames or presence', async () => {
    const { app, cluster, ada, ben } = await threeMembers();
    await app.aBoard(cluster, 'lost');
    await saveCluster(app, cluster, { handle: 'ivy' });
    const tab = await app.join(cluster, 'ivy');
    sendFrame(tab, 'from another tab of mine');
    sendFrame(tab, { to: 'ivy', payload: 'to me' });
    await nextAck(tab);
    await nextAck(tab);
    await app.aPost(cluster, 'lost');
    (await app.join(cluster, 'dot')).socket.close();
    await ada.until(isOffline('dot'));
    expect(await getSavedCluster(app, cluster)).toMatchObject({ unread: 0, unread_direct: 0, last_at: null });
    sendFrame(ada, 'to all');
    sendFrame(ada, { to: 'ben', payload: 'not to me' });
    sendFrame(ada, { to: ['ben', 'ivy'], payload: 'to two' });
    for (let n = 0; n < 3; n += 1) await nextAck(ada);
    app.clock.advance(2_000);
    sendFrame(ben, { to: 'ivy', payload: 'to me' });
    await nextAck(ben);
    const last_at = Math.floor(app.clock.now() / 1000);
    expect(await getSavedCluster(app, cluster)).toMatchObject({ unread: 3, unread_direct: 2, last_at });
    const read = await app.call('POST', `/rooms/${cluster.id}/read`);
    expect([read.status, read.body]).toMatchObject([200, { unread: 0, unread_direct: 0, last_at }]);
  });

  it('are published at most once a second per cluster, including the last change', async () => {
    const { app, cluster, ada } = await threeMembers();
    await saveCluster(app, cluster, { handle: 'ivy' });
    const before = savedClusterEvents(app);
    for (let n = 0; n < 5; n += 1) {
      sendFrame(ada, `word ${n}`);
      await nextAck(ada);
    }
    expect(savedClusterEvents(app)).toBe(before + 1);
    app.clock.advance(999);
    expect(savedClusterEvents(app)).toBe(before + 1);
    app.clock.advance(1);
    expect(savedClusterEvents(app)).toBe(before + 2);
    app.clock.advance(10_000);
    expect(savedClusterEvents(app)).toBe(before + 2);
    sendFrame(ada, 'later');
    await nextAck(ada);
    expect(savedClusterEvents(app)).toBe(before + 3);
    await app.call('POST', `/rooms/${cluster.id}/read`);
    await app.call('POST', `/rooms/${cluster.id}/read`);
    expect(savedClusterEvents(app)).toBe(before + 4);
  });

  it('are lost on a restart, and message content is in no file, event or log line', async () => {
    const { app, cluster, ada } = await threeMembers({});
    await saveCluster(app, cluster, { handle: 'ivy' });
    sendFrame(ada, { to: 'ivy', payload: 'a very particular sentence' });
    await nextAck(ada);
    const all = [JSON.stringify(readSavedClusters(app)), JSON.stringify(app.events), ...app.log].join('\n');
    expect(all).not.toContain('particular');
  });
});

describe('A presence', () => {
  const QUAY = { id: 'quay', visibility: 'public' } as const;

  function aPresence() {
    const clock = new FakeClock();
    const steps: string[] = [];
    const holding: [cluster: object, member: Member][] = [];
    let hear: MessageListener = () => undefined;
    const hold = (cluster: object, member: Member, onMessage: MessageListener) => {
      holding.push([cluster, member]);
      steps.push(`join ${member.handle}`);
      hear = onMessage;
      return () => void steps.push(`leave ${member.handle}`);
    };
    let told = 0;
    const changed = () => {
      told += 1;
    };
    const presence = new ClusterPresence({ hub: { hold }, clock, changed });
    const counts = () => [presence.unread, presence.unreadDirect, presence.lastAt];
    const now = () => Math.floor(clock.now() / 1000);
    return {
      clock,
      presence,
      steps,
      holding,
      counts,
      now,
      say: (isDirect = false) => hear(isDirect),
      told: () => told,
    };
  }

  it('joins under the operator’s handle without rights, and anew before it leaves', () => {
    const { presence, steps, holding } = aPresence();
    presence.take(QUAY, 'ivy', 'private');
    presence.take(QUAY, 'oak', 'ghost');
    expect(holding).toEqual([
      [QUAY, { handle: 'ivy', did: null, vis: 'private', isOwner: false }],
      [QUAY, { handle: 'oak', did: null, vis: 'ghost', isOwner: false }],
    ]);
    presence.leave();
    presence.leave();
    expect(steps).toEqual(['join ivy', 'join oak', 'leave ivy', 'leave oak']);
  });

  it('counts from when it joined, not from when it changed, and keeps its counts when it leaves', () => {
    const { clock, presence, counts, now, say } = aPresence();
    expect([counts(), presence.joinedAt]).toEqual([[0, 0, null], now()]);
    clock.advance(5_999);
    presence.take(QUAY, 'ivy', 'public');
    const joinedAt = now();
    clock.advance(2_000);
    say();
    say(true);
    presence.take(QUAY, 'oak', 'public');
    expect([counts(), presence.joinedAt]).toEqual([[2, 1, now()], joinedAt]);
    presence.leave();
    expect(counts()).toEqual([2, 1, now()]);
    clock.advance(60_000);
    presence.take(QUAY, 'oak', 'public');
    expect([counts(), presence.joinedAt]).toEqual([[0, 0, null], now()]);
  });

  it('says whether there was anything to read, and keeps when the last message came', () => {
    const { presence, counts, now, say } = aPresence();
    presence.take(QUAY, 'ivy', 'public');
    expect(presence.read()).toBe(false);
    say(true);
    expect([presence.read(), presence.read(), counts()]).toEqual([true, false, [0, 0, now()]]);
  });

  it('tells of messages at once, and once a second while more come', () => {
    const { clock, presence, told, say } = aPresence();
    presence.take(QUAY, 'ivy', 'public');
    say();
    expect(told()).toBe(1);
    clock.advance(400);
    say();
    say();
    clock.advance(599);
    expect([told(), clock.pending]).toEqual([1, 1]);
    clock.advance(1);
    expect(told()).toBe(2);
    clock.advance(1_000);
    say();
    expect([told(), clock.pending]).toEqual([3, 0]);
  });

  it.each(['leave', 'stop'] as const)('tells nothing more after %s', (how) => {
    const { clock, presence, told, say } = aPresence();
    presence.take(QUAY, 'ivy', 'public');
    say();
    say();
    presence[how]();
    clock.advance(5_000);
    expect(told()).toBe(1);
    presence.take(QUAY, 'ivy', 'public');
    say();
    expect(told()).toBe(2);
  });
});
