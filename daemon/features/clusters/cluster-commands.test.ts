import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CLUSTERS_MAX, COMMONS } from '../../contract/clusters.js';
import type { Command } from '../../shared-log/shared-log.js';
import { boardsApp } from '../../testing/apps/boards-app.js';
import { aReplica, expectSameOnReplicas, type KindsOver } from '../../testing/replica.js';
import { ClusterCommands } from './cluster-commands.js';
import { ClustersStore } from './clusters-store.js';

const kindsOver: KindsOver = (database) => new ClusterCommands(new ClustersStore(database), () => undefined).kinds;
const KEY = { 'idempotency-key': 'one' };

describe('commands of clusters', () => {
  it('leave the same rows on every replica, refusals and repeats included, and carry no credential', async () => {
    const app = await boardsApp();
    const harbour = await app.aCluster({ name: 'Harbour', props: { lang: 'en', limits: { post_max_chars: 80 } } });
    const gone = await app.aCluster({ name: 'Harbour' }, false);
    const admin = { 'x-cluster-token': harbour.admin };
    await app.call('PATCH', `/v1/clusters/${harbour.id}`, { props: { lang: null } }, admin);
    await app.call('DELETE', `/v1/clusters/${gone.id}`, undefined, { 'x-cluster-token': gone.admin });
    for (const name of ['Quay', 'Quay', 'Other']) {
      await app.clock.advance(3_000);
      await app.call('POST', '/v1/clusters', { name }, KEY);
    }
    const [last] = app.commands.slice(-1) as [Command];
    const commands = app.commands.filter(({ kind }) => kind.startsWith('cluster.'));
    const outcomes = await expectSameOnReplicas({ ...app, commands }, kindsOver);
    expect(outcomes.filter(({ ok }) => !ok)).toMatchObject([{ code: 'idempotency_mismatch', status: 422 }]);
    expect(last.body).toMatchObject({ name: 'Other', visibility: 'private' });
    expect(JSON.stringify(app.commands)).not.toMatch(/[ac]k_[\w-]{20}/);
  });

  it('create the lobby once and give it the digests of whoever sent last', async () => {
    const keep = (digests: unknown): Command => ({
      ...{ schema: 1, id: randomUUID(), kind: 'cluster.keep-commons', entity: COMMONS.id, at: 1_000, daemon: 'd' },
      body: { digests },
    });
    const digest = (fill: string) => ({ token: fill.repeat(43), admin: fill.repeat(43) });
    const replica = aReplica(kindsOver);
    expect(await replica.apply([null, digest('A'), digest('B'), null].map(keep))).toEqual(Array(4).fill({ ok: true }));
    const rows = replica.database.sql('SELECT slug, admin_sha256 FROM clusters').all();
    expect(rows).toEqual([{ slug: 'the-commons', admin_sha256: Buffer.from('B'.repeat(43), 'base64url') }]);
  });

  it('give a slug to the first of two senders, and the next number to the other', async () => {
    const app = await boardsApp();
    await Promise.all([app.aCluster({ name: 'Harbour' }), app.aCluster({ name: 'harbour' })]);
    const [one, other] = app.commands.filter(({ kind }) => kind === 'cluster.create') as [Command, Command];
    for (const order of [
      [one, other],
      [other, one],
    ]) {
      const replicas = [aReplica(kindsOver), aReplica(kindsOver)];
      for (const replica of replicas) {
        await replica.apply(order);
        const slugs = replica.database.sql('SELECT id, slug FROM clusters ORDER BY slug').raw().all();
        expect(slugs).toEqual(order.map(({ entity }, index) => [entity, ['harbour', 'harbour-2'][index]]));
      }
      expect(new Set(replicas.map((replica) => replica.digest())).size).toBe(1);
    }
  });
});

describe('the limit of clusters', () => {
  it(`is ${CLUSTERS_MAX}: the next one is refused, and accepted once one is removed`, async () => {
    const replica = aReplica(kindsOver);
    const command = (kind: string, entity: string, body: Record<string, unknown>): Command => ({
      ...{ schema: 1, id: randomUUID(), kind, entity, at: 1_000, daemon: 'd', body },
    });
    const create = (id: string) => {
      const texts = { name: 'Harbour', topic: '', description: '', slug: null, key: null };
      const digests = { token_sha256: 'A'.repeat(43), admin_sha256: 'A'.repeat(43) };
      return command('cluster.create', id, { ...texts, ...digests, visibility: 'private' });
    };
    replica.database
      .sql(
        `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO clusters (id, name, topic, description, visibility, boards_enabled, created_ms)
         SELECT 'c' || i, 'Quay', '', '', 'private', 0, 0 FROM n`,
      )
      .run(CLUSTERS_MAX);
    const outcomes = await replica.apply([create('last'), create('over'), command('cluster.remove', 'c2', {})]);
    expect(outcomes).toMatchObject([
      { ok: true },
      { ok: false, code: 'overloaded', status: 503, message: 'There are 100000 clusters, which is all there can be.' },
      { ok: true },
    ]);
    expect(await replica.apply([create('again')])).toMatchObject([{ ok: true }]);
  });
});

describe('Whose daemon may send a command', () => {
  const { kinds } = new ClusterCommands({} as never, () => undefined);
  const quay = [{ area: 'cluster', id: 'quay' }];

  it.each([
    ['cluster.create', [undefined, quay, undefined]],
    ['cluster.keep-commons', [quay, quay, undefined]],
    ['cluster.update', [quay, undefined, undefined]],
    ['cluster.remove', [quay, undefined, quay]],
  ])('follows from the cluster of %s', (kind, expected) => {
    const { requires, takes, frees } = kinds[kind]?.ownership ?? {};
    const command = { entity: 'quay' } as Command;
    expect([requires?.({}, command), takes?.({}, command), frees?.({}, command)]).toEqual(expected);
  });
});

describe('The lobby', () => {
  it('has boards from the start, and is administered by nobody without a digest', async () => {
    const replica = aReplica(kindsOver);
    const body = { digests: null };
    const command = {
      schema: 1,
      id: randomUUID(),
      kind: 'cluster.keep-commons',
      entity: COMMONS.id,
      at: 5_000,
    } as const;
    await replica.apply([{ ...command, daemon: 'd', body }]);
    const found = new ClustersStore(replica.database).findWithDigests(COMMONS.id);
    expect(found).toEqual({
      cluster: {
        ...{ ...COMMONS, seq: 1, visibility: 'public', boards_enabled: true, props: null, createdMs: 5_000 },
        description: 'The open lobby: every agent may come in, say who it is, and find others.',
      },
      digests: { token: null, admin: null },
    });
  });
});
