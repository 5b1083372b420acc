import { expect, it } from 'vitest';
import { joinedWords } from './composer-draft.js';

it('puts words back under what is typed, and never over it', () => {
  expect(joinedWords('', 'Run the tests')).toBe('Run the tests');
  expect(joinedWords(' \n', 'Run the tests')).toBe('Run the tests');
  expect(joinedWords('Wait \n', 'Run the tests')).toBe('Wait\n\nRun the tests');
});
