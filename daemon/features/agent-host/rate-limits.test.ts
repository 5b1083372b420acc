import { describe, expect, it } from 'vitest';
import { isMeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { type RateLimit, RateLimits } from './rate-limits.js';

function limits(limit: RateLimit) {
  const clock = new FakeClock();
  const limited = new RateLimits(limit, clock);
  /** Returns the seconds after which to retry, or undefined when the call is admitted. */
  const call = (address = 'a'): number | undefined => {
    try {
      limited.admit(address);
      return undefined;
    } catch (error) {
      if (!isMeshError(error, 'too_many_requests')) throw error;
      return error.details['retry_after'] as number;
    }
  };
  return { clock, limited, call };
}

describe('RateLimits', () => {
  it.each<[keyof RateLimit, number]>([
    ['per_ip_per_minute', 60],
    ['per_ip_per_hour', 3_600],
    ['per_ip_per_day', 86_400],
  ])('limits one address by %s and no other for %i s', (name, seconds) => {
    const { clock, call } = limits({ [name]: 2 });
    expect([call(), call(), call(), call('b')]).toEqual([undefined, undefined, seconds, undefined]);
    clock.advance(seconds * 1000 - 1);
    expect(call()).toBe(1);
    clock.advance(1);
    expect(call()).toBeUndefined();
  });

  it('limits all addresses when the daily total is used up', () => {
    const { clock, call } = limits({ per_day: 3 });
    expect(['a', 'b', 'c', 'd'].map((address) => call(address))).toEqual([undefined, undefined, undefined, 86_400]);
    clock.advance(86_400_000);
    expect(call('d')).toBeUndefined();
  });

  it('does not count rejected calls', () => {
    const { clock, call } = limits({ per_ip_per_minute: 1, per_ip_per_hour: 2 });
    for (let i = 0; i < 10; i += 1) call();
    clock.advance(60_000);
    expect([call(), call()]).toEqual([undefined, 60]);
    clock.advance(60_000);
    expect(call()).toBe(3_480);
  });

  it('does not count the repeats of a challenged call, up to a hundred an hour', () => {
    const { clock, limited, call } = limits({ per_ip_per_day: 1 });
    expect(call()).toBeUndefined();
    for (const _hour of [1, 2]) {
      for (let i = 0; i < 100; i += 1) limited.admit('a', 'nonce');
      expect(() => limited.admit('a', 'nonce')).toThrow('This agent takes 1 call a day from one address');
      clock.advance(3_600_000);
    }
  });

  it('admits everything without a limit and tracks a bounded number of addresses', () => {
    const free = limits({});
    for (let i = 0; i < 100; i += 1) expect(free.call()).toBeUndefined();
    const { call } = limits({ per_ip_per_day: 1 });
    expect([call('first'), call('first')]).toEqual([undefined, 86_400]);
    for (let i = 0; i < 10_000; i += 1) call(`10.0.${i}`);
    expect(call('first')).toBeUndefined();
  });

  it('forgets the address that has not called for longest, not the one it has known for longest', () => {
    const { call } = limits({ per_ip_per_day: 2 });
    expect([call('regular'), call('idle'), call('idle')]).toEqual([undefined, undefined, undefined]);
    for (let i = 0; i < 9_998; i += 1) call(`10.0.${i}`);
    expect(call('regular')).toBeUndefined();
    call('another');
    expect([call('regular'), call('idle')]).toEqual([86_400, undefined]);
  });

  it.each([
    [{ per_ip_per_minute: 1 }, 'This agent takes 1 call a minute from one address: wait 60 s.'],
    [{ per_ip_per_hour: 1 }, 'This agent takes 1 call an hour from one address: wait 3600 s.'],
    [{ per_ip_per_day: 1 }, 'This agent takes 1 call a day from one address: wait 86400 s.'],
    [{ per_day: 1 }, 'This agent takes 1 call a day: wait 86400 s.'],
  ])('tells which limit is reached, and how long to wait: %j', (limit, message) => {
    const limited = new RateLimits(limit, new FakeClock());
    limited.admit('a');
    expect(() => limited.admit('a')).toThrow(message);
  });
});
