import { describe, expect, it } from 'vitest';
import {
  compoundParts,
  editDistance,
  fold,
  indexedWords,
  nameParts,
  stemWord,
  toIndexed,
  trigrams,
  words,
} from './words.js';

describe('words', () => {
  it.each([
    ['Größe der Datei', ['große', 'der', 'datei']],
    ['max_param-length v8', ['max', 'param', 'length', 'v8']],
    ['NEAR("a" OR *) !!', ['near', 'a', 'or']],
    ['日本語 テスト٣', ['日本語', 'テスト', '٣']],
    ['调用parseConfig函数', ['调用', 'parseconfig', '函数']],
    ['ファイルは', ['ファイル', 'は']],
    ['', []],
    ['éé', ['ee']],
    ['ＰＤＦ変換', ['pdf', '変換']],
    ['ﾃﾞｰﾀ', ['データ']],
    ['हिन्दी मेल, माल', ['हिन्दी', 'मेल', 'माल']],
    ['தமிழ் ভাষা', ['தமிழ்', 'ভাষা']],
    ['1️⃣ one', ['1', 'one']],
  ])('splits %j into %j', (text, expected) => expect(words(text)).toEqual(expected));

  it.each([
    ['ÉCLAIR Ünit', 'eclair unit'],
    ['Файл', 'фаил'],
    ['ΑΡΧΕΊΟΣ', 'αρχειοσ'],
    ['αρχείος', 'αρχειοσ'],
    ['データ', 'データ'],
    ['データ'.normalize('NFD'), 'データ'],
    ['데이터'.normalize('NFD'), '데이터'],
    ['ไฟล์', 'ไฟล'],
    ['שָׁלוֹם كِتَاب', 'שלום كتاب'],
    ['ज़मीन', 'जमीन'],
    ['Ｌａｍｐ１', 'lamp1'],
  ])('folds %s to %s', (text, folded) => expect(fold(text)).toBe(folded));
});

describe('the words of an index', () => {
  it.each([
    ['Lamp_wick NEAR', 'Lamp_wick NEAR', ['lamp', 'wick', 'near']],
    ['Ünit', 'unit', ['unit']],
    ['数据库', ' 数据 据库 ', ['数据', '据库']],
    ['库', ' 库 ', ['库']],
    ['调用foo()函数', ' 调用 foo() 函数 ', ['调用', 'foo', '函数']],
    ['मेल ＰＤＦ', 'मेल pdf', ['मेल', 'pdf']],
    ['設定、データ。', ' 設定 、 デー ータ 。', ['設定', 'デー', 'ータ']],
  ])('of %j are %j', (text, indexed, expected) => {
    expect(toIndexed(text)).toBe(indexed);
    expect(indexedWords(text)).toEqual(expected);
  });
});

describe('compound names', () => {
  it.each([
    ['maxParamLength', ['max', 'param', 'length']],
    ['max_param_length', ['max', 'param', 'length']],
    ['--max-param-length', ['max', 'param', 'length']],
    ['HTTPServer', ['http', 'server']],
    ['__proto__', ['proto']],
    ['reply.send', ['reply', 'send']],
    ['größeMax', ['große', 'max']],
    ['sha256Sum', ['sha256', 'sum']],
    ['parseURL', ['parse', 'url']],
    ['ÉCLAIR', ['eclair']],
    ['', []],
  ])('splits %s into %j', (name, parts) => expect(nameParts(name)).toEqual(parts));

  it.each([
    ['a bodyLimit', 'body Limit'],
    ['max_bodyLimit_x (fooBar)', 'max_body Limit_x foo Bar'],
    ['x9Y', 'x9 Y'],
    ['09aBZ-azB', '09a BZ az B'],
    ['zaBz AbC aBA', 'za Bz Ab C a BA'],
    ['HTTP server', ''],
    ['HTTPServer', 'HTTP Server'],
    ['plain_name', ''],
    ['', ''],
    ['`aB`[cD]{eF}@gH/iJ:kL', 'a B c D e F g H i J k L'],
  ])('of %j gives %j', (text, parts) => expect(compoundParts(text)).toBe(parts));

  it('of several texts are given together', () => {
    expect(compoundParts('aB cD', 'eF aB')).toBe('a B c D e F');
  });

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
  ['', 'ab', 2, 2],
  ['ab', '', 2, 2],
  ['', '', 0, 0],
  ['abc', 'bca', 2, 2],
  ['abcd', 'badc', 2, 2],
  ['ba', 'ab', 1, 1],
  ['xab', 'xba', 1, 1],
  ['abx', 'bax', 1, 1],
  ['a', 'b', 0, 1],
  ['kitten', 'sitting', 3, 3],
  ['kitten', 'sitting', 2, 3],
  ['abcdef', 'abcxef', 1, 1],
  ['abcdef', 'abdef', 1, 1],
  ['abdef', 'abcdef', 1, 1],
  ['abcdef', 'ghijkl', 5, 6],
  ['abcdef', 'ghijkl', 2, 3],
  ['ca', 'ab', 2, 2],
  ['ac', 'ba', 2, 2],
  ['a', 'a', 1, 0],
  ['aa', 'aa', 1, 0],
  ['abcdef', 'ghijkl', 6, 6],
])('%s to %s within %i edits is %i', (a, b, limit, edits) => expect(editDistance(a, b, limit)).toBe(edits));

it('stems a word, the same each time', () => {
  expect([stemWord('handlers'), stemWord('handlers'), stemWord('sky')]).toEqual(['handler', 'handler', 'sky']);
});

it.each([
  ['cat', ['^ca', 'cat', 'at$']],
  ['a', ['^a$']],
  ['', []],
  ['aaaa', ['^aa', 'aaa', 'aa$']],
])('the trigrams of %j are %j', (word, expected) => expect([...trigrams(word)]).toEqual(expected));
