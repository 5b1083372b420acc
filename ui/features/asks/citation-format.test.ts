import { describe, expect, it } from 'vitest';
import type { Citation } from '../../../daemon/contract/asks.js';
import { citationAt, formatCitation, formatCitationPlace, formatCitations, formatSearched } from './citation-format.js';

function aCitation(values: Partial<Citation>): Citation {
  return {
    path: 'src/retry.ts',
    start_line: 40,
    end_line: 72,
    commit: null,
    sha256: '',
    quote: '',
    status: 'checked',
    ...values,
  };
}

describe('citations', () => {
  it('are formatted as one line or a range', () => {
    expect(formatCitationPlace(aCitation({}))).toBe('src/retry.ts:40-72');
    expect(formatCitationPlace(aCitation({ end_line: 40 }))).toBe('src/retry.ts:40');
  });

  it('are counted by verification', () => {
    expect(formatCitation(2, 3)).toBe('2 of 3 quotes verified');
    expect(formatCitation(0, 0)).toBe('no citations');
  });

  it('that have changed or are too many are said to be', () => {
    const [moved, changed] = [aCitation({ status: 'moved' }), aCitation({ status: 'changed' })];
    expect(formatCitations([aCitation({}), moved])).toBe('2 quotes verified');
    expect(formatCitations([aCitation({}), moved, changed])).toBe('2 of 3 quotes verified, 1 changed since');
    expect(formatCitations([moved], 534)).toBe('1 quote verified, the first 1 of 534 places');
  });

  it('are found by the lines that they had when the answer was given', () => {
    const given = { start_line: 40, end_line: 72, commit: null, status: 'checked' as const };
    const moved = aCitation({ start_line: 50, end_line: 82, status: 'moved', given });
    expect(citationAt('src/retry.ts:40-72', [moved])).toBe(moved);
    expect(citationAt('src/retry.ts:50-82', [moved])).toBeUndefined();
  });

  it('are found by a place in an answer', () => {
    const one = aCitation({ end_line: 40 });
    const range = aCitation({});
    expect(citationAt('src/retry.ts:40', [range, one])).toBe(one);
    expect(citationAt('src/retry.ts:40-40', [range, one])).toBe(one);
    expect(citationAt('src/retry.ts:40-72', [one, range])).toBe(range);
    expect(citationAt('src/retry.ts', [one, range])).toBeUndefined();
  });

  it('are not found when they were dropped', () => {
    expect(citationAt('src/retry.ts:40-72', [aCitation({ status: 'dropped' })])).toBeUndefined();
  });
});

it('what was searched is counted, with what was left out', () => {
  expect(formatSearched({ files: 1, left_out: 0 })).toBe('1 file searched');
  expect(formatSearched({ files: 1_204, left_out: 2_000 })).toBe('1,204 files searched, 2,000 left out');
  expect(formatSearched({ files: 2, left_out: 1, not_text: 3 })).toBe('2 files searched, 1 left out, 3 not text');
});
