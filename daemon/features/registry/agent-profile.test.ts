import { describe, expect, it } from 'vitest';
import { checkProfile, differs } from './agent-profile.js';
import type { RegistryRow } from './registry-store.js';

const ROW: RegistryRow = {
  seq: 1,
  agent_id: 'painter',
  rid: 'r1',
  api_key_hash: Buffer.alloc(32),
  description: null,
  capabilities: [],
  endpoint: null,
  agent_card: null,
  pubkey: null,
  is_verified: false,
  avail_status: null,
  registered_ms: 1,
  last_seen_ms: 1,
  catalog: null,
};

describe('What an agent says of itself', () => {
  it.each([
    ['nothing', {}, {}],
    ['an empty description', { description: '' }, { description: '' }],
    ['capabilities', { capabilities: [] }, { capabilities: [] }],
    ['a card without an endpoint', { agent_card: { tags: ['x'] } }, { agent_card: { tags: ['x'] } }],
    [
      'a card with an endpoint, which is that of the agent',
      { agent_card: { endpoint: 'https://a.example/' } },
      { agent_card: { endpoint: 'https://a.example/' }, endpoint: 'https://a.example/' },
    ],
    [
      'an endpoint beside that of the card, which it overrides',
      { agent_card: { endpoint: 'https://a.example/' }, endpoint: 'https://b.example/' },
      { agent_card: { endpoint: 'https://a.example/' }, endpoint: 'https://b.example/' },
    ],
  ])('holds exactly what was named: %s', (_name, body, profile) => {
    expect(checkProfile(body)).toEqual(profile);
    expect(Object.keys(checkProfile(body)).sort()).toEqual(Object.keys(profile).sort());
  });

  it.each([
    [{ endpoint: 'http://a.example/' }, 'plaintext_endpoint'],
    [{ endpoint: 'a.example' }, 'bad_request'],
    [{ agent_card: { endpoint: 'http://a.example/' } }, 'plaintext_endpoint'],
    [{ agent_card: { skills: [] } }, 'unknown_card_key'],
  ])('is refused for what no agent may say (case %#)', (body, code) => {
    expect(() => checkProfile(body)).toThrow(expect.objectContaining({ code }));
  });
});

describe('Two states of an agent', () => {
  it('differ by whatever others see, and not by when it was last seen', () => {
    expect(differs(ROW, { ...ROW })).toBe(false);
    expect(differs(ROW, { ...ROW, last_seen_ms: 2 })).toBe(false);
    expect(differs(ROW, { ...ROW, description: '' })).toBe(true);
    expect(differs({ ...ROW, agent_card: {} }, { ...ROW, agent_card: { tags: ['x'] } })).toBe(true);
  });
});
