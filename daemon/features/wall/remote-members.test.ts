import { expect, it } from 'vitest';
import { REMOTE_MEMBERS_MAX, type RemoteMember } from '../../contract/shared/peer-frames.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { ClusterHub } from '../clusters/cluster-hub.js';
import { RemoteMembers } from './remote-members.js';

const QUAY = { id: 'c_quay', visibility: 'public' } as const;
const member = (handle: string, masked = false): RemoteMember => ({ handle, did: null, masked });

function aHub() {
  const clock = new FakeClock();
  const hub = new ClusterHub(clock, { isReachable: true });
  const placed: string[] = [];
  const placeRemote: ClusterHub['placeRemote'] = (cluster, one) => {
    placed.push(`${one.handle} ${one.vis}`);
    return hub.placeRemote(cluster, one);
  };
  const members = new RemoteMembers({ placeRemote }, clock);
  const list = (peer: string, handles: string[], part = 1, of = 1) =>
    members.take(peer, QUAY, { part, of, members: handles.map((handle) => member(handle)), gone: [] });
  const change = (peer: string, changed: RemoteMember[], gone: string[] = []) =>
    members.take(peer, QUAY, { part: 0, of: 0, members: changed, gone });
  return { clock, hub, members, placed, list, change, shown: () => hub.shown(QUAY.id) };
}

it('replaces a list once its last part has come, and skips one of which a part is missing', () => {
  const { list, shown } = aHub();
  list('a', ['one', 'two']);
  list('a', ['three'], 1, 2);
  expect(shown()).toEqual(['one', 'two', 'three']);
  list('a', ['four'], 2, 2);
  expect(shown()).toEqual(['three', 'four']);
  list('a', ['five'], 1, 3);
  list('a', ['six'], 3, 3);
  expect(shown()).toEqual(['three', 'four', 'five']);
});

it('takes changes, and counts a handle at several daemons once, until the last is gone', () => {
  const { members, list, change, hub, shown } = aHub();
  list('a', ['one', 'both']);
  list('b', ['both']);
  expect(hub.count(QUAY.id)).toBe(2);
  change('a', [member('one', true)], ['both']);
  expect(shown()).toEqual(['private-1', 'both']);
  change('b', [], ['both', 'one']);
  expect(shown()).toEqual(['private-1']);
  members.removePeer('a');
  expect(hub.find(QUAY.id)).toBeUndefined();
});

it('drops what was not repeated for a minute, more than the limit, and what is no handle', () => {
  const { clock, members, list, hub, shown } = aHub();
  list('a', ['one']);
  clock.advance(30_000);
  list('b', ['two']);
  clock.advance(30_000);
  members.removeStale();
  expect(shown()).toEqual(['two']);
  expect(list('a', ['ok', 'not\u202Eok'])).toBe('form');
  for (let part = 1; part * 400 <= REMOTE_MEMBERS_MAX; part += 1)
    expect(
      list(
        'c',
        Array.from({ length: 400 }, (_, n) => `c${part}-${n}`),
        part,
        1_000,
      ),
    ).toBeUndefined();
  expect(list('c', ['more'], 51, 1_000)).toBe('rate');
  expect(hub.count(QUAY.id)).toBe(REMOTE_MEMBERS_MAX + 1);
});

it('lists members again after their cluster was closed and is there again', () => {
  const { hub, list, shown } = aHub();
  list('a', ['one']);
  hub.close(QUAY.id, 'It was deleted.');
  expect(shown()).toEqual([]);
  list('a', ['one']);
  expect(shown()).toEqual(['one']);
});

it('drops a part beyond the last, and takes the last', () => {
  const { list, shown } = aHub();
  expect([list('a', ['one'], 3, 2), list('a', ['one'], 1, 0), shown()]).toEqual(['form', 'form', []]);
  expect([list('a', ['one'], 1, 1), shown()]).toEqual([undefined, ['one']]);
});

it('keeps whom a change added until a whole list is without them', () => {
  const { list, change, shown } = aHub();
  list('a', ['one']);
  change('a', [member('two')]);
  change('a', [member('three')]);
  expect(shown()).toEqual(['one', 'two', 'three']);
  list('a', ['one', 'three']);
  expect(shown()).toEqual(['one', 'three']);
});

it('places a member again only when its identity or its mask has changed', () => {
  const { list, change, placed, shown, hub, members } = aHub();
  list('a', ['one', 'two']);
  list('a', ['one', 'two']);
  change('a', [member('one')]);
  expect(placed).toEqual(['one public', 'two public']);
  const before = members.find('a', QUAY.id, 'one');
  change('a', [{ ...member('one'), did: 'did:key:a' }]);
  change('a', [{ ...member('two', true) }]);
  expect(placed.slice(2)).toEqual(['one public', 'two private']);
  expect([before?.isGone, members.find('a', QUAY.id, 'one')?.member]).toMatchObject([
    true,
    { handle: 'one', did: 'did:key:a', vis: 'public', isOwner: false },
  ]);
  expect([shown(), hub.count(QUAY.id)]).toEqual([['one', 'private-1'], 2]);
});

it('finds the connection of a handle by its daemon and its cluster', () => {
  const { list, members } = aHub();
  list('a', ['one']);
  expect(members.find('a', QUAY.id, 'one')?.member).toMatchObject({ handle: 'one' });
  for (const [peer, cluster, handle] of [
    ['b', QUAY.id, 'one'],
    ['a', 'else', 'one'],
    ['a', QUAY.id, 'two'],
  ] as const)
    expect(members.find(peer, cluster, handle)).toBeUndefined();
});

it.each([
  ['its silence', 60_000],
  ['its absence', 0],
])('forgets with the members of a daemon the list that it had begun: after %s', (_why, ms) => {
  const { clock, members, list, shown } = aHub();
  list('a', ['one'], 1, 3);
  clock.advance(ms);
  if (ms > 0) members.removeStale();
  else members.removePeer('a');
  expect(shown()).toEqual([]);
  expect([list('a', ['two'], 2, 3), shown()]).toEqual([undefined, []]);
});

it('keeps what was heard within a minute', () => {
  const { clock, members, list, shown } = aHub();
  list('a', ['one']);
  clock.advance(59_999);
  members.removeStale();
  expect(shown()).toEqual(['one']);
});

it('counts the members of one daemon in all clusters together', () => {
  const { members } = aHub();
  const take = (peer: string, id: string, count: number) =>
    members.take(
      peer,
      { id, visibility: 'public' },
      { part: 0, of: 0, gone: [], members: Array.from({ length: count }, (_, n) => member(`m${n}`)) },
    );
  expect(take('a', 'one', REMOTE_MEMBERS_MAX - 1)).toBeUndefined();
  expect([take('a', 'two', 2), take('b', 'two', 2), take('a', 'two', 1)]).toEqual(['rate', undefined, undefined]);
  // Who is listed already is told again without limit.
  expect([take('a', 'one', 400), take('a', 'two', 1), take('a', 'two', 2)]).toEqual([undefined, undefined, 'rate']);
});

it('removes the members of all daemons at once', () => {
  const { members, list, shown } = aHub();
  list('a', ['one']);
  list('b', ['two']);
  members.removeAll();
  expect(shown()).toEqual([]);
});
