import { describe, expect, it } from 'vitest';
import { digestPatch, ViewedFiles } from './viewed-files.js';

function createStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    key: (at: number) => [...items.keys()][at] ?? null,
    get length() {
      return items.size;
    },
  };
}

describe('ViewedFiles', () => {
  it('keeps marks per conversation over a reload, and takes them back', () => {
    const storage = createStorage();
    const files = new ViewedFiles(storage, () => 1);
    let notified = 0;
    files.watch(() => {
      notified += 1;
    });
    files.set('conv-1', 'a.ts', 'x');
    files.set('conv-1', 'b.ts', 'y');
    files.set('conv-1', 'a.ts', undefined);
    expect(notified).toBe(3);
    expect(new ViewedFiles(storage, () => 2).read('conv-1')).toEqual({ 'b.ts': 'y' });
    expect(files.read('conv-2')).toEqual({});
    expect(files.read('conv-1')).toBe(files.read('conv-1'));
  });

  it('forgets the conversations that were marked longest ago, and survives broken storage', () => {
    const storage = createStorage();
    let now = 0;
    const files = new ViewedFiles(storage, () => ++now);
    storage.items.set('other', 'kept');
    for (let at = 0; at < 52; at += 1) files.set(`conv-${at}`, 'a.ts', 'x');
    expect(storage.items.has('meshd.viewed.conv-0')).toBe(false);
    expect(storage.items.has('meshd.viewed.conv-51')).toBe(true);
    expect(storage.items.get('other')).toBe('kept');
    storage.items.set('meshd.viewed.conv-x', '{broken');
    expect(files.read('conv-x')).toEqual({});
    const full = {
      ...createStorage(),
      setItem: () => {
        throw new Error('full');
      },
    };
    const inMemory = new ViewedFiles(full, () => 1);
    inMemory.set('conv-1', 'a.ts', 'x');
    expect(inMemory.read('conv-1')).toEqual({ 'a.ts': 'x' });
  });

  it('tells versions of a change apart', () => {
    expect(digestPatch('@@ a')).toBe(digestPatch('@@ a'));
    expect(digestPatch('@@ a')).not.toBe(digestPatch('@@ b'));
  });
});
