import { describe, expect, it } from 'vitest';
import type { ReportBody } from '../../contract/network/reputation.js';
import { computeDims } from './report-dims.js';

describe('computeDims', () => {
  it.each<[string, ReportBody, object]>([
    ['are those that it gives', { dims: { quality: 0.3, settlement: 1 } }, { quality: 0.3, settlement: 1 }],
    ['reliability is success', { success: true }, { reliability: 1 }],
    ['and failure', { success: false }, { reliability: 0 }],
    ['speed is 1 at a second', { success: true, latency_ms: 1000 }, { reliability: 1, speed: 1 }],
    ['and below', { success: true, latency_ms: 0 }, { reliability: 1, speed: 1 }],
    ['half way between', { success: true, latency_ms: 15_500 }, { reliability: 1, speed: 0.5 }],
    ['0 at thirty', { success: true, latency_ms: 30_000 }, { reliability: 1, speed: 0 }],
    ['and beyond', { success: true, latency_ms: 86_400_000 }, { reliability: 1, speed: 0 }],
    [
      'quality is a fourth for each star after the first',
      { success: true, quality: 4 },
      { reliability: 1, quality: 0.75 },
    ],
    ['one star is none', { success: true, quality: 1 }, { reliability: 1, quality: 0 }],
    ['settlement is paid', { success: true, paid: true }, { reliability: 1, settlement: 1 }],
    ['and not disputed', { success: true, paid: true, disputed: true }, { reliability: 1, settlement: 0 }],
    ['not paid', { success: true, paid: false }, { reliability: 1, settlement: 0 }],
    ['disputed without a word of payment', { success: true, disputed: true }, { reliability: 1, settlement: 0 }],
    ['unknown where there was neither', { success: true, disputed: false, capability: 'print' }, { reliability: 1 }],
  ])('derives the dimensions of a report (%s)', (_name, report, dims) => {
    expect(computeDims(report)).toEqual(dims);
  });

  const missing = 'A report has either "dims" or outcomes, of which "success" is required.';
  const both = (key: string) => `A report has either "dims" or outcomes, not both: leave out "${key}".`;
  it.each<[ReportBody, string, string]>([
    [{}, 'success', missing],
    [{ dims: {} }, 'dims', '"dims" must say something about at least one dimension.'],
    [{ latency_ms: 5 }, 'success', missing],
    [{ dims: { quality: 1 }, success: true }, 'success', both('success')],
    [{ dims: { quality: 1 }, latency_ms: 5 }, 'latency_ms', both('latency_ms')],
    [{ dims: { quality: 1 }, quality: 5 }, 'quality', both('quality')],
    [{ dims: { quality: 1 }, paid: true }, 'paid', both('paid')],
    [{ dims: { quality: 1 }, disputed: false }, 'disputed', both('disputed')],
    [{ dims: { quality: 1 }, capability: 'print' }, 'capability', both('capability')],
  ])('throws bad_request for %j, and names %s', (report, path, message) => {
    expect(() => computeDims(report)).toThrow(
      expect.objectContaining({ code: 'bad_request', message, details: { path } }),
    );
  });
});
