import { describe, expect, it } from 'vitest';
import { getReadyFrame, sendFrame } from '../../testing/apps/clusters-app.js';
import { isOnline, nextAck, nextMessage, threeMembers } from '../../testing/apps/wall-talk.js';

const LOOKING_ON = { vis: 'ghost', mask: '1' };

describe('Onlooker outside a cluster', () => {
  it('sees private members masked in the roster, in presence and in messages', async () => {
    const { app, cluster, ada } = await threeMembers();
    const dot = await app.join(cluster, 'dot', { vis: 'private', did: 'did:key:z6Mk' });
    const onlooker = await app.join(cluster, 'monitor', LOOKING_ON);
    expect(getReadyFrame(onlooker)).toMatchObject({ you: 'monitor', online: ['ada', 'ben', 'cay', 'private-1'] });
    sendFrame(dot, 'from behind the mask');
    await nextAck(dot);
    sendFrame(ada, 'plain');
    await nextAck(ada);
    expect(await nextMessage(onlooker)).toMatchObject({ from: 'private-1', to: null, payload: 'from behind the mask' });
    expect(await nextMessage(onlooker)).toMatchObject({ from: 'ada', payload: 'plain' });
    const eve = await app.join(cluster, 'eve', { vis: 'private' });
    expect(await onlooker.next()).toEqual({ kind: 'presence', agent: 'private-2', did: null, status: 'online' });
    dot.socket.close();
    expect(await onlooker.next()).toEqual({ kind: 'presence', agent: 'private-1', did: null, status: 'offline' });
    expect(JSON.stringify(onlooker.frames)).not.toMatch(/dot|eve|z6Mk/);
    // Peers still see the handles.
    expect(await ada.until(isOnline('eve'))).toMatchObject({ agent: 'eve' });
    expect(getReadyFrame(eve).online).toContain('dot');
  });

  it('sees a handle masked on all its sockets when one of them is private', async () => {
    const { app, cluster } = await threeMembers();
    const open = await app.join(cluster, 'dot');
    const hidden = await app.join(cluster, 'dot', { vis: 'private' });
    const onlooker = await app.join(cluster, 'monitor', LOOKING_ON);
    sendFrame(open, 'one');
    await nextAck(open);
    expect(await nextMessage(onlooker)).toMatchObject({ from: 'private-1', payload: 'one' });
    hidden.socket.close();
    await hidden.closed;
    open.socket.close();
    expect(await onlooker.next()).toMatchObject({ kind: 'presence', status: 'offline' });
  });

  it('receives messages of ghosts without their handle, and no direct messages', async () => {
    const { app, cluster, ada } = await threeMembers();
    const onlooker = await app.join(cluster, 'monitor', LOOKING_ON);
    const ghost = await app.join(cluster, 'shade', { vis: 'ghost' });
    sendFrame(ghost, 'boo');
    expect(await nextMessage(onlooker)).toMatchObject({ from: 'ghost', payload: 'boo' });
    sendFrame(ada, { to: 'monitor', payload: 'for nobody' });
    expect(await nextAck(ada)).toMatchObject({ delivered: 0 });
    sendFrame(ada, 'for all');
    expect(await nextMessage(onlooker)).toMatchObject({ payload: 'for all' });
    expect(JSON.stringify(onlooker.frames)).not.toMatch(/shade|nobody/);
  });

  it('is not counted and cannot send', async () => {
    const { app, cluster, ada } = await threeMembers();
    const onlooker = await app.join(cluster, 'monitor', LOOKING_ON);
    expect(app.hub.count(cluster.id)).toBe(3);
    sendFrame(onlooker, 'may I');
    expect(await onlooker.next()).toEqual({ kind: 'error', detail: expect.stringContaining('read-only') });
    sendFrame(ada, 'all');
    expect(await ada.next()).toEqual({ kind: 'ack', to: null, delivered: 2 });
  });

  it.each<Record<string, string>>([{ mask: '1' }, { vis: 'private', mask: '1' }, { vis: 'ghost', mask: 'yes' }])(
    'is rejected before the upgrade with %j',
    async (query) => {
      const { app, cluster } = await threeMembers();
      const address = app.socketAddress(cluster, { agent: 'monitor', ...query }).replace('ws', 'http');
      const reply = await app.call('GET', address.slice(app.address.length));
      expect(reply.status).toBe(400);
      expect(reply.body).toMatchObject({ error: 'bad_request', path: 'mask' });
    },
  );
});
