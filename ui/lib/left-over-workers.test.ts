import { expect, it } from 'vitest';
import { leaveLeftOverWorkers } from './left-over-workers.js';

/** A browser with service workers at these scopes. */
function browser({ scopes = [] as string[], keepsWorkers = false } = {}) {
  const stored = new Map<string, string>();
  const state = { scopes: [...scopes], caches: ['of-the-worker'], reloads: 0, said: 0 };
  const registrations = () =>
    state.scopes.map((scope) => ({
      unregister: async () => {
        if (!keepsWorkers) state.scopes = state.scopes.filter((one) => one !== scope);
        return !keepsWorkers;
      },
    }));
  const host = {
    mayReload: true,
    serviceWorker: { getRegistrations: async () => registrations() as unknown as ServiceWorkerRegistration[] },
    caches: {
      keys: async () => state.caches,
      delete: async (name: string) => {
        state.caches = state.caches.filter((one) => one !== name);
        return true;
      },
    },
    storage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
    reload: () => {
      state.reloads += 1;
    },
  };
  const say = () => {
    state.said += 1;
  };
  const load = (more: object = {}) => leaveLeftOverWorkers({ ...host, ...more }, say);
  return { state, load };
}

it('removes every worker and cache and reloads the page', async () => {
  const { state, load } = browser({ scopes: ['/', '/app/'] });
  await load();
  expect(state).toEqual({ scopes: [], caches: [], reloads: 1, said: 0 });
});

it('a worker that cannot be removed causes one reload, and words about it', async () => {
  const { state, load } = browser({ scopes: ['/'], keepsWorkers: true });
  await load();
  await load();
  await load();
  expect([state.reloads, state.said]).toEqual([1, 2]);
});

it('a page without any worker keeps its caches, and a browser that knows none is let be', async () => {
  const { state, load } = browser();
  await load({ serviceWorker: undefined, caches: undefined });
  expect(state).toEqual({ scopes: [], caches: ['of-the-worker'], reloads: 1, said: 0 });
});

it('a browser that keeps nothing of the page is not reloaded', async () => {
  const { state, load } = browser();
  await load({ mayReload: false });
  expect([state.reloads, state.said]).toEqual([0, 1]);
});

it('a browser that refuses to list workers does not stop the page', async () => {
  const { state, load } = browser();
  await load({ serviceWorker: { getRegistrations: () => Promise.reject(new Error('refused')) } });
  expect(state.reloads).toBe(1);
});
