import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMONS, type Where } from '../../contract/clusters.js';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { Database } from '../../storage/database/database.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ClusterAccess } from './cluster-access.js';
import { Clusters } from './clusters.js';
import { ClustersStore } from './clusters-store.js';

const QUAY = { label: 'Quay' };
const SECRETS = { token: 'ck_lobby', admin_token: 'ak_lobby' };

function someClusters({ isShared = false, isWritable = true, address = 'http://127.0.0.1:7' } = {}) {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const changes = embeddedChanges(database, clock);
  const log = { isShared, submit: changes.log.submit.bind(changes.log) };
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => void events.push(event));
  const store = new ClustersStore(database);
  if (!isWritable) Object.defineProperty(store, 'isWritable', { value: false });
  const clusters = new Clusters({
    ...{ store, bus, shared: { ...changes, log }, address: () => address },
    clusterAccess: new ClusterAccess(store, new WrongCredentials(clock)),
    countOnline: (id) => id.length,
    countBoards: (id) => id.length + 100,
  });
  const told = () => events.map((event) => `${event.type} ${(event as unknown as { cluster: string }).cluster}`);
  const create = async (name: string, where?: Where) => {
    const { cluster_id } = await clusters.create({ name, visibility: 'public' });
    if (where) await clusters.update(cluster_id, { props: { where } });
    return cluster_id;
  };
  return { clock, database, store, clusters, events, told, create, commands: changes.commands };
}

const refusal = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('A cluster that is removed', () => {
  it('is told inside the transaction to whoever holds data of it, and afterwards to the others', async () => {
    const { store, clusters, told, create } = someClusters();
    const id = await create('Quay');
    const steps: string[] = [];
    for (const name of ['one', 'two']) {
      clusters.onRemoving((gone) => steps.push(`removing ${name} ${gone} ${store.find(gone)?.name}`));
      clusters.onRemoved((gone) => steps.push(`removed ${name} ${gone} ${store.find(gone)?.name}`));
    }
    expect(await clusters.remove(id)).toEqual({ ok: true, cluster_id: id });
    expect(steps).toEqual([
      ...[`removing one ${id} Quay`, `removing two ${id} Quay`],
      ...[`removed one ${id} undefined`, `removed two ${id} undefined`],
    ]);
    expect(told()).toEqual([`cluster.created ${id}`, `cluster.deleted ${id}`]);
  });

  it('stays when its data cannot be removed', async () => {
    const { clusters, told, create } = someClusters();
    const id = await create('Quay');
    clusters.onRemoving(() => {
      throw new Error('The disk is full.');
    });
    await expect(clusters.remove(id)).rejects.toThrow('The disk is full.');
    expect([clusters.require(id).name, told()]).toEqual(['Quay', [`cluster.created ${id}`]]);
  });

  it('is not there for any change, nor by its id', async () => {
    const { clusters, create } = someClusters();
    const id = await create('Quay');
    await clusters.remove(id);
    await expect(clusters.remove(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(clusters.update(id, { boards_enabled: true })).rejects.toMatchObject({ code: 'not_found' });
    expect(refusal(() => clusters.require(id))).toMatchObject({ code: 'not_found' });
    expect([clusters.find(id), clusters.find('quay')]).toEqual([undefined, undefined]);
  });
});

describe('A cluster', () => {
  it('is found by its id and its slug, and described with who is online', async () => {
    const { clock, clusters, create } = someClusters();
    clock.step(999);
    const id = await create('Old Quay');
    expect([clusters.find(id)?.id, clusters.find('old-quay')?.id, clusters.require(id).id]).toEqual([id, id, id]);
    expect(refusal(() => clusters.require('old-quay'))).toMatchObject({ code: 'not_found' });
    const described = clusters.get('old-quay', undefined);
    expect(described).toEqual({
      ...{ id, slug: 'old-quay', name: 'Old Quay', topic: '', description: '', visibility: 'public' },
      ...{ boards_enabled: false, props: null, created_at: Math.floor(clock.now() / 1000), online: id.length },
    });
    expect(clusters.get(id, undefined)).toEqual(described);
  });

  it('is told as changed only when something is different', async () => {
    const { clusters, told, create } = someClusters();
    const id = await create('Quay');
    await clusters.update(id, {});
    await clusters.update(id, { boards_enabled: false, props: {} });
    expect(told()).toHaveLength(1);
    expect(await clusters.update(id, { boards_enabled: true })).toMatchObject({ boards_enabled: true, props: null });
    expect(await clusters.update(id, { props: { lang: 'en' } })).toMatchObject({
      boards_enabled: true,
      props: { lang: 'en' },
    });
    await clusters.update(id, { boards_enabled: true, props: { lang: 'en' } });
    expect(told().slice(1)).toEqual([`cluster.updated ${id}`, `cluster.updated ${id}`]);
  });

  it('has a socket at the daemon’s own address', async () => {
    const { clusters } = someClusters({ address: 'https://mesh.example' });
    const { ws, cluster_id, token } = await clusters.create({});
    expect(ws).toBe(`wss://mesh.example/v1/clusters/${cluster_id}/ws?token=${token}`);
  });
});

describe('The catalog', () => {
  it('has pages that end with the last cluster, also when the last page is full', async () => {
    const { clusters, create } = someClusters();
    expect(clusters.list({})).toEqual({ clusters: [], count: 0, next_cursor: null });
    const ids: string[] = [];
    for (const name of ['A', 'B', 'C', 'D']) ids.push(await create(name, name === 'B' ? QUAY : undefined));
    const page = (limit: number, cursor?: string | null) => {
      const { count, next_cursor, clusters: rows } = clusters.list({ limit, ...(cursor && { cursor }) });
      return [rows.map(({ id }) => ids.indexOf(id)), count, next_cursor];
    };
    const [first, count, cursor] = page(2);
    expect([first, count, page(2, cursor as string), page(4)]).toEqual([
      ...[[0, 1], 4, [[2, 3], 4, null]],
      [[0, 1, 2, 3], 4, null],
    ]);
    expect(refusal(() => clusters.list({ cursor: 'x' }))).toMatchObject({ code: 'bad_request' });
  });

  it('counts boards while they are on, and names the place', async () => {
    const { clusters, create } = someClusters();
    const id = await create('Quay', QUAY);
    expect(clusters.list({}).clusters).toMatchObject([{ boards: 0, where: QUAY, online: id.length }]);
    await clusters.update(id, { boards_enabled: true, props: { where: null } });
    expect(clusters.list({}).clusters).toMatchObject([{ boards: id.length + 100, where: null }]);
  });
});

describe('Clusters with a place', () => {
  it('are told newest first, and that there are more only when there are', async () => {
    const { clusters, create } = someClusters();
    const [first, second] = [await create('First', QUAY), await create('Second', { lat: 1, lon: 2, label: 'Pier' })];
    await create('Nowhere');
    const all = [
      { id: second, slug: 'second', name: 'Second', where: { lat: 1, lon: 2, label: 'Pier' } },
      { id: first, slug: 'first', name: 'First', where: QUAY },
    ];
    expect(clusters.listPlaced(2)).toEqual({ clusters: all, isTruncated: false });
    expect(clusters.listPlaced(1)).toEqual({ clusters: all.slice(0, 1), isTruncated: true });
  });

  it('are looked for among the newest 20,000 public ones', async () => {
    const { database, clusters, create } = someClusters();
    const first = await create('First', QUAY);
    database
      .sql(
        `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO clusters (id, slug, name, topic, description, visibility, boards_enabled, created_ms)
         SELECT i, i, 'x', '', '', 'public', 0, 0 FROM n`,
      )
      .run();
    expect(clusters.listPlaced(9)).toMatchObject({ clusters: [{ id: first }], isTruncated: false });
    const last = await create('Last', QUAY);
    expect(clusters.listPlaced(9)).toMatchObject({ clusters: [{ id: last }], isTruncated: true });
  });
});

describe('The lobby', () => {
  const digests = { token: sha256('ck_lobby').toString('base64url'), admin: sha256('ak_lobby').toString('base64url') };

  it('is kept at each start, with the digests of its secrets', async () => {
    const { store, clusters, commands } = someClusters();
    await clusters.keepCommons(SECRETS);
    await clusters.keepCommons(undefined);
    expect(commands.map(({ kind, entity, body }) => [kind, entity, body])).toEqual([
      ['cluster.keep-commons', COMMONS.id, { digests }],
      ['cluster.keep-commons', COMMONS.id, { digests: null }],
    ]);
    expect(store.findWithDigests(COMMONS.id)?.digests).toEqual({
      token: sha256('ck_lobby'),
      admin: sha256('ak_lobby'),
    });
  });

  it('is not written while the store cannot be', async () => {
    const { clusters, commands } = someClusters({ isWritable: false });
    await clusters.keepCommons(SECRETS);
    expect(commands).toEqual([]);
  });

  it('belongs in a network to the daemon that created it', async () => {
    const { clusters, commands } = someClusters({ isShared: true });
    await clusters.keepCommons(SECRETS);
    await clusters.keepCommons(SECRETS);
    expect(commands).toHaveLength(1);
  });
});
