import { describe, expect, it, onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { DriftWatch } from './drift-watch.js';

type Scope = 'project' | 'user';

/** A watch over the members in `members`, by their id the revision and the path of their source. */
function watched({ hasHome = true } = {}) {
  const bus = new Bus(new FakeClock());
  const told: string[] = [];
  bus.watch((event: MeshEvent) => {
    if (event.type === 'team.drifted') told.push(event.id);
  });
  const members = new Map<string, { revision: string; path?: string; scope?: Scope }>();
  const states = new Map<string, string>();
  const forbidden = new Set<string>();
  const warnings: string[] = [];
  const followed: Partial<Record<Scope, readonly string[]>> = {};
  const changes: Partial<Record<Scope, (path: string) => Promise<void>>> = {};
  const closed: Scope[] = [];
  const compared: string[] = [];
  let failure: Error | undefined;
  const watch = new DriftWatch({
    bus,
    team: { members: () => [...members].map(([id, { revision }]) => ({ id, revision })) as never },
    members: {
      find: async (id: string) => {
        const member = members.get(id);
        const { path, scope = 'project' } = member ?? {};
        return member && { id, content: { origin: path === undefined ? undefined : { path, scope } } };
      },
    } as never,
    drift: {
      mayLookAt: async (id: string) => !forbidden.has(id),
      getDriftState: async ({ id }: { id: string }) => {
        if (failure) throw failure;
        compared.push(id);
        return states.get(id);
      },
    } as never,
    watchFiles: (scope, onChange) => {
      changes[scope] = onChange;
      if (scope === 'user' && !hasHome) return undefined;
      const files = {
        follow: async (paths: readonly string[]) => {
          followed[scope] = paths;
        },
        close: async () => void closed.push(scope),
      };
      return files as never;
    },
    warn: (message) => void warnings.push(message),
  });
  onTestFinished(() => watch.close());
  return {
    ...{ watch, bus, told, members, states, forbidden, warnings, followed, closed, compared },
    change: (path: string, scope: Scope = 'project') => changes[scope]?.(path),
    fail: (error?: Error) => {
      failure = error;
    },
    /** Publishes that the roster changed, and waits until it was looked at. */
    async publish(type: 'team.created' | 'team.updated' | 'team.deleted', id: string) {
      bus.publish(type, { id } as never);
      await changes.project?.('nothing');
    },
  };
}

describe('at the start', () => {
  it('sources are followed, and nothing is told', async () => {
    const { watch, members, states, told, followed } = watched();
    members.set('a', { revision: '1', path: 'a.md' }).set('b', { revision: '1', path: 'a.md' });
    members.set('c', { revision: '1', path: 'c.md', scope: 'user' }).set('d', { revision: '1' });
    states.set('a', 'moved');
    await watch.start();
    expect(followed).toEqual({ project: ['a.md'], user: ['c.md'] });
    expect(told).toEqual([]);
  });

  it('a source that must not be looked at is not followed', async () => {
    const { watch, members, forbidden, followed, change, states, told } = watched();
    members.set('a', { revision: '1', path: 'a.md' });
    forbidden.add('a');
    await watch.start();
    states.set('a', 'moved');
    await change('a.md');
    expect([followed, told]).toEqual([{ project: [], user: [] }, []]);
  });
});

describe('a change of a source', () => {
  it('is told once, and again when it changes further or is settled', async () => {
    const { watch, members, states, told, change } = watched();
    members.set('a', { revision: '1', path: 'a.md' });
    await watch.start();
    await change('a.md');
    expect(told).toEqual([]);
    for (const [state, count] of [
      ['one', 1],
      ['one', 1],
      ['two', 2],
    ] as const) {
      states.set('a', state);
      await change('a.md');
      expect(told).toHaveLength(count);
    }
    states.delete('a');
    await change('a.md');
    expect(told).toEqual(['a', 'a', 'a']);
  });

  it('is that of the members with this source in this folder', async () => {
    const { watch, members, states, told, change, compared } = watched();
    members.set('a', { revision: '1', path: 'a.md' }).set('b', { revision: '1', path: 'a.md' });
    members.set('c', { revision: '1', path: 'a.md', scope: 'user' }).set('d', { revision: '1', path: 'd.md' });
    members.set('e', { revision: '1' });
    await watch.start();
    compared.length = 0;
    for (const id of members.keys()) states.set(id, 'moved');
    await change('a.md');
    expect([told, compared]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    await change('a.md', 'user');
    expect(told).toEqual(['a', 'b', 'c']);
  });
});

describe('a change of the roster', () => {
  it.each(['team.created', 'team.updated', 'team.deleted'] as const)('is followed: %s', async (type) => {
    const { watch, members, states, told, followed, publish } = watched();
    await watch.start();
    members.set('a', { revision: '1', path: 'a.md' });
    states.set('a', 'moved');
    await publish(type, 'a');
    expect([told, followed.project]).toEqual([['a'], ['a.md']]);
  });

  it('that is none is not', async () => {
    const { watch, members, bus, change, followed } = watched();
    await watch.start();
    members.set('a', { revision: '1', path: 'a.md' });
    bus.publish('team.drifted', { id: 'a' });
    await change('nothing');
    expect(followed.project).toEqual([]);
  });

  it('compares the members that were edited, with what was known of them', async () => {
    const { watch, members, states, told, compared, publish } = watched();
    members.set('a', { revision: '1', path: 'a.md' }).set('b', { revision: '1', path: 'b.md' });
    states.set('a', 'moved').set('b', 'moved');
    await watch.start();
    compared.length = 0;
    members.set('a', { revision: '2', path: 'a.md' });
    await publish('team.updated', 'a');
    expect([told, compared]).toEqual([[], ['a']]);
    states.delete('a');
    members.set('a', { revision: '3', path: 'a.md' });
    await publish('team.updated', 'a');
    expect(told).toEqual(['a']);
  });

  it('ends what was followed of a member that is gone or has no source any more', async () => {
    const { watch, members, states, told, followed, publish } = watched();
    members.set('a', { revision: '1', path: 'a.md' }).set('b', { revision: '1', path: 'b.md' });
    states.set('a', 'moved').set('b', 'moved');
    await watch.start();
    members.delete('a');
    members.set('b', { revision: '2' });
    await publish('team.deleted', 'a');
    expect([followed.project, told]).toEqual([[], ['b']]);
    members.set('a', { revision: '1', path: 'a.md' });
    await publish('team.created', 'a');
    expect([followed.project, told]).toEqual([['a.md'], ['b', 'a']]);
  });

  it('is looked at once for changes at the same time', async () => {
    const { watch, members, bus, compared, change } = watched();
    await watch.start();
    members.set('a', { revision: '1', path: 'a.md' });
    for (let at = 0; at < 3; at += 1) bus.publish('team.updated', { id: 'a' } as never);
    await change('nothing');
    expect(compared).toEqual(['a']);
  });
});

it('an error is a warning, and the next change is looked at', async () => {
  const { watch, members, states, told, warnings, change, fail } = watched();
  members.set('a', { revision: '1', path: 'a.md' });
  await watch.start();
  fail(new Error('No space.'));
  await change('a.md');
  expect(warnings).toEqual(['Looking at the sources of imported members: No space.']);
  fail();
  states.set('a', 'moved');
  await change('a.md');
  expect(told).toEqual(['a']);
});

it('nothing is looked at once it is closed, also without a home folder', async () => {
  const { watch, members, states, told, change, closed, publish, compared } = watched({ hasHome: false });
  members.set('a', { revision: '1', path: 'a.md' });
  await watch.start();
  await watch.close();
  compared.length = 0;
  states.set('a', 'moved');
  members.set('a', { revision: '2', path: 'a.md' });
  await change('a.md');
  await publish('team.updated', 'a');
  expect([closed, told, compared]).toEqual([['project'], [], []]);
});
