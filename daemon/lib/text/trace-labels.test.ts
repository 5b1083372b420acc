import { expect, it } from 'vitest';
import { ANSWER_SOURCES, CANDIDATE_FATES, WORD_READINGS } from '../../contract/answer-trace.js';
import { FATE_LABELS, GROUND_LABELS, READING_LABELS, SOURCE_LABELS } from './trace-labels.js';

it.each([
  ['source of an answer', ANSWER_SOURCES, SOURCE_LABELS],
  ['reading of a word', WORD_READINGS, READING_LABELS],
  ['fate of a candidate', CANDIDATE_FATES, FATE_LABELS],
])('every %s has a label of its own', (_what, names, labels) => {
  expect(Object.keys(labels).sort()).toEqual([...names].sort());
  const texts = Object.values(labels);
  expect(texts.every((text) => /[a-z]{3}/.test(text))).toBe(true);
  expect(new Set(texts).size).toBe(names.length);
});

it('the grounds of a score have headings in the order in which they are added', () => {
  expect(GROUND_LABELS.map(([ground]) => ground)).toEqual([
    'words',
    'close',
    'neighbours',
    'literals',
    'file_name',
    'kind',
    'whole_file',
  ]);
  const headings = GROUND_LABELS.map(([, heading]) => heading);
  expect(headings.every((heading) => /[A-Z][a-z]{3}/.test(heading))).toBe(true);
  expect(headings.filter((heading) => /^[×+] /.test(heading))).toEqual(['× Kind', '+ File']);
});
