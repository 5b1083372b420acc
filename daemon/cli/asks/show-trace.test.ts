import { expect, it } from 'vitest';
import type { AnswerTrace, TraceCandidate } from '../../contract/answer-trace.js';
import { recordedTerminal } from '../../testing/processes/recorded-terminal.js';
import { showTrace } from './show-trace.js';

const candidate = (path: string): TraceCandidate => ({ path, start_line: 1, end_line: 2, score: 1, fate: 'quoted' });

function shown(changes: Partial<AnswerTrace>) {
  const { terminal, text } = recordedTerminal();
  const trace = { source: 'text', form: '', stages: [], words: [], candidates: [], candidates_total: 0, ...changes };
  showTrace(terminal, trace as unknown as AnswerTrace);
  return text;
}

it.each<[stages: AnswerTrace['stages'], line: string]>([
  [[{ stage: 'index', ms: 1.5 }], '1.5 ms: index 1.5'],
  [
    [
      { stage: 'index', ms: 1 },
      { stage: 'search', ms: 2 },
      { stage: 'index', ms: 0.5 },
    ],
    '3.5 ms: index 1.5, search 2.0',
  ],
])('the times of a stage are one time, their sum: %j', (stages, line) => {
  expect(shown({ stages }).out).toContain(line);
});

it.each([
  [1, 1, ''],
  [2, 2, ''],
  [2, 30, 'The first 2 of 30.\n'],
])('of %i candidates that are shown and %i in all it says %j', (count, total, note) => {
  const candidates = Array.from({ length: count }, (_, at) => candidate(`${at}.ts`));
  const { out, err } = shown({ candidates, candidates_total: total });
  expect(err).toBe(note);
  expect(out).toContain('0.ts:1-2');
});

it('says that there is no candidate', () => {
  expect(shown({})).toEqual({ out: expect.stringContaining('No candidates.\n'), err: '' });
});
