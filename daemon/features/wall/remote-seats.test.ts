import { expect, it } from 'vitest';
import { REMOTE_SEATS_MAX, type RemoteSeat } from '../../contract/shared/peer-frames.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { ClusterHub } from '../clusters/cluster-hub.js';
import { RemoteSeats } from './remote-seats.js';

const QUAY = { id: 'c_quay', visibility: 'public' } as const;
const seat = (handle: string, masked = false): RemoteSeat => ({ handle, did: null, masked });

function aHub() {
  const clock = new FakeClock();
  const rooms = new ClusterHub(clock, { isReachable: true });
  const seats = new RemoteSeats(rooms, clock);
  const list = (peer: string, handles: string[], part = 1, of = 1) =>
    seats.take(peer, QUAY, { part, of, seats: handles.map((handle) => seat(handle)), gone: [] });
  return { clock, rooms, seats, list, shown: () => rooms.shown(QUAY.id) };
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
  const { seats, list, rooms, shown } = aHub();
  list('a', ['one', 'both']);
  list('b', ['both']);
  expect(rooms.count(QUAY.id)).toBe(2);
  const change = (peer: string, changed: RemoteSeat[], gone: string[]) =>
    seats.take(peer, QUAY, { part: 0, of: 0, seats: changed, gone });
  change('a', [seat('one', true)], ['both']);
  expect(shown()).toEqual(['private-1', 'both']);
  change('b', [], ['both', 'one']);
  expect(shown()).toEqual(['private-1']);
  seats.removePeer('a');
  expect(rooms.find(QUAY.id)).toBeUndefined();
});

it('drops what was not repeated for a minute, more than the limit, and what is no handle', () => {
  const { clock, seats, list, rooms, shown } = aHub();
  list('a', ['one']);
  clock.advance(30_000);
  list('b', ['two']);
  clock.advance(30_000);
  seats.removeStale();
  expect(shown()).toEqual(['two']);
  expect(list('a', ['ok', 'not\u202Eok'])).toBe('form');
  for (let part = 1; part * 400 <= REMOTE_SEATS_MAX; part += 1)
    expect(
      list(
        'c',
        Array.from({ length: 400 }, (_, n) => `c${part}-${n}`),
        part,
        1_000,
      ),
    ).toBeUndefined();
  expect(list('c', ['more'], 51, 1_000)).toBe('rate');
  expect(rooms.count(QUAY.id)).toBe(REMOTE_SEATS_MAX + 1);
});

it('lists members again after their cluster was closed and is there again', () => {
  const { rooms, list, shown } = aHub();
  list('a', ['one']);
  rooms.close(QUAY.id, 'It was deleted.');
  expect(shown()).toEqual([]);
  list('a', ['one']);
  expect(shown()).toEqual(['one']);
});
