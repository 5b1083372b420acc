import { describe, expect, it } from 'vitest';
import type { Citation } from '../../../daemon/contract/asks.js';
import { citationAt, formatCitation, formatCitationPlace } from './citation-format.js';

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
