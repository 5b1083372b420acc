import { describe, expect, it } from 'vitest';
import { dimsWords, reporterWords, weightWords } from './report-words.js';

describe('report', () => {
  it('lists its dimensions, the weightiest first', () => {
    expect(dimsWords({ settlement: 1, reliability: 0.5 })).toBe('reliability 0.50, settlement 1.00');
    expect(dimsWords({})).toBe('');
  });

  it('names the agent of its key, else the key', () => {
    const reporter = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ABCDEFG=';
    expect(reporterWords({ reporter, reporter_agent_id: 'harbour-clock' })).toBe('harbour-clock');
    expect(reporterWords({ reporter, reporter_agent_id: null })).toBe('key AbCdEfGh…');
  });

  it('shows a weight with significant digits', () => {
    expect([1, 0.25, 0.0312, 0.0031, 0].map(weightWords)).toEqual(['1.00', '0.25', '0.03', '0.0031', 'nothing']);
  });
});
