import { expect, it } from 'vitest';
import { STOPWORDS } from './stopwords.js';
import { Synonyms } from './synonyms.js';

it('the words of a line stand for each other, by stem', () => {
  const synonyms = new Synonyms('\ninvoice bills Billing\nlawyer attorney\n');
  expect(synonyms.of('invoic')).toEqual(['bill']);
  expect(synonyms.of('bill')).toEqual(['invoic']);
  expect(synonyms.of('attornei')).toEqual(['lawyer']);
  expect(synonyms.of('invoice')).toEqual([]);
});

it('a word of several lines has the others of all of them, those of the first line first', () => {
  expect(new Synonyms('doctor medic\ndoctor clinic health').of('doctor')).toEqual(['medic', 'clinic', 'health']);
});

it('a single letter stands for nothing', () => {
  const synonyms = new Synonyms('x-ray scan');
  expect(synonyms.of('x')).toEqual([]);
  expect(synonyms.of('rai')).toEqual(['scan']);
  expect(synonyms.of('scan')).toEqual(['rai']);
  expect(new Synonyms('mr scan').of('scan')).toEqual(['mr']);
});

it('the list of this project knows trades in plain English', () => {
  const synonyms = new Synonyms();
  expect(synonyms.of('lawyer')).toContain('solicitor');
  expect(synonyms.of('plai')).toContain('toi');
});

it('words that say nothing of what an agent does are none to search by', () => {
  for (const word of ['a', 'about', 'either', 'else', 'just', 'please', 'your', 'agent', 'looking', 'look'])
    expect(STOPWORDS.has(word)).toBe(true);
  for (const word of ['', 'contract', 'doctor']) expect(STOPWORDS.has(word)).toBe(false);
  expect([...STOPWORDS].filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
});
