import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { type SavedClusterRecord, SavedClustersStore } from './saved-clusters-store.js';

const KEPT = { handle: 'ivy', vis: 'private', held: false, token: 'ck_1', admin_token: null } as const;
const record = (cluster_id: string, given: Partial<SavedClusterRecord> = {}): SavedClusterRecord => ({
  ...{ cluster_id, ...KEPT, ...given },
});

async function aStore(content: JsonObject | null = null, readError?: Error) {
  const file = {
    path: 'rooms.json',
    content,
    writes: 0,
    async read() {
      if (readError) throw readError;
      return file.content;
    },
    async write(data: JsonObject) {
      file.content = data;
      file.writes += 1;
    },
  };
  const store = new SavedClustersStore(file);
  return { file, store, problem: await store.load() };
}

describe('The file of saved clusters', () => {
  it('is read with its order, and tokens that it does not name are none', async () => {
    const { store, problem } = await aStore({ b: KEPT, a: { handle: 'oak', vis: 'ghost', held: true } });
    expect(problem).toBeUndefined();
    const oak = { handle: 'oak', vis: 'ghost', held: true, token: null, admin_token: null };
    expect(store.list()).toEqual([record('b'), { cluster_id: 'a', ...oak }]);
    expect([store.size, store.find('b'), store.find('c')]).toEqual([2, record('b'), undefined]);
  });

  it('is empty when it is not there', async () => {
    const { store, problem } = await aStore();
    expect([problem, store.list(), store.size]).toEqual([undefined, [], 0]);
  });

  it('holds each change, without the id in what it is kept under, and what is saved again in its place', async () => {
    const { file, store } = await aStore();
    await store.put(record('b'));
    await store.put(record('a', { admin_token: 'ak_1' }));
    await store.put(record('b', { held: true }));
    expect(Object.entries(file.content ?? {})).toEqual([
      ['b', { ...KEPT, held: true }],
      ['a', { ...KEPT, admin_token: 'ak_1' }],
    ]);
    await store.remove('b');
    expect([file.content, store.size, store.find('b')]).toEqual([
      { a: { ...KEPT, admin_token: 'ak_1' } },
      1,
      undefined,
    ]);
    await store.remove('b');
    expect(file.writes).toBe(4);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['no handle', { vis: 'public', held: true }],
    ['a handle that is none', { ...KEPT, handle: ' ivy' }],
    ['a visibility that there is not', { ...KEPT, vis: 'secret' }],
    ['no word on whether it is held', { handle: 'ivy', vis: 'public' }],
    ['a word on it that is none', { ...KEPT, held: 'yes' }],
    ['an empty token', { ...KEPT, token: '' }],
    ['a token that is no text', { ...KEPT, token: 7 }],
    ['an empty admin token', { ...KEPT, admin_token: '' }],
    ['an admin token that is no text', { ...KEPT, admin_token: true }],
  ])('is damaged with %s in it, and then neither used nor written', async (_what, entry) => {
    const { file, store, problem } = await aStore({ a: KEPT, b: entry });
    const message = 'rooms.json is damaged: fix it, or remove it to start without saved clusters.';
    expect(problem).toMatchObject({ code: 'store_readonly', message });
    for (const act of [() => store.list(), () => store.find('a'), () => store.size]) expect(act).toThrow(problem);
    await expect(store.put(record('c'))).rejects.toBe(problem);
    await expect(store.remove('a')).rejects.toBe(problem);
    expect(file.writes).toBe(0);
  });

  it('that cannot be read is a problem that is told, and any other failure is no such problem', async () => {
    const forbidden = new MeshError('forbidden', 'It is a link.');
    expect((await aStore(null, forbidden)).problem).toBe(forbidden);
    await expect(aStore(null, new Error('a bug'))).rejects.toThrow('a bug');
  });
});
