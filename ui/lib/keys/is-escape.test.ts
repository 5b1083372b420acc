import { expect, it } from 'vitest';
import { isEscape } from './is-escape.js';

it('Esc counts only when the input method does not take it', () => {
  expect(isEscape({ key: 'Escape', isComposing: false, keyCode: 27 })).toBe(true);
  expect(isEscape({ key: 'Escape', isComposing: true, keyCode: 229 })).toBe(false);
  // Safari ends the composition first.
  expect(isEscape({ key: 'Escape', isComposing: false, keyCode: 229 })).toBe(false);
  expect(isEscape({ key: 'Enter', isComposing: false, keyCode: 13 })).toBe(false);
});
