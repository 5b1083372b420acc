import { expect, it } from 'vitest';
import { formatFileState } from './file-format.js';

it('formatFileState returns the most important state of a file', () => {
  const [ok, broken] = [{ state: 'ok' }, { state: 'broken' }] as const;
  expect(formatFileState(broken, { state: 'changed' }, 'changed')).toBe('broken');
  expect(formatFileState(ok, { state: 'gone' }, 'changed')).toBe('source gone');
  expect(formatFileState(ok, { state: 'changed' }, 'committed')).toBe('source changed');
  expect(formatFileState(ok, undefined, 'changed')).toBe('changed');
  expect(formatFileState(ok, undefined, 'uncommitted')).toBe('not committed');
  expect(formatFileState(ok, undefined, 'committed')).toBe('ok');
  // Without a repository there is nothing to compare with.
  expect(formatFileState(ok, undefined, undefined)).toBe('ok');
});
