import { expect, it } from 'vitest';
import { encodeBase58 } from '../crypto/base58.js';
import { isLocalNetworkName, toLocalNetworkName } from './local-network-name.js';

const GENESIS = Buffer.from('00a1b2c3d4'.padEnd(64, 'f'), 'hex');

it('the name of a local network has the first eight digits of its genesis hash', () => {
  const name = toLocalNetworkName(encodeBase58(GENESIS));
  expect(name).toBe('solana:local-00a1b2c3');
  expect(isLocalNetworkName(String(name))).toBe(true);
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a number', 7],
  ['an empty text', ''],
  ['a text that is not base58', '0OIl'],
  ['31 bytes', encodeBase58(GENESIS.subarray(1))],
  ['33 bytes', encodeBase58(Buffer.alloc(33, 1))],
  ['the 32 bytes in a list', [encodeBase58(GENESIS)]],
])('%s is the hash of no network', (_what, hash) => {
  expect(toLocalNetworkName(hash)).toBeUndefined();
});

it.each([
  'solana:local',
  'solana:devnet',
  'solana:local-00a1b2c',
  'solana:local-00a1b2c3d',
  'solana:local-00A1B2C3',
  'x solana:local-00a1b2c3',
])('%s names no local network by its genesis', (name) => {
  expect(isLocalNetworkName(name)).toBe(false);
});
