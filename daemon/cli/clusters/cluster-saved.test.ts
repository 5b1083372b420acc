import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClusterCreated } from '../../contract/clusters.js';
import type { SavedClusterList } from '../../contract/saved-clusters.js';
import type { WallFrame } from '../../contract/wall.js';
import type { TestApp } from '../../testing/apps/test-app.js';
import { atTerminal, daemon, meshd, meshdIn, meshdPiped } from '../../testing/processes/command-line.js';
import { SocketClient } from '../../testing/processes/socket-client.js';

/** A cluster that another client created. */
const foreign = async (app: TestApp, body: object = {}) =>
  (await app.call('POST', '/v1/clusters', body)).body as ClusterCreated;
const clusters = async (app: TestApp) => ((await app.call('GET', '/rooms')).body as SavedClusterList).rooms;

describe('meshd cluster clusters, hold and leave', () => {
  it('hold joins a public cluster through the daemon, clusters lists it, leave leaves it', async () => {
    const app = await daemon();
    expect(await meshd(app.root, 'cluster', 'rooms')).toMatchObject({
      exit: 0,
      out: '',
      err: expect.stringContaining('not joined a cluster'),
    });
    const town = await foreign(app, { name: 'Town', visibility: 'public' });
    const held = await meshd(app.root, 'cluster', 'hold', 'town', '--as', 'ada', '--vis', 'private');
    expect(held).toEqual({ exit: 0, err: '', out: `The daemon is in Town (${town.cluster_id}) as ada, private.\n` });
    const ben = new SocketClient<WallFrame>(`${town.ws}?agent=ben`);
    expect(await ben.next()).toMatchObject({ kind: 'ready', online: ['ada', 'ben'] });
    ben.socket.send(JSON.stringify({ to: 'ada', payload: 'are you there' }));
    expect(await ben.next()).toMatchObject({ kind: 'ack', delivered: 1 });
    const listed = await meshd(app.root, 'cluster', 'rooms');
    expect(listed.out).toMatch(/^CLUSTER +SLUG +NAME +AS +ONLINE +UNREAD +YOURS\n/);
    expect(listed.out).toMatch(
      new RegExp(`^${town.cluster_id} +town +Town +ada \\(private\\) +2 +1 \\(1 to you\\)$`, 'm'),
    );
    const { rooms: all, count } = JSON.parse(
      (await meshd(app.root, 'cluster', 'rooms', '--json')).out,
    ) as SavedClusterList;
    expect([count, all[0]]).toEqual([
      1,
      expect.objectContaining({ cluster_id: town.cluster_id, handle: 'ada', unread: 1 }),
    ]);
    expect(await meshd(app.root, 'cluster', 'leave', 'Town')).toEqual({
      exit: 0,
      err: '',
      out: `Left Town (${town.cluster_id}).\n`,
    });
    expect(await ben.next()).toMatchObject({ kind: 'presence', agent: 'ada', status: 'offline' });
    expect(await meshd(app.root, 'cluster', 'leave', 'town')).toMatchObject({ exit: 4, out: '' });
  });

  it('hold reads the token of a private cluster from stdin, never from an option, and prints it nowhere', async () => {
    const app = await daemon();
    const crew = await foreign(app, { name: 'Crew' });
    const held = await meshdPiped(app.root, `${crew.token}\n`, 'cluster', 'hold', crew.cluster_id);
    expect(held).toMatchObject({ exit: 0, err: '' });
    expect(held.out).toContain('Crew');
    expect(held.out).not.toContain('ck_');
    expect(await clusters(app)).toMatchObject([
      { cluster_id: crew.cluster_id, handle: 'operator', member: true, admin: false },
    ]);
    expect((await meshd(app.root, 'cluster', 'rooms', '--json')).out).not.toContain('ck_');
    expect(readFileSync(join(app.root, '.mesh/credentials/rooms.json'), 'utf8')).toContain(crew.token);
    expect(await meshd(app.root, 'cluster', 'hold', crew.cluster_id, '--token', 'x')).toMatchObject({ exit: 2 });
  });

  it('hold prompts for the token at a terminal, and exits 4 for a wrong one, 2 for none', async () => {
    const app = await daemon();
    const [crew, other] = [await foreign(app), await foreign(app)];
    const session = atTerminal(app.root, 'cluster', 'hold', crew.cluster_id);
    await session.until('err', /Paste the token/);
    session.stdin.end(`${crew.admin_token}\n`);
    expect(await session.exit).toBe(0);
    expect(await clusters(app)).toMatchObject([{ admin: true }]);
    expect((await meshdPiped(app.root, `${crew.token}\n`, 'cluster', 'hold', other.cluster_id)).exit).toBe(4);
    expect((await meshd(app.root, 'cluster', 'hold', other.cluster_id)).exit).toBe(2);
    expect((await meshd(app.root, 'cluster', 'hold', 'nowhere')).exit).toBe(4);
    expect(await clusters(app)).toHaveLength(1);
  });

  it('hold uses the token of the environment instead of the stored ones, and reads no other where it fails', async () => {
    const app = await daemon();
    const crew = await foreign(app, { name: 'Crew' });
    const hold = (clusterToken: string) =>
      meshdIn(app.root, { clusterToken }, 'cluster', 'hold', crew.cluster_id, '--json');
    const wrong = await hold(`ck_${'x'.repeat(43)}`);
    expect([wrong.exit, JSON.parse(wrong.out)]).toEqual([4, expect.objectContaining({ error: 'not_found' })]);
    const held = await hold(crew.token as string);
    expect([held.exit, [JSON.parse(held.out)]]).toEqual([0, await clusters(app)]);
    expect(await clusters(app)).toMatchObject([{ cluster_id: crew.cluster_id, member: true, admin: false }]);
    const mine = JSON.parse((await meshd(app.root, 'cluster', 'create', 'Mine', '--json')).out) as ClusterCreated;
    await meshdIn(app.root, { clusterToken: mine.token as string }, 'cluster', 'hold', 'Mine');
    expect((await clusters(app)).find(({ name }) => name === 'Mine')).toMatchObject({ member: true, admin: false });
  });

  it('leave takes an id, a slug or one name, an id or slug before a name; rooms and leave report objects', async () => {
    const app = await daemon();
    const made = [await foreign(app, { name: 'Twins' }), await foreign(app, { name: 'Twins' })] as const;
    for (const { cluster_id, token } of made) await meshdPiped(app.root, `${token}\n`, 'cluster', 'hold', cluster_id);
    const town = await foreign(app, { name: 'Town', visibility: 'public' });
    const alike = await foreign(app, { name: 'town' });
    await meshdPiped(app.root, `${alike.admin_token}\n`, 'cluster', 'hold', alike.cluster_id);
    expect((await meshd(app.root, 'cluster', 'hold', town.cluster_id)).exit).toBe(0);
    const rooms = await meshd(app.root, 'cluster', 'rooms', '--json');
    expect(JSON.parse(rooms.out)).toEqual({ rooms: await clusters(app), count: 4 });
    const row = (id: string) => new RegExp(`^${id} .*$`, 'm').exec(listed)?.[0];
    const listed = (await meshd(app.root, 'cluster', 'rooms')).out;
    expect(row(made[0].cluster_id)).toMatch(/ \(private\) +Twins +operator \(public\) +1 +0 +member$/);
    expect(row(alike.cluster_id)).toMatch(/ +town +operator \(public\) +1 +0 +admin$/);
    const leave = (ref: string) => meshd(app.root, 'cluster', 'leave', ref, '--json');
    expect(await leave('Twins')).toMatchObject({ exit: 6, err: '' });
    expect(await clusters(app)).toHaveLength(4);
    const left = JSON.parse((await leave('town')).out) as object;
    expect(left).toMatchObject({ cluster_id: town.cluster_id });
    expect(Object.keys(left).length).toBeGreaterThan(1);
    expect((await leave(made[1].cluster_id)).exit).toBe(0);
    expect(await clusters(app)).toMatchObject([{ cluster_id: made[0].cluster_id }, { cluster_id: alike.cluster_id }]);
    expect((await leave('Twins')).exit).toBe(0);
    expect((await leave('town')).exit).toBe(0);
  });

  it('hold uses stored tokens, and those of the commons are not copied', async () => {
    const app = await daemon();
    await meshd(app.root, 'cluster', 'create', 'Mine');
    expect(await meshd(app.root, 'cluster', 'hold', 'Mine')).toMatchObject({ exit: 0 });
    expect(await meshd(app.root, 'cluster', 'hold', 'the-commons', '--json')).toMatchObject({ exit: 0 });
    expect(await clusters(app)).toMatchObject([
      { name: 'Mine', member: true, admin: true },
      { name: 'The Commons', member: true, admin: true },
    ]);
    const commons = JSON.parse(readFileSync(join(app.root, '.mesh/credentials/commons.json'), 'utf8')) as {
      admin_token: string;
    };
    expect(readFileSync(join(app.root, '.mesh/credentials/rooms.json'), 'utf8')).not.toContain(commons.admin_token);
  });
});
