import { describe, expect, it } from 'vitest';
import { Lifecycle, type LifecycleEntry } from './lifecycle.js';

/** Entries that record their steps. Each step ends a microtask after it began. */
function recorded(names: readonly string[], steps: readonly (keyof LifecycleEntry)[] = ['start', 'settle', 'stop']) {
  const done: string[] = [];
  const entries = names.map((name): LifecycleEntry => {
    const step = (kind: string) => async () => {
      await Promise.resolve();
      done.push(`${kind} ${name}`);
    };
    return { name, ...Object.fromEntries(steps.filter((kind) => kind !== 'name').map((kind) => [kind, step(kind)])) };
  });
  return { done, entries };
}

describe('Lifecycle', () => {
  it('starts and settles entries in order, and stops them in reverse order, one at a time', async () => {
    const { done, entries } = recorded(['store', 'server', 'asks']);
    const lifecycle = new Lifecycle(entries);
    await lifecycle.start();
    await lifecycle.settle();
    await lifecycle.stop();
    expect(done).toEqual([
      'start store',
      'start server',
      'start asks',
      'settle store',
      'settle server',
      'settle asks',
      'stop asks',
      'stop server',
      'stop store',
    ]);
  });

  it('rejects a start with the error of the failed entry, starts no further entry, and stops all entries', async () => {
    const { done, entries } = recorded(['store', 'asks'], ['start', 'stop']);
    const taken = new Error('The port is taken.');
    const server: LifecycleEntry = {
      name: 'server',
      start: () => Promise.reject(taken),
      stop: () => {
        throw new Error('It does not stop.');
      },
    };
    const lifecycle = new Lifecycle([entries[0] as LifecycleEntry, server, entries[1] as LifecycleEntry]);
    await expect(lifecycle.start()).rejects.toBe(taken);
    expect(done).toEqual(['start store', 'stop asks', 'stop store']);
  });

  it('waits for a start step that is running before it stops any entry, and starts no further entry', async () => {
    const { done, entries } = recorded(['store', 'asks'], ['start', 'stop']);
    let listens = () => {};
    const server: LifecycleEntry = {
      name: 'server',
      start: () =>
        new Promise<void>((resolve) => {
          listens = resolve;
        }),
      stop: () => done.push('stop server'),
    };
    const lifecycle = new Lifecycle([entries[0] as LifecycleEntry, server, entries[1] as LifecycleEntry]);
    const starting = expect(lifecycle.start()).rejects.toThrow('stop while it started');
    await new Promise(setImmediate);
    const stopping = lifecycle.stop();
    await new Promise(setImmediate);
    expect(done).toEqual(['start store']);
    listens();
    await Promise.all([starting, stopping]);
    expect(done).toEqual(['start store', 'stop asks', 'stop server', 'stop store']);
  });

  it('stops the other entries when some fail to stop, and rejects with the error of the first', async () => {
    const { done, entries } = recorded(['store', 'asks'], ['stop']);
    const stuck = new Error('It does not stop.');
    const failing = (name: string, error: Error): LifecycleEntry => ({ name, stop: () => Promise.reject(error) });
    const [store, asks] = entries as [LifecycleEntry, LifecycleEntry];
    const server = failing('server', stuck);
    const lifecycle = new Lifecycle([failing('log', new Error('It has no server.')), store, server, asks]);
    await expect(lifecycle.stop()).rejects.toBe(stuck);
    expect(done).toEqual(['stop asks', 'stop store']);
  });

  it('stops only once when stop is called twice', async () => {
    const { done, entries } = recorded(['store'], ['stop']);
    const lifecycle = new Lifecycle(entries);
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    expect(done).toEqual(['stop store']);
  });

  it('stops an entry that is settling, and those before it, once it has settled, and settles no other', async () => {
    const { done, entries } = recorded(['store', 'asks'], ['stop']);
    let settled = () => {};
    const directories: LifecycleEntry = {
      name: 'directories',
      settle: () =>
        new Promise<void>((resolve) => {
          settled = resolve;
        }),
      stop: () => done.push('stop directories'),
    };
    const later: LifecycleEntry = { ...(entries[1] as LifecycleEntry), settle: () => done.push('settle asks') };
    const lifecycle = new Lifecycle([entries[0] as LifecycleEntry, directories, later]);
    const settling = lifecycle.settle();
    await new Promise(setImmediate);
    const stopping = lifecycle.stop();
    await new Promise(setImmediate);
    expect(done).toEqual([]);
    settled();
    await Promise.all([settling, stopping]);
    expect(done).toEqual(['stop asks', 'stop directories', 'stop store']);
  });
});
