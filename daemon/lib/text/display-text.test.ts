import { describe, expect, it } from 'vitest';
import { escapeInvisibleJson, INVISIBLE_CHARS, sanitizeDisplayLine, sanitizeDisplayText } from './display-text.js';

/** Examples of each class of characters that must not reach a terminal. */
const HIDDEN = [
  ...['\u0000', '\u0007', '\b', '\u000b', '\r', '\u001b', '\u007f', '\u0085', '\u009b', '\u009d'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069', '\u2028', '\u2029'],
  ...[
    '\u00ad',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u180e',
    '\u3164',
    '\ufff9',
    '\u{e0041}',
    '\u{e01ef}',
  ],
];

describe('untrusted text', () => {
  it.each(HIDDEN)('shows %j as an escape', (char) => {
    const shown = sanitizeDisplayText(`\u0000${char}b`);
    expect(shown).toMatch(/^\\x00\\(x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]{5}\})b$/);
    expect(Number.parseInt(shown.slice(4).replaceAll(/[^0-9a-f]|b$/g, ''), 16)).toBe(char.codePointAt(0));
  });

  it('contains no control character, separator or bidirectional mark of Unicode after sanitizing', () => {
    const every = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
    const isHidden = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
    const left = every.filter((char) => isHidden.test(sanitizeDisplayText(char)));
    expect(left).toEqual(['\t', '\n']);
  });

  it.each([
    'Việt Nam क्षत्रिय ٱلرَّحْمَٰنِ שָׁלוֹם น้ำ 港\tend\n',
    '👩‍👧 👩🏽‍💻 ❤️‍🔥 1️⃣ ✔︎',
    'می‌شود क्‍ष',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ])('keeps what a script or an emoji needs: %s', (text) => {
    expect(sanitizeDisplayText(text)).toBe(text);
  });

  it('escapes joiners, variation selectors and tags beyond what is needed', () => {
    expect(sanitizeDisplayText('a\u200db')).toBe('a\\u200db');
    expect(sanitizeDisplayText('x\ufe0f\ufe0f')).toBe('x\ufe0f\\ufe0f');
    expect(sanitizeDisplayText(`🏴${'\u{e0061}'.repeat(8)}`)).toBe(`🏴${'\u{e0061}'.repeat(6)}\\u{e0061}\\u{e0061}`);
  });

  it('reads CRLF as one line end, and escapes it within a line', () => {
    expect(sanitizeDisplayText('a\r\nb\rc')).toBe('a\nb\\x0dc');
    expect(sanitizeDisplayLine('a\r\nb\tc')).toBe('a\\x0d\\x0ab\\x09c');
  });
});

it('produces equivalent JSON without invisible characters', () => {
  const value = { [HIDDEN.join('')]: HIDDEN, emoji: '👩‍👧', tag: 'x\u{e0041}' };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
    expect(JSON.parse(escapeInvisibleJson(text))).toEqual(value);
    expect(escapeInvisibleJson(text).match(INVISIBLE_CHARS)).toBeNull();
  }
});
