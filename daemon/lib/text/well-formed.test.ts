import { expect, it } from 'vitest';
import { wellFormed } from './well-formed.js';

it('replaces halves of characters that stand alone, and nothing else', () => {
  expect(wellFormed('a😀é')).toBe('a😀é');
  expect(wellFormed('😀'.slice(0, 1))).toBe('\u{FFFD}');
  expect(wellFormed(`${'😀'.slice(1)}😀${'😀'.slice(0, 1)}b`)).toBe('\u{FFFD}😀\u{FFFD}b');
});
