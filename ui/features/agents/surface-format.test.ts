import { describe, expect, it } from 'vitest';
import type { AgentRecord } from '../../../daemon/contract/network/hub.js';
import type { RegistryRecord } from '../../../daemon/contract/network/registry.js';
import { cardDifferences, describeRegistrationState, formatCardValue, getRegistrationState } from './surface-format.js';

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
  ])('%#: %j', (records, registration) => expect(getRegistrationState(records)).toBe(registration));

  it('suggests the command for a missing registration, and nothing for a complete one', () => {
    expect(describeRegistrationState('hub only', 'painter')?.command).toBe('meshd agent register painter --surface v1');
    expect(describeRegistrationState('v1 only', 'painter')?.command).toBe('meshd agent register painter --surface hub');
    expect(describeRegistrationState('catalog only', 'painter')?.command).toBe('meshd agent register painter');
    expect(describeRegistrationState('both', 'painter')).toBeUndefined();
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
    expect([undefined, [], ['a', 'b'], 'x', { now: true }].map((value) => formatCardValue(value))).toEqual([
      'nothing',
      'none',
      'a, b',
      'x',
      '{"now":true}',
    ]);
  });
});
