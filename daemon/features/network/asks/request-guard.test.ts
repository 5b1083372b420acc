import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NETWORK_REQUEST_CLOCK_MS, NETWORK_REQUESTS_PER_MINUTE } from '../../../contract/shared/network-asks.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { RequestGuard } from './request-guard.js';

function aGuard() {
  const clock = new FakeClock();
  const guard = new RequestGuard(clock);
  const take = (daemon: string, { id = randomUUID(), offMs = 0 }: { id?: string; offMs?: number } = {}) =>
    guard.take(daemon, { id, at: clock.now() + offMs });
  return { clock, guard, take };
}

describe('The date of a request', () => {
  it.each([NETWORK_REQUEST_CLOCK_MS, -NETWORK_REQUEST_CLOCK_MS, 0])('may differ by %i ms', (offMs) => {
    expect(aGuard().take('ada', { offMs })).toBe(true);
  });

  it.each([
    [NETWORK_REQUEST_CLOCK_MS + 1, '120 seconds ahead'],
    [-NETWORK_REQUEST_CLOCK_MS - 1, '120 seconds back'],
    [-3_600_000, '3600 seconds back'],
  ])('that differs by %i ms is refused with how far it is off', (offMs, text) => {
    expect(() => aGuard().take('ada', { offMs })).toThrow(
      expect.objectContaining({ code: 'bad_signature', message: expect.stringContaining(`is dated ${text}: set`) }),
    );
  });
});

describe('A request that is sent again', () => {
  it('is not taken while its date would be accepted, whoever else sent that id', () => {
    const { clock, guard, take } = aGuard();
    const request = { id: 'one', at: clock.now() + 60_000 };
    expect([guard.take('ada', request), guard.take('ada', request), guard.take('ben', request)]).toEqual([
      ...[true, false, true],
    ]);
    clock.advance(60_000 + NETWORK_REQUEST_CLOCK_MS);
    expect(guard.take('ada', request)).toBe(false);
    clock.advance(1);
    expect(() => guard.take('ada', request)).toThrow(expect.objectContaining({ code: 'bad_signature' }));
    // The id alone may come again once nothing that has it can be sent again.
    expect(take('ada', { id: 'one' })).toBe(true);
  });

  it('counts neither against the minute', () => {
    const { take } = aGuard();
    take('ada', { id: 'one' });
    for (let n = 0; n < 2 * NETWORK_REQUESTS_PER_MINUTE; n += 1) expect(take('ada', { id: 'one' })).toBe(false);
    expect(take('ada')).toBe(true);
  });
});

describe('The requests of one daemon', () => {
  it('are so many a minute, and the refusal says when the next is taken', () => {
    const { clock, take } = aGuard();
    take('ada');
    clock.advance(20_500);
    for (let n = 1; n < NETWORK_REQUESTS_PER_MINUTE; n += 1) expect(take('ada')).toBe(true);
    const refused = (seconds: number) =>
      expect.objectContaining({
        code: 'too_many_requests',
        message: `A daemon may send ${NETWORK_REQUESTS_PER_MINUTE} requests a minute: wait ${seconds} s.`,
      });
    expect(() => take('ada')).toThrow(refused(40));
    expect(take('ben')).toBe(true);
    clock.advance(39_499);
    expect(() => take('ada')).toThrow(refused(1));
    clock.advance(1);
    expect(take('ada')).toBe(true);
    expect(() => take('ada')).toThrow(refused(21));
  });

  it('of two thousand daemons are remembered; a further one waits until those of another are too old', () => {
    const { clock, take } = aGuard();
    for (let n = 0; n < 2_000; n += 1) take(`daemon ${n}`);
    expect(() => take('ada')).toThrow(
      expect.objectContaining({ code: 'too_many_requests', message: expect.stringContaining('Too many daemons') }),
    );
    expect(take('daemon 7')).toBe(true);
    clock.advance(NETWORK_REQUEST_CLOCK_MS);
    expect(() => take('ada')).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
    take('daemon 8', { id: 'late' });
    const late = { id: 'late' };
    clock.advance(1);
    expect(take('ada')).toBe(true);
    // What could still be sent again is not forgotten.
    expect(take('daemon 8', late)).toBe(false);
  });
});
