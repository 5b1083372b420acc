import { expect, it } from 'vitest';
import { parseNetworkFile, stringifyNetworkFile } from './network-settings.js';

const joined = { url: 'tls://nats.example.com', network: 'docks', name: 'Quay' };

it.each([
  ['without a file', null],
  ['with an empty one', {}],
])('is in no network %s', (_, content) => {
  expect(parseNetworkFile(content)).toEqual({ joined: undefined, shared: [] });
});

it('reads what it writes, also what an earlier version wrote', () => {
  const file = { joined, shared: ['consultant', 'developer'] };
  expect(stringifyNetworkFile(file)).toEqual({ ...joined, shared: ['consultant', 'developer'] });
  expect(parseNetworkFile(stringifyNetworkFile(file))).toEqual(file);
  expect(parseNetworkFile({ ...joined })).toEqual({ joined, shared: [] });
  expect(stringifyNetworkFile({ joined: undefined, shared: ['consultant'] })).toEqual({});
});

it.each<[string, Record<string, unknown>]>([
  ['has no address', { network: 'docks', name: 'Quay' }],
  ['has no network', { url: joined.url, name: 'Quay' }],
  ['has no name', { url: joined.url, network: 'docks' }],
  ['has a name that is no text', { ...joined, name: 7 }],
  ['shares what is no list', { ...joined, shared: 'consultant' }],
  ['shares what is no text', { ...joined, shared: [7] }],
  ['has a further field', { ...joined, more: 1 }],
])('is not read where it %s', (_, content) => {
  expect(() => parseNetworkFile(content)).toThrow(
    expect.objectContaining({
      code: 'store_readonly',
      message: '.mesh/state/network.json is damaged: mend it, or remove it.',
    }),
  );
});
