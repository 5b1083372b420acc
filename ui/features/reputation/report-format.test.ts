import { describe, expect, it } from 'vitest';
import { formatDims, formatReporter, formatWeight } from './report-format.js';

describe('report', () => {
  it('lists its dimensions, the weightiest first', () => {
    expect(formatDims({ settlement: 1, reliability: 0.5 })).toBe('reliability 0.50, settlement 1.00');
    expect(formatDims({})).toBe('');
  });

  it('names the agent of its key, else the key', () => {
    const reporter = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ABCDEFG=';
    expect(formatReporter({ reporter, reporter_agent_id: 'harbour-clock' })).toBe('harbour-clock');
    expect(formatReporter({ reporter, reporter_agent_id: null })).toBe('key AbCdEfGh…');
  });

  it('shows a weight with significant digits', () => {
    expect([1, 0.25, 0.0312, 0.01].map(formatWeight)).toEqual(['1.00', '0.25', '0.03', '0.01']);
    expect([0.0099, 0.0031, 0.00011].map(formatWeight)).toEqual(['0.0099', '0.0031', '0.00011']);
    expect([0.0001, 0].map(formatWeight)).toEqual(['nothing', 'nothing']);
  });
});
