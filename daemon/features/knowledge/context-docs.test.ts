import { describe, expect, it } from 'vitest';
import { emptyReading, weighedTerm } from '../../testing/parts/ranked-passages.js';
import { documentNote } from './context-docs.js';
import { getSynonyms, PROJECT_WORDS, STOPWORDS } from './words/english.js';
import { isSoftwareTerm } from './words/software-terms.js';
import { readZipf } from './words/word-frequency.js';

const READING = emptyReading();
const doc = (content: string, filename = 'notes.md') => ({ filename, content });

describe('a document that came with a question', () => {
  const LAMP = [weighedTerm('lamp')];

  it('is quoted, and said to be no file of the project', () => {
    expect(documentNote([doc('# On\n\nThe lamp is lit.\n')], READING, LAMP)).toEqual([
      'From `notes.md`, which came with the question and is not a file of this project:\n```\nThe lamp is lit.\n```',
    ]);
  });

  it('is quoted when it covers more than half of the question', () => {
    const note = (lamp: number) =>
      documentNote([doc('The lamp.')], READING, [
        weighedTerm('lamp', { weight: lamp }),
        weighedTerm('wick', { weight: 100 - lamp }),
      ]);
    expect([note(55).length, note(54).length]).toEqual([1, 0]);
    expect(documentNote([doc('Nothing.')], READING, LAMP)).toEqual([]);
    expect(documentNote([], READING, LAMP)).toEqual([]);
    expect(documentNote([doc('', 'lamp.md')], READING, LAMP)).toEqual([]);
    expect(documentNote([doc('---', 'lamp.md')], READING, LAMP)).toEqual([]);
  });

  it('is the best of several, by its best passage', () => {
    const section = (word: string) => `# On\n\n${word}\n\n\n\n`;
    const [note] = documentNote([doc('wick', 'a.md'), doc('lamp', 'b.md'), doc('lamp lamp', 'c.md')], READING, LAMP);
    expect(note).toContain('From `c.md`');
    const [other] = documentNote([doc(section('wick') + section('lamp lamp'))], READING, LAMP);
    expect(other).toContain('\nlamp lamp\n');
  });

  it('has a short name without marks, and a fence that is longer than any in it', () => {
    const [note = ''] = documentNote([doc('lamp ```` x', `a\`b\u0007\`c${'d'.repeat(200)}`)], READING, LAMP);
    expect(note).toContain(`From \`a b c${'d'.repeat(115)}\`, which`);
    expect(note).toContain('\n`````\nlamp ```` x\n`````');
  });
});

it.each([
  ['the', 7.469],
  ['lamp', 4.11],
  ['zzzzzz', 0],
  ['', 0],
])('how common %j is in English', (word, zipf) => expect(readZipf(word)).toBeCloseTo(zipf, 2));

it.each([
  ['webhook', true],
  ['webhooks', true],
  ['kubernetes', true],
  ['webhookss', false],
  ['webhookx', false],
  ['house', false],
  ['', false],
])('%j is a word of the trade: %s', (word, isTerm) => expect(isSoftwareTerm(word)).toBe(isTerm));

describe('words of questions', () => {
  it('without a meaning hold the beginnings of contractions', () => {
    for (const word of ['a', "doesn't", 'doesn', 'what', 'involved']) expect(STOPWORDS.has(word)).toBe(true);
    for (const word of ['', 'lamp', 't']) expect(STOPWORDS.has(word)).toBe(false);
    expect([PROJECT_WORDS.has('project'), PROJECT_WORDS.has('system'), PROJECT_WORDS.has('')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('have related ones in any form, from every group that they are in', () => {
    expect(getSynonyms('removing')).toEqual(getSynonyms('remove'));
    expect(getSynonyms('wait')).toEqual(['delay', 'pause', 'timeout']);
    expect(getSynonyms('timeout')).toEqual([
      ...['deadline', 'expire', 'expiry', 'expiration', 'ttl', 'wait', 'delay', 'pause'],
    ]);
    expect(getSynonyms('start').slice(0, 2)).toEqual(['run', 'launch']);
    expect(getSynonyms('case')).toEqual(['insensitive', 'sensitive', 'lowercase']);
    expect(getSynonyms('zebra')).toEqual([]);
  });
});
