import { expect, it } from 'vitest';
import { isEscape } from './is-escape.js';

it('Esc counts only when the input method does not take it', () => {
  expect(isEscape({ key: 'Escape', isComposing: false })).toBe(true);
  expect(isEscape({ key: 'Escape', isComposing: true })).toBe(false);
  expect(isEscape({ key: 'Enter', isComposing: false })).toBe(false);
});
