import { describe, expect, it } from 'vitest';
import { askedParts, splitClauses } from './asked-parts.js';
import { readBareQuestion } from './bare-question.js';
import { isCommon, type Lexicon, list, matches } from './lexicon.js';

it.each<[string, string[]]>([
  ['it is red. is it lit? it burns.', ['is it lit']],
  ['is it lit? is it red?', ['is it lit', 'is it red']],
  ['it is red. it burns!', ['it is red', 'it burns']],
  ['the wick burns. how? so', ['the wick burns', 'how']],
  ['how? the wick burns', ['how']],
  ['the wick burns. how is it built? so', ['how is it built']],
  ['how is it built - and tested: fast – or — slow-ish?', ['how is it built', 'and tested', 'fast', 'or', 'slow-ish']],
  ['a; b', ['a', 'b']],
  ['is it lit?!  ', ['is it lit']],
  ['is it lit? ...', ['is it lit']],
  ['', []],
])('what %j asks is %j', (text, parts) => expect(askedParts(text)).toEqual(parts));

it.each<[string, string[]]>([
  ['it is changed, and now i want to see it', ['it is changed', 'i want to see it']],
  ['it is changed, so but then i want it', ['it is changed', 'i want it']],
  ['it is lit here so i want it', ['it is lit here', 'i want it']],
  ['it is lit, ok', ['it is lit']],
  ['it is lit and red', []],
])('the clauses of %j are %j', (part, clauses) => expect(splitClauses(part)).toEqual(clauses));

describe('a short question in words of its own', () => {
  it.each<[string, string | undefined]>([
    ['what is it about', 'purpose'],
    ['overview', 'purpose'],
    ['purpose of this project', 'purpose'],
    ['summarise it', 'purpose'],
    ['summarize', 'purpose'],
    ['introduce', 'purpose'],
    ['introduction', 'purpose'],
    ['explain the idea', 'purpose'],
    ['describe the goals', 'purpose'],
    ['what is the goal', 'purpose'],
    ['tell me', 'purpose'],
    ['why', 'purpose'],
    ['readme', undefined],
    ['what is the goalie', undefined],
    ['the aboutness of it', undefined],
    ['how', undefined],
    ['licence', 'licence'],
    ['licensed', 'licence'],
    ['license licence licenced', 'licence'],
    ['relicense', undefined],
    ['licensing', undefined],
    ['how to test', 'test'],
    ['how unit', 'test'],
    ['how run unit', 'test'],
    ['which command run suite', 'test'],
    ['how lint', 'lint'],
    ['how build', 'build'],
    ['how compile', 'build'],
    ['how install', 'install'],
    ['how setup', 'install'],
    ['which dependencies', 'install'],
    ['how run', 'run'],
    ['how start', 'run'],
    ['how launch', 'run'],
    ['how serve', 'run'],
    ['how execute', 'run'],
    ['how develop', 'run'],
    ['how deploy', undefined],
    ['how debug', undefined],
    ['how run build', 'build'],
    ['run', undefined],
    ['which machine install', 'install'],
    ['how install locally on a computer', 'install'],
    ['how run machines', undefined],
    ['how rerun', undefined],
    ['how run build install', 'build'],
    ['how run build install launch', undefined],
    ['how run §', undefined],
    ['how run the lamp', undefined],
  ])('%j: %s', (text, topic) => expect(readBareQuestion(text)).toBe(topic));
});

describe('a part of a question matches a lexicon', () => {
  const lexicon: Lexicon = { name: 'test', core: [/\bwick\b/, /\blamp\b/], words: list(' lamp wick\n bulb cord ') };
  const eight = 'aa bb cc dd ee ff gg hh';

  it.each<[string, Partial<Lexicon>, boolean]>([
    ['is the lamp', {}, true],
    ['is the wick', {}, true],
    ['is the bulb', {}, false],
    ['is the beam', {}, false],
    ['lamp bulb cord 12 project it', {}, true],
    ['lamp beam', {}, false],
    ['lamp 12a', {}, false],
    ['lamp §', {}, false],
    ['lamp bulb', { not: /bulb/ }, false],
    ['lamp cord', { not: /bulb/ }, true],
    ['lamp beam §', { enough: /beam/ }, true],
    ['lamp beam §', { enough: /cord/ }, false],
    [`lamp ${'beam '.repeat(23)}`, { enough: /beam/ }, true],
    [`lamp ${'beam '.repeat(24)}`, { enough: /beam/ }, false],
    [`lamp ${eight}`, { strong: [/zz/, /lamp/] }, true],
    [`lamp ${eight} ii`, { strong: [/zz/, /lamp/] }, false],
    ['lamp aa', { strong: [/zz/] }, false],
    ['lamp aa §', { strong: [/lamp/] }, false],
  ])('%j with %o: %s', (part, more, isOne) => expect(matches(part, { ...lexicon, ...more })).toBe(isOne));

  it('beside words without a subject', () => {
    expect(['it', 'the', 'please', 'hello', 'complete'].map(isCommon)).toEqual([true, true, true, true, true]);
    expect(isCommon('lamp')).toBe(false);
  });
});
