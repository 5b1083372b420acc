import { describe, expect, it } from 'vitest';
import { listSlowest } from './slowest.mjs';

const unit = {
  testResults: [
    { name: '/p/daemon/a.test.ts', assertionResults: [{ fullName: 'a one', duration: 1500 }, { fullName: 'skipped' }] },
  ],
};
const browser = {
  suites: [
    {
      suites: [{ specs: [{ file: 'b.spec.ts', title: 'deep', tests: [{ results: [{ duration: 20_000 }] }] }] }],
      specs: [{ file: 'b.spec.ts', title: 'again', tests: [{ results: [{ duration: 10 }, { duration: 900 }] }] }],
    },
  ],
};

describe('listSlowest', () => {
  it('lists the tests of both reports, slowest first', () => {
    expect(listSlowest(unit, browser, '/p', 3)).toEqual([
      '   20.0 s  e2e/b.spec.ts: deep',
      '    1.5 s  daemon/a.test.ts: a one',
      '    0.9 s  e2e/b.spec.ts: again',
    ]);
  });

  it('lists nothing where a run left no report', () => {
    expect(listSlowest(undefined, undefined, '/p')).toEqual([]);
  });
});
