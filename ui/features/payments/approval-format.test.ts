import { describe, expect, it } from 'vitest';
import { approvalOfKey, formatApprovalWait } from './approval-format.js';

const key = (key: string, more: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

describe('payment over the caps', () => {
  it('is allowed by 1, denied by 2, and decided by no other key', () => {
    expect(approvalOfKey(key('1'))).toBe('allow');
    expect(approvalOfKey(key('2'))).toBe('deny');
    for (const other of ['0', '3', 'Enter', 'a', '']) expect(approvalOfKey(key(other))).toBeUndefined();
    expect(approvalOfKey(key('1', { ctrlKey: true }))).toBeUndefined();
  });

  it('shows its remaining time', () => {
    expect(formatApprovalWait(86_400, 0)).toBe('Denied in 1 d unless you answer.');
    expect(formatApprovalWait(86_400, 86_400_000 - 90_000)).toBe('Denied in 2 min unless you answer.');
    expect(formatApprovalWait(86_400, 86_400_000)).toBe('Expired: nothing is paid.');
  });
});
