import { describe, expect, it } from 'vitest';
import { inPairs, pairsOf, withBlanks } from './unspaced-scripts.js';

const listWords = (text: string) => withBlanks(text).trim().split(/\s+/);

describe('withBlanks', () => {
  it.each([
    ['如何配置文件', ['如何', '配置', '文件']],
    ['在调用中', ['在', '调用', '中']],
    ['連接池の大きさ', ['連接', '池', 'の', '大きさ']],
    ['데이터베이스를 설정에서', ['데이터베이스', '설정']],
    ['나는', ['나는']],
    ['ตั้งค่า', ['ตั้ง', 'ค่า']],
    ['データ'.normalize('NFD'), ['データ']],
    ['plain words', ['plain', 'words']],
  ])('divides %s', (text, words) => expect(listWords(text)).toEqual(words));
});

describe('inPairs', () => {
  it.each([
    ['数据库', ' 数据 据库 '],
    ['表', ' 表 '],
    ['v2数据', 'v2 数据 '],
    ['설정', ' 설정 '],
    ['𠮷野家', ' 𠮷野 野家 '],
    ['a、b', 'a、b'],
  ])('of %s are %s', (text, pairs) => expect(inPairs(text)).toBe(pairs));
});

it.each([
  ['数据库', ['数据', '据库']],
  ['表', ['表']],
  ['lamp', ['lamp']],
  ['数据lamp', ['数据lamp']],
  ['', ['']],
])('the pairs of the word %j', (word, pairs) => expect(pairsOf(word)).toEqual(pairs));
