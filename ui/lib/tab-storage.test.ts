import { expect, it, vi } from 'vitest';
import { keepStorage } from '../app/comforts/kept-storage.js';
import { tabStorage } from './tab-storage.js';

/** A tab, whose storage can be cleared, as its pages find it. */
function tab() {
  const state = { stored: {} as Record<string, string>, history: { key: 'of the router' } as object };
  const storage = () => {
    const methods = {
      getItem: (name: string) => state.stored[name] ?? null,
      setItem: (name: string, value: string) => void Object.assign(state.stored, { [name]: value }),
      removeItem: (name: string) => void delete state.stored[name],
    };
    // As in a browser, what is stored is the object's own.
    return Object.assign(Object.create(methods), state.stored) as Storage;
  };
  const history = {
    get state() {
      return state.history;
    },
    replaceState: (next: object) => void Object.assign(state, { history: next }),
  };
  const leave = (storage: ReturnType<typeof tabStorage>) => {
    vi.stubGlobal('addEventListener', (_name: string, gone: () => void) => gone());
    keepStorage({ save: () => undefined }, storage, history as unknown as History);
    vi.unstubAllGlobals();
  };
  return { state, load: () => tabStorage(storage(), history as unknown as History), leave };
}

it('outlasts a clearing before the page is loaded anew, and one while it is open', () => {
  const { state, load, leave } = tab();
  const first = load();
  first.setItem('meshd.draft.a', 'half');
  state.stored = {};
  expect(first.getItem('meshd.draft.a')).toBe('half');
  leave(first);
  state.stored = {};
  expect(load().getItem('meshd.draft.a')).toBe('half');
  expect(state.history).toMatchObject({ key: 'of the router' });
});

it('takes what the storage has for newer than what the history has', () => {
  const { load, leave } = tab();
  const first = load();
  first.setItem('meshd.draft.a', 'half');
  leave(first);
  const second = load();
  second.removeItem('meshd.draft.a');
  expect(load().getItem('meshd.draft.a')).toBeNull();
});
