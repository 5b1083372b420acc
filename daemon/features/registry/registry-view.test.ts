import { describe, expect, it } from 'vitest';
import type { RegistryRow } from './registry-store.js';
import { getAvailStatus, isLive, toRegistryRecord } from './registry-view.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const HASH = Buffer.from('0'.repeat(64), 'hex');

const aRow = (keys: Partial<RegistryRow> = {}): RegistryRow => ({
  seq: 1,
  agent_id: 'painter',
  rid: 'r1',
  api_key_hash: HASH,
  description: null,
  capabilities: [],
  endpoint: null,
  agent_card: null,
  pubkey: null,
  is_verified: false,
  avail_status: null,
  registered_ms: NOW - 86_400_000,
  last_seen_ms: NOW,
  catalog: null,
  ...keys,
});

const silent = { last_seen_ms: NOW - 330_000 };
const away = { agent_card: { availability: { now: false } } };

describe('avail_status', () => {
  it.each([
    ['available while it is live', {}, 'available'],
    ['available just before the last heartbeat is too old', { last_seen_ms: NOW - 329_999 }, 'available'],
    ['unknown once the last heartbeat is too old', silent, 'unknown'],
    ['away when its card says so', away, 'away'],
    ['away when its card says so, silent or not', { ...away, ...silent }, 'away'],
    ['what the agent has set', { avail_status: 'busy' }, 'busy'],
    ['what the agent has set, whatever its card says', { avail_status: 'available', ...away }, 'available'],
    ['unknown for a catalog entry that nobody has registered', { rid: null, last_seen_ms: null }, 'unknown'],
  ] as const)('is %s', (_name, keys, expected) => {
    expect(getAvailStatus(aRow(keys as Partial<RegistryRow>), NOW)).toBe(expected);
  });
});

describe('Registry record', () => {
  it('is live only while registered, seen a short time ago and not away', () => {
    expect([aRow(), aRow(silent), aRow(away), aRow({ rid: null })].map((row) => isLive(row, NOW))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("never contains the key's hash or the registration id", () => {
    const text = JSON.stringify(toRegistryRecord(aRow(), NOW));
    expect(text).not.toMatch(/hash|rid|"data"/);
    expect(text).not.toContain('r1');
  });

  it("uses the card's description when the agent has none of its own", () => {
    const agent_card = { description: 'By the card.' };
    expect(toRegistryRecord(aRow({ agent_card }), NOW).description).toBe('By the card.');
    expect(toRegistryRecord(aRow({ agent_card, description: 'By itself.' }), NOW).description).toBe('By itself.');
  });

  it('has whole seconds, and every field of the row that others may see', () => {
    const row = aRow({
      ...{ description: 'Paints.', capabilities: ['oil'], endpoint: 'https://painter.example/', pubkey: 'key' },
      ...{ is_verified: true, registered_ms: 1_999, last_seen_ms: NOW + 999 },
    });
    expect(toRegistryRecord(row, NOW)).toEqual({
      agent_id: 'painter',
      registered: true,
      live: true,
      verified: true,
      avail_status: 'available',
      endpoint: 'https://painter.example/',
      pubkey: 'key',
      agent_card: { endpoint: 'https://painter.example/', description: 'Paints.', tags: ['oil'] },
      description: 'Paints.',
      capabilities: ['oil'],
      registered_at: 1,
      last_seen: NOW / 1000,
      catalog: null,
    });
  });

  it('of an entry that nobody has registered has no card and no times, and is neither live nor verified', () => {
    const keys = { rid: null, registered_ms: null, last_seen_ms: null, api_key_hash: null };
    expect(toRegistryRecord(aRow(keys), NOW)).toMatchObject({
      ...{ registered: false, live: false, verified: false, agent_card: null, description: null },
      ...{ registered_at: null, last_seen: null },
    });
  });

  it.each([
    ['shows the moved endpoint in a card that names one', { endpoint: 'https://old.example/' }, 'https://new.example/'],
    ['adds no endpoint to a card that names none', { tags: ['oil'] }, undefined],
  ])('%s', (_name, agent_card, endpoint) => {
    const shown = toRegistryRecord(aRow({ agent_card, endpoint: 'https://new.example/' }), NOW).agent_card;
    expect(shown).toEqual({ ...agent_card, ...(endpoint !== undefined && { endpoint }) });
  });

  it('keeps the endpoint of the card while the row has none', () => {
    const agent_card = { endpoint: 'https://old.example/' };
    expect(toRegistryRecord(aRow({ agent_card }), NOW).agent_card).toEqual(agent_card);
  });

  it('is not live without a sign of life, not even when the clock is at its beginning', () => {
    expect([isLive(aRow({ last_seen_ms: null }), 0), isLive(aRow({ last_seen_ms: 0 }), 0)]).toEqual([false, true]);
  });
});
