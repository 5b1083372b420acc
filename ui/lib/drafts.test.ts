import { describe, expect, it } from 'vitest';
import { Drafts } from './drafts.js';

function aStorage() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

describe('Drafts', () => {
  it('restores a draft after a reload, separately for each place', () => {
    const storage = aStorage();
    const before = new Drafts(storage);
    before.write('member.consultant.raw', { text: 'half a sentence' });
    before.save();
    const after = new Drafts(storage);
    expect(after.read('member.consultant.raw')).toEqual({ text: 'half a sentence' });
    expect(after.read('member.developer.raw')).toBeUndefined();
  });

  it('removes the stored entry once the draft is cleared', () => {
    const storage = aStorage();
    const drafts = new Drafts(storage);
    drafts.write('team.new', { name: 'x' });
    drafts.save();
    drafts.write('team.new', undefined);
    drafts.save();
    expect(storage.kept.size).toBe(0);
  });

  it('keeps a draft that contains a token in memory only', () => {
    const storage = aStorage();
    const drafts = new Drafts(storage);
    drafts.write('member.consultant.raw', { text: `token: mk_${'a'.repeat(43)}` });
    drafts.save();
    expect(storage.kept.size).toBe(0);
    expect(drafts.read('member.consultant.raw')).toBeDefined();
  });

  it('returns the same object until the next write, and notifies watchers', () => {
    const drafts = new Drafts(aStorage());
    let notify = 0;
    drafts.watch(() => {
      notify += 1;
    });
    drafts.write('place', { a: 1 });
    expect(drafts.read('place')).toBe(drafts.read('place'));
    expect(notify).toBe(1);
    drafts.save();
  });

  it('keeps drafts in memory when the storage throws', () => {
    const broken = () => {
      throw new Error('denied');
    };
    const drafts = new Drafts({ getItem: broken, setItem: broken, removeItem: broken });
    drafts.write('place', 'text');
    drafts.save();
    expect(drafts.read('place')).toBe('text');
  });
});
