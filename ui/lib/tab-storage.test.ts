import { expect, it, vi } from 'vitest';
import { keepStorage } from '../app/comforts/kept-storage.js';
import { tabStorage } from './tab-storage.js';

/** A tab, whose storage can be cleared, as its pages find it. */
function tab(name = '') {
  const state = { stored: {} as Record<string, string>, name };
  const load = () => {
    const methods = {
      setItem: (at: string, value: string) => void Object.assign(state.stored, { [at]: value }),
      removeItem: (at: string) => void delete state.stored[at],
    };
    // As in a browser, what is stored is the object's own.
    const storage = tabStorage(Object.assign(Object.create(methods), state.stored) as Storage, state);
    let leave = () => {};
    vi.stubGlobal('addEventListener', (_name: string, gone: () => void) => {
      leave = gone;
    });
    keepStorage({ save: () => undefined }, storage, state);
    vi.unstubAllGlobals();
    return Object.assign(storage, { leave });
  };
  return { state, load };
}

it('outlasts a clearing before the page is loaded anew, and one while it is open', () => {
  const { state, load } = tab('of another program');
  const first = load();
  first.setItem('meshd.draft.a', 'half');
  state.stored = {};
  expect(first.getItem('meshd.draft.a')).toBe('half');
  first.leave();
  state.stored = {};
  expect(load().getItem('meshd.draft.a')).toBe('half');
  expect([state.name, state.stored['meshd.draft.a']]).toEqual(['', 'half']);
});

it('takes what the storage has for newer than what the name has', () => {
  const { state, load } = tab();
  const first = load();
  first.setItem('meshd.draft.a', 'half');
  first.leave();
  delete state.stored['meshd.draft.a'];
  expect(load().getItem('meshd.draft.a')).toBeNull();
});
