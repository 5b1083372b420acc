import { expect, it } from 'vitest';
import type { AskRecord } from '../../contract/asks.js';
import { toSkillAskResult } from './skill-ask-result.js';

const RECORD = { request_id: 'req-1', result_text: 'In config.ts.', client: 'builtin', model: 'builtin' };
const resultOf = (more: object) => toSkillAskResult({ ...RECORD, ...more } as AskRecord & { result_text: string });

it('an answer of the search has its confidence and what was searched', () => {
  const search = { confidence: 0.5, searched: 10, total: 12 };
  const citations = [{ path: 'a.ts', start_line: 1, end_line: 2 }];
  expect(resultOf({ ...search, citations })).toEqual({ ...RECORD, ...search, citations });
});

it('an answer of which the search is not sure at all has its confidence too', () => {
  const search = { confidence: 0, searched: 10, total: 12 };
  expect(resultOf(search)).toEqual({ ...RECORD, ...search, citations: [] });
});

it('another answer has none of that, and a list of citations all the same', () => {
  const result = resultOf({ searched: 10, total: 12, question: 'Where?' });
  expect(result).toEqual({ ...RECORD, citations: [] });
  expect(Object.keys(result)).not.toContain('confidence');
});
