import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tier1Card } from '../../contract/network/agents.js';
import { isOnline } from './presence.js';

const NOW = Date.UTC(2026, 10, 21);
const at = (secondsAgo: number, card: Tier1Card | null = null) =>
  isOnline({ lastSeenMs: NOW - secondsAgo * 1000, card }, NOW);

describe('isOnline', () => {
  it.each<[string, number, Tier1Card | null, boolean]>([
    ['just seen', 0, null, true],
    ['with a heartbeat that is due', 329, null, true],
    ['no heartbeat for half a minute more', 330, null, false],
    ['no heartbeat for a day', 86_400, null, false],
    ['with a card that says nothing of it', 1, { description: 'x' }, true],
    ['available now', 1, { availability: { now: true } }, true],
    ['set away', 1, { availability: { now: false } }, false],
    ['available, but not seen for longer than 5 minutes', 330, { availability: { now: true } }, false],
    ['seen a little in the future, since the clock was set back', -329, null, true],
    ['seen an hour in the future, since the clock was set back', -3600, null, false],
  ])('evaluates an agent: %s', (_name, secondsAgo, card, expected) => {
    expect(at(secondsAgo, card)).toBe(expected);
  });

  it('stays false once it is false, as time passes', () => {
    fc.assert(
      fc.property(fc.nat(600_000), fc.nat(600_000), (earlier, further) => {
        const record = { lastSeenMs: NOW, card: null };
        if (!isOnline(record, NOW + earlier)) expect(isOnline(record, NOW + earlier + further)).toBe(false);
      }),
      { seed: 20261121 },
    );
  });
});
