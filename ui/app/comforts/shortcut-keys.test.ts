import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listenForShortcuts } from './shortcut-keys.js';
import { endTypingAhead } from './typed-ahead.js';

beforeEach(() => {
  const page = { addEventListener() {}, removeEventListener() {}, querySelector: () => null };
  vi.stubGlobal('document', page);
});

afterEach(() => {
  endTypingAhead();
  vi.unstubAllGlobals();
});

/** Whether Ctrl with the key in the place of K on an English keyboard, which types `key`, opens the palette. */
function opensPalette(key: string, code = 'KeyK'): boolean {
  const openPalette = vi.fn();
  const event = { key, code, ctrlKey: true, timeStamp: 0, preventDefault: vi.fn() } as unknown as KeyboardEvent;
  const acts = { hasSingleKeys: true, openPlace: vi.fn(), openSheet: vi.fn(), openPalette };
  listenForShortcuts(acts, [event])();
  expect(event.preventDefault).toHaveBeenCalledTimes(openPalette.mock.calls.length);
  return openPalette.mock.calls.length > 0;
}

it('Ctrl K opens the palette on every layout', () => {
  expect(opensPalette('k')).toBe(true);
  expect(opensPalette('K')).toBe(true);
  for (const key of ['л', 'κ', 'ל', 'ن']) expect(opensPalette(key)).toBe(true);
});

it('a layout of Latin letters has its own K', () => {
  expect(opensPalette('k', 'KeyV')).toBe(true);
  expect(opensPalette('t')).toBe(false);
  expect(opensPalette('л', 'KeyG')).toBe(false);
});
