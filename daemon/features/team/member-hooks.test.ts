import { describe, expect, it } from 'vitest';
import { type MemberVersion, withDefaults } from './member-file.js';
import { MemberHooks } from './member-hooks.js';
import type { Undo } from './team-store.js';

const version = (exposure: MemberVersion['exposure']): MemberVersion => ({
  ...withDefaults('ada', { exposure }, ''),
  ...{ body: '', unknown_keys: [], revision: '' },
});

/** Hooks of each kind that note their calls, of which the first two throw. */
function hooksThatFail() {
  const hooks = new MemberHooks();
  const calls: string[] = [];
  for (const number of [1, 2, 3]) {
    const note = (kind: string) => async (id: string, more?: string) => {
      calls.push([kind, number, id, ...(more === undefined ? [] : [more])].join(' '));
      if (number < 3) throw new Error(`${kind} ${number}`);
    };
    hooks.onRemoved(note('removed'));
    hooks.onGone(note('gone'));
    hooks.onBecameSingleton(note('singleton'));
    hooks.onChanged(note('changed'));
    hooks.onExposureChanged(note('exposure'));
  }
  return { hooks, calls };
}

describe('the hooks after a change', () => {
  it.each<[string, (hooks: MemberHooks) => Promise<unknown>, string]>([
    ['removed', (hooks) => hooks.afterRemoval('ada', 'disk'), ' disk'],
    ['gone', (hooks) => hooks.afterGone('ada'), ''],
    ['singleton', (hooks) => hooks.afterBecomingSingleton('ada'), ''],
    ['changed', (hooks) => hooks.afterChange('ada'), ''],
    ['exposure', (hooks) => hooks.afterExposureChange('ada', 'external'), ' external'],
  ])('all run in their order when some fail, and the first failure is returned: %s', async (kind, run, more) => {
    const { hooks, calls } = hooksThatFail();
    expect(await run(hooks)).toEqual(new Error(`${kind} 1`));
    expect(calls).toEqual([1, 2, 3].map((number) => `${kind} ${number} ada${more}`));
  });

  it('return nothing when none fails', async () => {
    const hooks = new MemberHooks();
    hooks.onRemoved(async () => undefined);
    expect(await hooks.afterRemoval('ada', 'edit')).toBeUndefined();
    expect(await hooks.afterChange('ada')).toBeUndefined();
  });
});

describe('the hooks before a member becomes external', () => {
  function opening() {
    const hooks = new MemberHooks();
    const calls: string[] = [];
    const undos: Undo[] = [];
    const ifNotWritten = (undo: Undo) => void undos.push(undo);
    hooks.onOpening(async (member) => void calls.push(`opening ${member.id}`));
    hooks.onExposing(async (id) => {
      calls.push(`exposing ${id}`);
      return async () => void calls.push(`undone ${id}`);
    });
    return { hooks, calls, undos, ifNotWritten };
  }

  it('run once it does, those that may refuse first, and what takes them back is kept', async () => {
    const { hooks, calls, undos, ifNotWritten } = opening();
    await hooks.beforeOpening('ada', { next: version('external'), ifNotWritten });
    expect(calls).toEqual(['opening ada', 'exposing ada']);
    expect(undos).toHaveLength(1);
    await undos[0]?.();
    expect(calls.at(-1)).toBe('undone ada');
    await hooks.beforeOpening('ada', { before: version('internal'), next: version('external'), ifNotWritten });
    expect(undos).toHaveLength(2);
  });

  it('do not run for a member that is or becomes internal, nor for one that was external before', async () => {
    const { hooks, calls, ifNotWritten } = opening();
    await hooks.beforeOpening('ada', { next: version('internal'), ifNotWritten });
    await hooks.beforeOpening('ada', { before: version('external'), next: version('internal'), ifNotWritten });
    await hooks.beforeOpening('ada', { before: version('external'), next: version('external'), ifNotWritten });
    expect(calls).toEqual([]);
  });

  it('do nothing further when one refuses', async () => {
    const { hooks, calls, undos, ifNotWritten } = opening();
    hooks.onOpening(async () => {
      throw new Error('refused');
    });
    await expect(hooks.beforeOpening('ada', { next: version('external'), ifNotWritten })).rejects.toThrow('refused');
    expect(calls).toEqual(['opening ada']);
    expect(undos).toEqual([]);
  });
});
