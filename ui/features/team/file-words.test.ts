import { expect, it } from 'vitest';
import { fileWords } from './file-words.js';

it('fileWords returns the most important state of a file', () => {
  const [ok, broken] = [{ state: 'ok' }, { state: 'broken' }] as const;
  expect(fileWords(broken, { state: 'changed' }, 'changed')).toBe('broken');
  expect(fileWords(ok, { state: 'gone' }, 'changed')).toBe('source gone');
  expect(fileWords(ok, { state: 'changed' }, 'committed')).toBe('source changed');
  expect(fileWords(ok, undefined, 'changed')).toBe('changed');
  expect(fileWords(ok, undefined, 'uncommitted')).toBe('not committed');
  expect(fileWords(ok, undefined, 'committed')).toBe('ok');
  // Without a repository there is nothing to compare with.
  expect(fileWords(ok, undefined, undefined)).toBe('ok');
});
