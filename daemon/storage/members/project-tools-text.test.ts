import { describe, expect, it } from 'vitest';
import { lineTest, safeLines, WITHHELD } from './project-tools-text.js';

const TOKEN = `mk_${'a1'.repeat(20)}`;

describe('the lines of a text', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\n\n', ['a', '']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a\rb', ['a\rb']],
  ])('of %j have no line ends', (text, lines) => {
    expect(safeLines(text)).toEqual(lines);
  });

  it('are withheld from the first to the last one of a secret, and no others', () => {
    expect(safeLines(`a\n${TOKEN}\nb ${TOKEN} c\r\nd\n${TOKEN}`)).toEqual(['a', WITHHELD, WITHHELD, 'd', WITHHELD]);
  });

  it.each(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])(
    'are withheld from the begin to the end of a %s',
    (kind) => {
      const text = `a\n  -----BEGIN ${kind}-----\nabc\n\n-----END ${kind}-----\nb\n`;
      expect(safeLines(text)).toEqual(['a', WITHHELD, WITHHELD, WITHHELD, WITHHELD, 'b']);
    },
  );

  it('are withheld to the last one when a private key never ends, and only that one when it ends at once', () => {
    expect(safeLines('a\n-----BEGIN PRIVATE KEY-----\nb\nc')).toEqual(['a', WITHHELD, WITHHELD, WITHHELD]);
    expect(safeLines('a\n-----BEGIN PRIVATE KEY-----x-----END PRIVATE KEY-----\nb')).toEqual(['a', WITHHELD, 'b']);
    expect(safeLines('-----BEGIN PUBLIC KEY-----\nb\n-----END PRIVATE KEY-----\nc')).toHaveLength(4);
    expect(safeLines('-----BEGIN PUBLIC KEY-----\nb\n-----END PRIVATE KEY-----\nc')).not.toContain(WITHHELD);
  });

  it('that only look like a secret are withheld from other programs', () => {
    const text = 'a\napi_key: "9f86d081884c7d659a2feaa0c55ad015"\nb\n';
    expect(safeLines(text)).toEqual(['a', 'api_key: "9f86d081884c7d659a2feaa0c55ad015"', 'b']);
    expect(safeLines(text, {})).toEqual(safeLines(text));
    expect(safeLines(text, { isStrict: true })).toEqual(['a', WITHHELD, 'b']);
  });
});

describe('a search for texts', () => {
  const literal = { isWholeWord: false, matchesCase: false };
  const find = (text: string, texts: string[], how = {}) => lineTest({ texts, ...literal, ...how })(text);

  it('finds any of them, literally', () => {
    expect([find('a.b', ['x', '.']), find('axb', ['a.b']), find('abc', []), find('abc', ['x', 'y'])]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('takes or leaves the case', () => {
    expect([find('Alpha', ['aLPHA']), find('Alpha', ['alpha'], { matchesCase: true })]).toEqual([true, false]);
    expect(find('Alpha', ['Alpha'], { matchesCase: true })).toBe(true);
  });

  it.each([
    ['an alpha here', true],
    ['alpha', true],
    ['(alpha)', true],
    ['alphabet', false],
    ['xalpha', false],
    ['alpha_', false],
    ['$alpha', false],
    ['1alpha', false],
    ['éalpha', false],
    ['alphaé', false],
    ['alphabet, then alpha', true],
    ['xalpha alphax', false],
    ['alphaalpha', false],
  ])('finds a whole word in %j: %s', (text, isFound) => {
    expect(find(text, ['Alpha'], { isWholeWord: true })).toBe(isFound);
  });
});
