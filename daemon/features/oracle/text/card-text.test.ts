import { expect, it } from 'vitest';
import { EMPTY_ROW } from '../../../testing/catalog-row.js';
import type { CatalogRow } from '../catalog-source.js';
import { getRowWords, getSearchWords, nameKey, rowText } from './card-text.js';

it('a word of a capability stays one where a tag, the category or the description repeat it', () => {
  const row = {
    ...EMPTY_ROW,
    agentId: 'tax-helper',
    capabilities: ['audit'],
    tags: ['audit'],
    category: 'audit',
    description: 'Audits books.',
  };
  const words = getRowWords(row);
  const find = (stem: string) => words.find((one) => one.stem === stem);
  expect(find('audit')).toMatchObject({ isCapability: true, weight: 6, spellings: new Set(['audit', 'audits']) });
  expect(find('book')).toMatchObject({ isCapability: false, weight: 1 });
});

const wordsOf = (over: Partial<CatalogRow>) =>
  Object.fromEntries(getRowWords({ ...EMPTY_ROW, ...over }).map(({ stem, weight }) => [stem, weight]));

it('chosen words weigh double, and a word weighs as much as all its places', () => {
  expect(
    wordsOf({
      agentId: 'mast',
      name: 'Helm',
      capabilities: ['bolt', 'fork'],
      tags: ['lamp', 'fork'],
      category: 'karn.fork',
      description: 'Dorm fork fork.',
    }),
  ).toEqual({ mast: 2, helm: 2, bolt: 2, lamp: 2, karn: 1, dorm: 1, fork: 7 });
});

it('only words of capabilities are marked as such, wherever they stand first', () => {
  const marked = getRowWords({
    ...EMPTY_ROW,
    agentId: 'fork',
    capabilities: ['bolt', 'fork'],
    tags: ['lamp'],
    description: 'Dorm bolt.',
  }).map(({ stem, isCapability }) => [stem, isCapability]);
  expect(Object.fromEntries(marked)).toEqual({ fork: true, bolt: true, lamp: false, dorm: false });
});

it('a repeated word weighs 63 at most', () => {
  expect(wordsOf({ description: 'karn '.repeat(62) })).toEqual({ karn: 62 });
  expect(wordsOf({ description: 'karn '.repeat(64) })).toEqual({ karn: 63 });
  expect(wordsOf({ description: 'karn '.repeat(62), tags: ['karn'] })).toEqual({ karn: 63 });
});

it('a row has the first four hundred of its words', () => {
  const description = (count: number) => `${'karn '.repeat(count)} mast`;
  expect(Object.keys(wordsOf({ description: description(399) }))).toEqual(['karn', 'mast']);
  expect(Object.keys(wordsOf({ description: description(400) }))).toEqual(['karn']);
  expect(Object.keys(wordsOf({ tags: ['lamp'], description: description(399) }))).toEqual(['lamp', 'karn']);
});

it.each([
  ['physician-24', ['physician']],
  ['lamp-a1b2c3', ['lamp']],
  ['lamp-A1B2C3', ['lamp']],
  ['lamp-0', ['lamp']],
  ['lamp_24-7', ['lamp']],
  ['a1b2c3d4-lamp', ['lamp']],
  ['lamp-1f', ['lamp', '1f']],
  ['lamp-facade', ['lamp', 'facad']],
  ['lamp-x9', ['lamp', 'x9']],
  ['b2b-lamp', ['b2b', 'lamp']],
  ['b2b_lamp', ['b2b', 'lamp']],
  ['360-lamp', ['360', 'lamp']],
  ['2fa', ['2fa']],
  ['karnMast', ['karnmast', 'karn', 'mast']],
  ['karnXMast', ['karnxmast', 'karn', 'mast']],
  ['karn2Mast', ['karn2mast', 'karn2', 'mast']],
  ['PDFMast', ['pdfmast', 'pdf', 'mast']],
  ['KARN', ['karn']],
])('the id %s is read as the words %j', (agentId, expected) => {
  expect(Object.keys(wordsOf({ agentId }))).toEqual(expected);
});

it('numbers in a name are words of it', () => {
  expect(Object.keys(wordsOf({ agentId: 'karn', name: '3D Mast' }))).toEqual(['karn', '3d', 'mast']);
});

it.each(['capabilities', 'tags'] as const)('%s in camel case are also read as their words', (field) => {
  const words = getRowWords({ ...EMPTY_ROW, agentId: 'karn', [field]: ['textToMast'] });
  expect(words.map(({ stem }) => stem)).toEqual(['karn', 'texttomast', 'text', 'mast']);
  expect(words.slice(1).every(({ isCapability }) => isCapability === (field === 'capabilities'))).toBe(true);
});

it('a name that only repeats the id counts once, another one beside it', () => {
  expect(wordsOf({ agentId: 'karn-mast', name: 'Karn Mast' })).toEqual({ karn: 2, mast: 2 });
  expect(wordsOf({ agentId: 'karn-mast', name: 'Karn Helm' })).toEqual({ karn: 4, mast: 2, helm: 2 });
});

it('places in tags are no topics', () => {
  const tags = ['geo:berlin', 'GEO:DE', 'geology', 'lamp'];
  expect(wordsOf({ tags })).toEqual({ geologi: 2, lamp: 2 });
  expect(rowText({ ...EMPTY_ROW, tags })).toBe('\ngeology, lamp\n\n');
});

it('words of more than forty letters and words that say nothing are none to search by', () => {
  const [long, longer] = ['k'.repeat(40), 'k'.repeat(41)];
  expect(getSearchWords(`Please find the Karn ${long} ${longer}!`)).toEqual(['karn', long]);
});

it.each([
  ['Tax Helper', 'taxhelper'],
  ['tax_helper-2', 'taxhelper2'],
  ['@taxHelper', 'taxhelper'],
  ['Bär & Öl', 'bäröl'],
  ['राम', 'राम'],
  ['Ü'.normalize('NFD'), 'ü'],
  ['--', ''],
])('the name %s is compared as %j', (name, key) => {
  expect(nameKey(name)).toBe(key);
});

it('the text of a row is what it says of itself, without its id and name', () => {
  const row = {
    agentId: 'karn',
    name: 'Karn',
    description: 'Dorm.',
    tags: ['lamp', 'mast'],
    capabilities: ['bolt', 'fork'],
  };
  expect(rowText({ ...EMPTY_ROW, ...row, category: 'helm' })).toBe('Dorm.\nlamp, mast\nbolt, fork\nhelm');
});
