import { expect, it } from 'vitest';
import { leaveLeftOverWorkers } from './left-over-workers.js';

/** A browser with service workers at these scopes, one of which may control the page. */
function browser({ scopes = [] as string[], isControlled = false, keepsWorkers = false } = {}) {
  const stored = new Map<string, string>();
  const state = { scopes: [...scopes], caches: ['of-the-worker'], reloads: 0 };
  const registrations = () =>
    state.scopes.map((scope) => ({
      unregister: async () => {
        if (!keepsWorkers) state.scopes = state.scopes.filter((one) => one !== scope);
        return !keepsWorkers;
      },
    }));
  const host = () => ({
    serviceWorker: {
      controller: isControlled && state.scopes.length > 0 ? ({} as ServiceWorker) : null,
      getRegistrations: async () => registrations() as unknown as ServiceWorkerRegistration[],
    },
    caches: {
      keys: async () => state.caches,
      delete: async (name: string) => {
        state.caches = state.caches.filter((one) => one !== name);
        return true;
      },
    },
    getStorage: () => ({
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    }),
    reload: () => {
      state.reloads += 1;
    },
  });
  return { state, load: () => leaveLeftOverWorkers(host()), host, stored };
}

it('a page controlled by a worker removes all workers and caches and is reloaded once', async () => {
  const { state, load, stored } = browser({ scopes: ['/', '/app/'], isControlled: true });
  expect(await load()).toBe(true);
  expect(state).toEqual({ scopes: [], caches: [], reloads: 1 });
  expect(await load()).toBe(false);
  expect(state.reloads).toBe(1);
  expect(stored.size).toBe(0);
});

it('a worker that cannot be removed causes one reload and no loop', async () => {
  const { state, load } = browser({ scopes: ['/'], isControlled: true, keepsWorkers: true });
  expect([await load(), await load(), await load()]).toEqual([true, false, false]);
  expect(state.reloads).toBe(1);
});

it('an uncontrolled page removes the workers of other scopes and is not reloaded', async () => {
  const { state, load } = browser({ scopes: ['/old/'] });
  expect(await load()).toBe(false);
  await expect.poll(() => state).toEqual({ scopes: [], caches: [], reloads: 0 });
});

it('a page keeps its caches when there is no worker or the browser has no service workers', async () => {
  const { state, load, host } = browser();
  expect(await load()).toBe(false);
  await Promise.resolve();
  expect(state.caches).toEqual(['of-the-worker']);
  expect(await leaveLeftOverWorkers({ ...host(), serviceWorker: undefined, caches: undefined })).toBe(false);
});

it('a browser that refuses to list workers does not stop the page', async () => {
  const { host } = browser();
  const refusing = { controller: null, getRegistrations: () => Promise.reject(new Error('refused')) };
  expect(await leaveLeftOverWorkers({ ...host(), serviceWorker: refusing })).toBe(false);
});

it('a page without storage removes the workers and is not reloaded', async () => {
  const getStorage = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  for (const isControlled of [true, false]) {
    const { state, host } = browser({ scopes: ['/'], isControlled });
    expect(await leaveLeftOverWorkers({ ...host(), getStorage })).toBe(false);
    await expect.poll(() => state).toEqual({ scopes: [], caches: [], reloads: 0 });
  }
});
