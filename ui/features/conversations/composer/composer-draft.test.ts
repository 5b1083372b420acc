import { expect, it } from 'vitest';
import { joinDrafts, typedSince } from './composer-draft.js';

it('appends restored text below the draft and never replaces it', () => {
  expect(joinDrafts('', 'Run the tests')).toBe('Run the tests');
  expect(joinDrafts(' \n', 'Run the tests')).toBe('Run the tests');
  expect(joinDrafts('Wait \n', 'Run the tests')).toBe('Wait\n\nRun the tests');
});

it('keeps what was typed while the message was being sent', () => {
  expect(typedSince('Run the tests', 'Run the tests')).toBe('');
  expect(typedSince('Run the tests and the build', 'Run the tests')).toBe('and the build');
  expect(typedSince('/stop', 'Run the tests')).toBe('/stop');
});
