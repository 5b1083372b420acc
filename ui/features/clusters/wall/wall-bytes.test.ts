import { describe, expect, it } from 'vitest';
import { FRAME_MAX, formatSize, frameBytes, hasSecret, isLong } from './wall-bytes.js';

describe('frame size', () => {
  it('is counted in bytes of the whole frame', () => {
    expect(frameBytes('aé', [])).toBe('{"payload":"aé"}'.length + 1);
    expect(frameBytes('"', ['ada'])).toBe('{"to":"ada","payload":"\\""}'.length);
    expect(frameBytes('x', ['a', 'b'])).toBe('{"to":["a","b"],"payload":"x"}'.length);
  });

  it('is shown from half of the limit on, and then how much exceeds it', () => {
    expect(formatSize(1_000)).toBe('');
    expect(formatSize(41 * 1024)).toBe('41 of 64 KB');
    expect(formatSize(FRAME_MAX)).toBe('64 of 64 KB');
    expect(formatSize(FRAME_MAX + 1_234)).toBe('1,234 bytes more than the 64 KB of one message');
  });

  it('makes a message long at far less than the limit', () => {
    expect(isLong(2_000)).toBe(false);
    expect(isLong(2_001)).toBe(true);
  });
});

describe('hasSecret', () => {
  it('detects a token of the daemon in a message', () => {
    expect(hasSecret(`take ck_${'a'.repeat(43)} and come`)).toBe(true);
    expect(hasSecret('back_to_back and ck_short')).toBe(false);
  });
});
