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
  const members = new RemoteMembers(hub, clock);
  const list = (peer: string, handles: string[], part = 1, of = 1) =>
    members.take(peer, QUAY, { part, of, members: handles.map((handle) => member(handle)), gone: [] });
  return { clock, hub, members, list, shown: () => hub.shown(QUAY.id) };
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
  const { members, list, hub, shown } = aHub();
  list('a', ['one', 'both']);
  list('b', ['both']);
  expect(hub.count(QUAY.id)).toBe(2);
  const change = (peer: string, changed: RemoteMember[], gone: string[]) =>
    members.take(peer, QUAY, { part: 0, of: 0, members: changed, gone });
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
