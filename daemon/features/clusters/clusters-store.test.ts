import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Where } from '../../contract/clusters.js';
import { Database } from '../../storage/database/database.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type ClusterRow, ClustersStore, CREATION_KEYS } from './clusters-store.js';

const DIGESTS = { token: Buffer.alloc(32, 1), admin: Buffer.alloc(32, 2) };
const ROW: Omit<ClusterRow, 'seq' | 'id'> = {
  slug: null,
  name: 'Quay',
  topic: '#quay',
  description: 'A quay.',
  visibility: 'public',
  boards_enabled: false,
  props: null,
  createdMs: 5_000,
};

function aStore() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const store = new ClustersStore(database);
  const add = (id: string, given: Partial<ClusterRow> = {}) => store.insert({ ...ROW, id, ...given }, DIGESTS);
  const place = (id: string, where?: Where, given: Partial<ClusterRow> = {}) =>
    add(id, { props: where === undefined ? { lang: 'en' } : { where }, ...given });
  return { database, store, add, place };
}
const ids = (rows: readonly ClusterRow[]) => rows.map(({ id }) => id);

it('returns a cluster as it was stored, by its id or its slug', () => {
  const { store, add } = aStore();
  const props = { where: 'none' as const };
  add('first', { slug: 'quay', boards_enabled: true, props });
  add('second', { visibility: 'private' });
  const first = { ...ROW, seq: 1, id: 'first', slug: 'quay', boards_enabled: true, props };
  expect([store.find('first'), store.findBySlug('quay')]).toEqual([first, first]);
  expect(store.find('second')).toEqual({ ...ROW, seq: 2, id: 'second', visibility: 'private' });
  expect([store.find('quay'), store.findBySlug('first'), store.findWithDigests('third')]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
  expect(store.findWithDigests('first')).toEqual({ cluster: first, digests: DIGESTS });
  expect([store.getSeq('second'), store.getSeq('third'), store.size]).toEqual([2, undefined, 2]);
});

it('changes the rules and the digests of one cluster', () => {
  const { store, add } = aStore();
  for (const id of ['first', 'second']) add(id);
  store.setRules('first', true, { lang: 'de' });
  store.setDigests('first', { token: null, admin: DIGESTS.token });
  expect(store.findWithDigests('first')).toMatchObject({
    cluster: { boards_enabled: true, props: { lang: 'de' } },
    digests: { token: null, admin: DIGESTS.token },
  });
  store.setRules('first', false, null);
  expect(store.find('first')).toMatchObject({ boards_enabled: false, props: null });
  expect(store.findWithDigests('second')).toMatchObject({ cluster: { props: null }, digests: DIGESTS });
});

it('removes a cluster once, with the answer to its creation, and gives its place in the list to no other', () => {
  const { database, store, add } = aStore();
  const key = (name: string) => ({ scope: CREATION_KEYS, key: name, body_sha256: 'x' });
  let made = 0;
  const create = (name: string, id: string) =>
    store.once(key(name), 1_000, () => {
      made += 1;
      return { id };
    });
  for (const id of ['first', 'second']) {
    add(id);
    create(id, id);
  }
  expect([create('first', 'other'), made]).toEqual([{ id: 'first' }, 2]);
  expect([store.remove('second'), store.remove('second')]).toEqual([true, false]);
  expect(database.sql('SELECT key FROM shared_answers').pluck().all()).toEqual(['first']);
  add('second');
  expect([store.getSeq('second'), store.size]).toEqual([3, 2]);
});

it('lists public clusters after a place in the list, oldest first', () => {
  const { store, add } = aStore();
  for (const id of ['a', 'b', 'c', 'd']) add(id, { visibility: id === 'b' ? 'private' : 'public' });
  expect([ids(store.listPublic(0, 9)), ids(store.listPublic(1, 9)), ids(store.listPublic(0, 2))]).toEqual([
    ['a', 'c', 'd'],
    ['c', 'd'],
    ['a', 'c'],
  ]);
  expect([0, 1, 2, 3].map((count) => store.findBeforeNewest(count))).toEqual([4, 3, 1, undefined]);
});

it('lists public clusters with a place, if only a label', () => {
  const { store, add, place } = aStore();
  place('point', { lat: 1, lon: 2, label: 'Pier' });
  place('none', 'none');
  place('label', { label: 'Quay' });
  place('without');
  add('nothing');
  place('hidden', { label: 'Quay' }, { visibility: 'private' });
  place('last', { label: 'Mole' });
  expect([ids(store.listPlaced(0, 9)), ids(store.listPlaced(1, 9)), ids(store.listPlaced(0, 2))]).toEqual([
    ['last', 'label', 'point'],
    ['last', 'label'],
    ['last', 'label'],
  ]);
});

it('assigns a slug once, and then the next number of its base that is free', () => {
  const { store } = aStore();
  expect([store.isGiven('quay'), store.assignSlug('quay'), store.isGiven('quay')]).toEqual([false, 'quay', true]);
  expect([store.assignSlug('quay-3'), store.assignSlug('quay'), store.assignSlug('quay')]).toEqual([
    ...['quay-3', 'quay-2', 'quay-4'],
  ]);
  expect([store.assignSlug('quay-2'), store.assignSlug('pier')]).toEqual(['quay-2-2', 'pier']);
});

it('is written only while the database is', () => {
  const { database } = aStore();
  expect(new ClustersStore(database).isWritable).toBe(true);
  expect(new ClustersStore({ state: 'readonly' } as Database).isWritable).toBe(false);
});
