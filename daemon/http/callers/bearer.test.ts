import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { WrongCredentials } from './bearer.js';

describe('wrong credentials', () => {
  it('get unauthorized twenty times a minute per subject, then too_many_requests', () => {
    const wrong = new WrongCredentials(new FakeClock());
    const codes = Array.from({ length: 22 }, () => wrong.refuse('member a').code);
    expect(codes).toEqual([...Array(20).fill('unauthorized'), 'too_many_requests', 'too_many_requests']);
    expect(wrong.refuse('member b').code).toBe('unauthorized');
  });

  it('report how long to wait and are counted from zero after a minute, whatever the wall clock does', () => {
    const clock = new FakeClock();
    const wrong = new WrongCredentials(clock);
    for (let i = 0; i < 20; i += 1) wrong.refuse('a');
    clock.advance(45_000);
    clock.step(-3_600_000);
    expect(wrong.refuse('a').details).toEqual({ retry_after: 15 });
    clock.advance(15_000);
    expect(wrong.refuse('a').code).toBe('unauthorized');
  });

  it('of the subject whose minute began longest ago are forgotten first, beyond ten thousand subjects', () => {
    const clock = new FakeClock();
    const wrong = new WrongCredentials(clock);
    const isFull = (subject: string) => wrong.refuse(subject).code === 'too_many_requests';
    wrong.refuse('renewed');
    clock.advance(30_000);
    for (let i = 0; i < 21; i += 1) wrong.refuse('other');
    clock.advance(30_000);
    for (let i = 0; i < 21; i += 1) wrong.refuse('renewed');
    for (let i = 0; i < 9_999; i += 1) wrong.refuse(`subject ${i}`);
    expect([isFull('renewed'), isFull('other')]).toEqual([true, false]);
  });
});
