import { describe, expect, it } from 'vitest';
import { decodeBase58, encodeBase58 } from '../../../lib/crypto/base58.js';
import { isBlockhashGood, issueBlockhash } from './local-blockhash.js';

const KEY = Buffer.alloc(32, 1);
const NOW_MS = Date.UTC(2026, 10, 21);

describe('a blockhash', () => {
  it('is one of 32 bytes, and different from every other one', () => {
    const issued = Array.from({ length: 100 }, () => issueBlockhash(KEY, NOW_MS));
    expect(new Set(issued).size).toBe(100);
    expect(issued.map((one) => decodeBase58(one)?.length)).toEqual(issued.map(() => 32));
  });

  it.each([
    [-1000, true],
    [0, true],
    [60_000, true],
    [60_001, false],
  ])('%i ms after it was issued is good: %s', (ms, isGood) => {
    expect(isBlockhashGood(issueBlockhash(KEY, NOW_MS), KEY, NOW_MS + ms)).toBe(isGood);
  });

  it('is good only with the key of its network', () => {
    expect(isBlockhashGood(issueBlockhash(KEY, NOW_MS), Buffer.alloc(32, 2), NOW_MS)).toBe(false);
  });

  it('is not good with any byte changed, cut or added', () => {
    const bytes = decodeBase58(issueBlockhash(KEY, NOW_MS)) as Buffer;
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect([at, isBlockhashGood(encodeBase58(changed), KEY, NOW_MS)]).toEqual([at, false]);
    }
    for (const other of [bytes.subarray(0, 31), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(0)])
      expect(isBlockhashGood(encodeBase58(other), KEY, NOW_MS)).toBe(false);
    expect(isBlockhashGood('0OIl', KEY, NOW_MS)).toBe(false);
  });
});
