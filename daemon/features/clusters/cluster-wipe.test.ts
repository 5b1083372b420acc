import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { BoardCreated, PostCreated } from '../../contract/boards.js';
import type { ClusterCreated } from '../../contract/clusters.js';
import { clustersApp } from '../../testing/apps/clusters-app.js';

const KEY = { 'idempotency-key': 'the-key' };

it('leaves no trace of a deleted cluster in any table, and no Idempotency-Key returns it again', async () => {
  const app = await clustersApp();
  const body = { name: 'Harbour', visibility: 'public' };
  const make = async () => (await app.call('POST', '/v1/clusters', body, KEY)).body as ClusterCreated;
  const { cluster_id, token, admin_token } = await make();
  const admin = { 'x-cluster-token': admin_token as string };
  const path = `/v1/clusters/${cluster_id}`;
  await app.call('PATCH', path, { boards_enabled: true }, admin);
  const about = { slug: 'lamps', name: 'Lamps', kind: 'generic', about: 'Lamps.' };
  const board = ((await app.call('POST', `${path}/boards`, about, admin)).body as BoardCreated).id;
  const pin = await app.call('POST', `${path}/boards/lamps/posts?agent=ada`, { title: 'A lantern' }, KEY);
  const post = (pin.body as PostCreated).id;

  const digests = [token, admin_token].map((secret) =>
    createHash('sha256')
      .update(secret as string)
      .digest('hex'),
  );
  const tablesWith = (trace: string) => {
    const tables = app.database.sql(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all() as string[];
    return tables.filter((table) => {
      const rows = app.database.sql(`SELECT * FROM "${table}"`).raw().all() as unknown[][];
      return rows
        .flat()
        .some((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)).includes(trace));
    });
  };
  const traces = [cluster_id, board, post, 'A lantern', ...digests];
  expect(traces.map((trace) => tablesWith(trace).length > 0)).toEqual(traces.map(() => true));

  expect((await app.call('DELETE', path, undefined, admin)).status).toBe(200);
  expect(traces.flatMap(tablesWith)).toEqual([]);
  const again = await make();
  expect(again.cluster_id).not.toBe(cluster_id);
  expect(again.admin_token).toMatch(/^ak_/);
});
