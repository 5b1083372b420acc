import { describe, expect, it } from 'vitest';
import type { AgentRecord } from '../../../daemon/contract/hub.js';
import type { RegistryRecord } from '../../../daemon/contract/registry.js';
import { cardDifferences, cardValueWords, standingOf, standingRemark } from './surface-words.js';

const hub = { agent_id: 'painter' } as AgentRecord;
const v1 = (registered: boolean, catalog: object | null = null) =>
  ({ agent_id: 'painter', registered, catalog }) as RegistryRecord;

describe('registration on both surfaces', () => {
  it.each([
    [{ hub, v1: v1(true) }, 'both'],
    [{ hub, v1: null }, 'hub only'],
    [{ hub, v1: v1(false, {}) }, 'hub only'],
    [{ hub: null, v1: v1(true) }, 'v1 only'],
    [{ hub: null, v1: v1(false, {}) }, 'catalog only'],
    [{ hub: null, v1: null }, 'nowhere'],
  ])('%#: %j', (records, standing) => expect(standingOf(records)).toBe(standing));

  it('suggests the command for a missing registration, and nothing for a complete one', () => {
    expect(standingRemark('hub only', 'painter')?.command).toBe('meshd agent register painter --surface v1');
    expect(standingRemark('v1 only', 'painter')?.command).toBe('meshd agent register painter --surface hub');
    expect(standingRemark('catalog only', 'painter')?.command).toBe('meshd agent register painter');
    expect(standingRemark('both', 'painter')).toBeUndefined();
  });
});

describe('card comparison', () => {
  it('lists the keys with different values', () => {
    expect(
      cardDifferences({ tags: ['a'], category: 'x' }, { tags: ['a'], category: 'y', endpoint: 'https://a.example' }),
    ).toEqual(['category', 'endpoint']);
    expect(cardDifferences({ tags: ['a'] }, { tags: ['a'] })).toEqual([]);
  });

  it('formats values on one line', () => {
    expect([undefined, [], ['a', 'b'], 'x', { now: true }].map((value) => cardValueWords(value))).toEqual([
      'nothing',
      'none',
      'a, b',
      'x',
      '{"now":true}',
    ]);
  });
});
