import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { heldOpen } from '../../testing/held-open.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { JsonFile, type JsonObject } from './json-file.js';
import { JsonObjectStore, JsonStore } from './json-store.js';

const plain = { parse: (content: JsonObject | null) => content ?? {}, stringify: (data: JsonObject) => data };

function aStore(text?: string) {
  const path = join(temporaryFolder(), 'store.json');
  if (text !== undefined) writeFileSync(path, text);
  const file = new JsonFile(path, 0o600);
  return { path, file, store: new JsonStore(file, plain), written: () => JSON.parse(readFileSync(path, 'utf8')) };
}

describe('JsonStore', () => {
  it('is empty without a file, and writes a file that only its owner can read', async () => {
    const { path, store, written } = aStore();
    await store.load();
    expect(store.data).toEqual({});
    await store.update((data) => ({ ...data, a: 1 }));
    expect(written()).toEqual({ a: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    await store.read();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('runs updates one after another, each on the result of the last one', async () => {
    const { store, written } = aStore('{"n": 0}');
    const add = (data: JsonObject) => ({ n: Number(data['n']) + 1 });
    await Promise.all(Array.from({ length: 20 }, () => store.update(add)));
    expect(written()).toEqual({ n: 20 });
  });

  it('keeps the old data in memory and on disk when a write fails, and continues', async () => {
    const { file, store, written } = aStore('{"a": 1}');
    await store.load();
    const before = store.data;
    const write = file.write.bind(file);
    file.write = () => Promise.reject(new Error('full'));
    await expect(store.update(() => ({ a: 2 }))).rejects.toThrow('full');
    expect(store.data).toBe(before);
    expect(written()).toEqual({ a: 1 });
    file.write = write;
    await store.update((data) => ({ ...data, b: 3 }));
    expect(written()).toEqual({ a: 1, b: 3 });
  });

  it('changes its memory only after the change is on disk', async () => {
    const { file, store } = aStore('{"a": 1}');
    const write = file.write.bind(file);
    file.write = async (value) => {
      await write(value);
      expect(store.data).toEqual({ a: 1 });
    };
    await store.update(() => ({ a: 2 }));
    expect(store.data).toEqual({ a: 2 });
  });

  it('writes nothing when an update changes nothing', async () => {
    const { path, store } = aStore();
    await store.update((data) => data);
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  it.each([
    ['a torn file', '{"a": 1, "b'],
    ['a list', '[1]'],
    ['an empty file', ''],
  ])('never overwrites %s, and works once it is repaired', async (_case, text) => {
    const { path, store } = aStore(text);
    for (const _ of [1, 2])
      await expect(store.update(() => ({ a: 2 }))).rejects.toMatchObject({ code: 'store_readonly' });
    expect(readFileSync(path, 'utf8')).toBe(text);
    rmSync(path);
    await store.update(() => ({ a: 2 }));
    expect(store.data).toEqual({ a: 2 });
  });

  it.each([
    ['a link', (path: string, other: string) => symlinkSync(other, path)],
    ['a hard link', (path: string, other: string) => linkSync(other, path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('rejects %s in place of its file', async (_case, put) => {
    const { path, store } = aStore();
    const other = join(temporaryFolder(), 'other.json');
    writeFileSync(other, '{"a": 1}');
    put(path, other);
    await expect(store.update(() => ({ a: 2 }))).rejects.toMatchObject({ code: 'forbidden' });
    expect(readFileSync(other, 'utf8')).toBe('{"a": 1}');
  });
});

describe('JsonFile', () => {
  it.each([
    ['secret', 'is not JSON'],
    ['"secret"', 'is not a JSON object'],
    ['null', 'is not a JSON object'],
    ['["secret"]', 'is not a JSON object'],
    ['7', 'is not a JSON object'],
  ])('says why it cannot read %s, without quoting it', async (text, how) => {
    const { path, file } = aStore(text);
    await expect(file.read()).rejects.toMatchObject({
      code: 'store_readonly',
      message: `${path} ${how}: mend it, or remove it to start it anew.`,
    });
  });

  it('returns null when there is no file, and writes text that people can read', async () => {
    const { path, file } = aStore();
    expect(await file.read()).toBeNull();
    await file.write({ a: [1] });
    expect(readFileSync(path, 'utf8')).toBe('{\n  "a": [\n    1\n  ]\n}\n');
    expect(await file.read()).toEqual({ a: [1] });
    await new JsonFile(path, 0o644).write({ b: 2 });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it('reports a failed disk as the store’s, and holds no file open', async () => {
    const { path, file } = aStore('{}');
    const handle = await open(path, 'r');
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const reading = vi.spyOn(prototype, 'readFile');
    onTestFinished(() => void vi.restoreAllMocks());
    reading.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
    await expect(file.read()).rejects.toMatchObject({ code: 'store_readonly' });
    expect(await file.read()).toEqual({});
    expect(heldOpen(path)).toEqual([]);
  });
});

it('a store of one object has what is in its file, and nothing without one', async () => {
  const { file } = aStore('{"a": 1}');
  const store = new JsonObjectStore(file);
  expect(store.data).toEqual({});
  await store.read();
  expect(store.data).toEqual({ a: 1 });
});

it('reads its file once, however often it is loaded', async () => {
  const { file, store } = aStore('{"a": 1}');
  const read = vi.spyOn(file, 'read');
  await Promise.all([store.load(), store.load()]);
  await store.load();
  expect([read.mock.calls.length, store.data]).toEqual([1, { a: 1 }]);
});
