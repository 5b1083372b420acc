import { describe, expect, it } from 'vitest';
import { compoundParts, editDistance, fold, nameParts, words } from './words.js';

describe('words', () => {
  it.each([
    ['Größe der Datei', ['große', 'der', 'datei']],
    ['max_param-length v8', ['max', 'param', 'length', 'v8']],
    ['NEAR("a" OR *) !!', ['near', 'a', 'or']],
    ['', []],
  ])('splits %j into %j', (text, expected) => expect(words(text)).toEqual(expected));

  it('folds case and accents', () => expect(fold('ÉCLAIR Ünit')).toBe('eclair unit'));
});

describe('compound names', () => {
  it.each([
    ['maxParamLength', ['max', 'param', 'length']],
    ['max_param_length', ['max', 'param', 'length']],
    ['--max-param-length', ['max', 'param', 'length']],
    ['HTTPServer', ['http', 'server']],
    ['__proto__', ['proto']],
    ['reply.send', ['reply', 'send']],
  ])('splits %s into %j', (name, parts) => expect(nameParts(name)).toEqual(parts));

  it('returns the parts of each compound name once', () => {
    expect(compoundParts('const bodyLimit = defaultBodyLimit; bodyLimit, HTTPServer, plain')).toBe(
      'body Limit default Body Limit HTTP Server',
    );
  });
});

it.each([
  ['kubernets', 'kubernetes', 2, 1],
  ['cofnig', 'config', 2, 1],
  ['redis', 'redirect', 2, 3],
  ['same', 'same', 1, 0],
  ['short', 'muchlonger', 2, 3],
])('%s to %s within %i edits is %i', (a, b, limit, edits) => expect(editDistance(a, b, limit)).toBe(edits));
