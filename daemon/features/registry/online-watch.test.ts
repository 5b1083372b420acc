import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { OnlineWatch } from './online-watch.js';

const MINUTE = 60_000;
const ONLINE_MS = 330_000;

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
  it('reports an agent online once and offline exactly half a minute after its next heartbeat was due', () => {
    const { clock, told: received, watch } = aWatch();
    watch.note('a', clock.now(), false);
    watch.note('a', clock.now(), false);
    clock.advance(ONLINE_MS - 1);
    expect([received, watch.onlineUntilMs('a')]).toEqual([['a on'], clock.now() + 1]);
    clock.advance(1);
    expect([received, watch.onlineUntilMs('a')]).toEqual([['a on', 'a off'], 0]);
  });

  it('knows one agent by any spelling of its id', () => {
    const { clock, told: received, watch } = aWatch();
    watch.note('Painter', clock.now(), false);
    watch.note('painter', clock.now(), false);
    expect([received, watch.onlineUntilMs('PAINTER')]).toEqual([['Painter on'], clock.now() + ONLINE_MS]);
    watch.note('painter', clock.now(), true);
    expect([received.at(-1), watch.onlineUntilMs('Painter')]).toEqual(['painter off', 0]);
    watch.resume([{ agent_id: 'Painter', last_seen_ms: clock.now() }]);
    watch.forget('PAINTER');
    expect(watch.onlineUntilMs('Painter')).toBe(0);
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
    clock.advance(ONLINE_MS - 4 * MINUTE);
    expect(received).toEqual(['b on', 'a on', 'a off']);
  });

  it('reports each of many agents that time out together', () => {
    const { clock, told: received, watch } = aWatch();
    for (let i = 0; i < 50; i += 1) {
      watch.note(`a${i}`, clock.now(), false);
      clock.advance(10);
    }
    clock.advance(ONLINE_MS + 250);
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
    clock.advance(ONLINE_MS);
    expect(received).toEqual(['a on', 'a off']);
  });

  it('looks at most four times a second, however close together agents time out', () => {
    const { clock, told: received, watch } = aWatch();
    watch.note('a', clock.now(), false);
    clock.advance(10);
    watch.note('b', clock.now(), false);
    clock.advance(ONLINE_MS - 10);
    expect(received.splice(0)).toEqual(['a on', 'b on', 'a off']);
    clock.advance(249);
    expect([received, watch.onlineUntilMs('b')]).toEqual([[], 0]);
    clock.advance(1);
    expect(received).toEqual(['b off']);
  });

  it('has one timer while somebody is online, for whoever times out first, and none otherwise', () => {
    const { clock, told: received, watch } = aWatch();
    const seen = clock.now();
    clock.advance(4 * MINUTE);
    expect(clock.pending).toBe(0);
    watch.note('late', clock.now(), false);
    watch.note('early', seen, false);
    watch.note('later', clock.now(), false);
    expect(clock.pending).toBe(1);
    received.length = 0;
    clock.advance(ONLINE_MS - 4 * MINUTE);
    expect([received.splice(0), clock.pending]).toEqual([['early off'], 1]);
    clock.advance(4 * MINUTE);
    expect([received, clock.pending]).toEqual([['late off', 'later off'], 0]);
  });

  it('knows until when an agent is online, which a clock that was set forward ends', () => {
    const { clock, watch } = aWatch();
    watch.note('a', clock.now() - MINUTE, false);
    expect([watch.onlineUntilMs('a'), watch.onlineUntilMs('b')]).toEqual([clock.now() + ONLINE_MS - MINUTE, 0]);
    clock.step(ONLINE_MS - MINUTE);
    expect(watch.onlineUntilMs('a')).toBe(0);
  });

  it('reports nothing once it has stopped, and watches those whom it resumes afterwards', () => {
    const { clock, told: received, watch } = aWatch();
    watch.note('a', clock.now(), false);
    watch.stop();
    expect([clock.pending, watch.onlineUntilMs('a')]).toEqual([0, 0]);
    watch.stop();
    clock.advance(MINUTE);
    received.length = 0;
    watch.resume([{ agent_id: 'b', last_seen_ms: clock.now() }]);
    clock.advance(ONLINE_MS);
    expect(received).toEqual(['b off']);
  });
});
