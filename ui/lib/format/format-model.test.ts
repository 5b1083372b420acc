import { expect, it } from 'vitest';
import { formatModel } from './format-model.js';

it('a model is named by what a member runs on, not by what its file calls it', () => {
  expect(formatModel('strongest', 'builtin')).toBe('No model connected: search only');
  expect(formatModel('strongest', 'default')).toBe('the client’s default model');
  expect(formatModel('strongest', 'opus')).toBe('opus (strongest)');
  expect(formatModel('opus', 'opus')).toBe('opus');
  expect(formatModel('opus', 'opus-4')).toBe('opus → opus-4');
  expect(formatModel('opus', '')).toBe('opus');
  expect(formatModel(null, 'default')).toBe('default');
});
