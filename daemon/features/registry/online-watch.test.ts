import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { OnlineWatch } from './online-watch.js';

const MINUTE = 60_000;

function aWatch() {
  const clock = new FakeClock();
  const received: string[] = [];
  const watch = new OnlineWatch(
    clock,
    (agentId, isOnline) => void received.push(`${agentId} ${isOnline ? 'on' : 'off'}`),
  );
  return { clock, told: received, watch };
}

describe('OnlineWatch', () => {
  it('reports an agent online once and offline exactly five minutes after its last sign of life', () => {
    const { clock, told: received, watch } = aWatch();
    watch.note('a', clock.now(), false);
    watch.note('a', clock.now(), false);
    clock.advance(5 * MINUTE - 1);
    expect([received, watch.onlineUntilMs('a')]).toEqual([['a on'], clock.now() + 1]);
    clock.advance(1);
    expect([received, watch.onlineUntilMs('a')]).toEqual([['a on', 'a off'], 0]);
  });

  it('keeps an agent online while it is seen again in time', () => {
    const { clock, told: received, watch } = aWatch();
    for (let i = 0; i < 10; i += 1) {
      watch.note('a', clock.now(), false);
      clock.advance(4 * MINUTE);
    }
    expect(received).toEqual(['a on']);
  });

  it('reports an agent offline once, as soon as it sets itself away', () => {
    const { clock, told: received, watch } = aWatch();
    watch.note('a', clock.now(), false);
    watch.note('a', clock.now(), true);
    watch.note('a', clock.now(), true);
    clock.advance(10 * MINUTE);
    expect(received).toEqual(['a on', 'a off']);
  });

  it('reports an agent online again after away and times it out from its original sign of life', () => {
    const { clock, told: received, watch } = aWatch();
    const seen = clock.now();
    watch.note('a', seen, true);
    clock.advance(4 * MINUTE);
    watch.note('b', clock.now(), false);
    watch.note('a', seen, false);
    clock.advance(MINUTE);
    expect(received).toEqual(['b on', 'a on', 'a off']);
  });

  it('reports each of many agents that time out together', () => {
    const { clock, told: received, watch } = aWatch();
    for (let i = 0; i < 50; i += 1) {
      watch.note(`a${i}`, clock.now(), false);
      clock.advance(10);
    }
    clock.advance(5 * MINUTE + 250);
    expect(received.filter((line) => line.endsWith('off'))).toHaveLength(50);
  });

  it('resumes agents that were online without a notification and stops tracking forgotten ones', () => {
    const { clock, told: received, watch } = aWatch();
    watch.resume([
      { agent_id: 'a', last_seen_ms: clock.now() - 4 * MINUTE },
      { agent_id: 'b', last_seen_ms: clock.now() },
    ]);
    watch.forget('b');
    expect(received).toEqual([]);
    clock.advance(6 * MINUTE);
    expect(received).toEqual(['a off']);
  });

  it('reports an agent offline when the clock is set back before its last sign of life', () => {
    const { clock, told: received, watch } = aWatch();
    watch.note('a', clock.now(), false);
    clock.step(-60 * MINUTE);
    clock.advance(5 * MINUTE);
    expect(received).toEqual(['a on', 'a off']);
  });
});
