import { describe, expect, it } from 'vitest';
import { FRAME_MAX, frameBytes, holdsSecret, isLong, sizeWords } from './wall-bytes.js';

describe('the size of a message', () => {
  it('is that of its frame in bytes, not in characters', () => {
    expect(frameBytes('aé', [])).toBe('{"payload":"aé"}'.length + 1);
    expect(frameBytes('"', ['ada'])).toBe('{"to":"ada","payload":"\\""}'.length);
    expect(frameBytes('x', ['a', 'b'])).toBe('{"to":["a","b"],"payload":"x"}'.length);
  });

  it('is told once it is half of what there can be, and by how much it is too large', () => {
    expect(sizeWords(1_000)).toBe('');
    expect(sizeWords(41 * 1024)).toBe('41 of 64 KB');
    expect(sizeWords(FRAME_MAX)).toBe('64 of 64 KB');
    expect(sizeWords(FRAME_MAX + 1_234)).toBe('1,234 bytes more than the 64 KB of one message');
  });

  it('makes it one for a board long before', () => {
    expect(isLong(2_000)).toBe(false);
    expect(isLong(2_001)).toBe(true);
  });
});

describe('a message', () => {
  it('with one of our secrets in it is found', () => {
    expect(holdsSecret(`take ck_${'a'.repeat(43)} and come`)).toBe(true);
    expect(holdsSecret('back_to_back and ck_short')).toBe(false);
  });
});
