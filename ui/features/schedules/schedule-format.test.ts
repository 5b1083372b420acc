import { describe, expect, it } from 'vitest';
import type { ScheduleRun } from '../../../daemon/contract/work/schedules.js';
import { describeNeed, formatRunFacts, formatUntil, getRunStatus } from './schedule-format.js';

const aRun = (values: Partial<ScheduleRun>): ScheduleRun => ({
  ...{ run: 'run-1', cause: 'time', due_at: '', times: 1, state: 'ended', at: null, conv: null },
  ...{ outcome: 'answered', code: null, reason: null, denied: 0 },
  ...values,
});

describe('formatUntil', () => {
  it.each([
    [-1, 'now'],
    [29_000, 'now'],
    [31_000, 'in 1 minute'],
    [59.4 * 60_000, 'in 59 minutes'],
    [59.6 * 60_000, 'in 1 hour'],
    [23.4 * 3_600_000, 'in 23 hours'],
    [23.6 * 3_600_000, 'in 1 day'],
    [72 * 3_600_000, 'in 3 days'],
  ])('%d ms is %s', (left, words) => expect(formatUntil(left, 0)).toBe(words));
});

describe('a run', () => {
  it('says what became of it', () => {
    expect(getRunStatus(aRun({}))).toBe('answered');
    expect(getRunStatus(aRun({ state: 'skipped', outcome: null }))).toBeUndefined();
    expect(getRunStatus(aRun({ outcome: 'deadline' }))).toBe('failed');
    expect(formatRunFacts(aRun({}))).toBe('');
    expect(formatRunFacts(aRun({ cause: 'missed', times: 3, denied: 1 }))).toBe(
      'missed 3 times · 1 permission denied, as nobody answered',
    );
  });

  it('says what the operator should know', () => {
    const refused = aRun({ state: 'refused', outcome: null, code: 'no_working_client', reason: 'No model.' });
    expect(describeNeed(refused)).toBe('A run was refused: No model.');
    expect(describeNeed(aRun({ denied: 2 }))).toBe('A run went on without 2 permissions that nobody answered.');
    expect(describeNeed(aRun({ outcome: 'failed', reason: 'It broke.' }))).toBe('A run failed: It broke.');
  });
});
