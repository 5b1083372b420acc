import { expect, it } from 'vitest';
import { shownWords } from './shown-words.js';

it('makes marks that turn the reading direction visible and leaves every script as it is', () => {
  expect(shownWords('De\u202eployer\u2066!\u2069')).toBe('De\ufffdployer\ufffd!\ufffd');
  expect(shownWords('Hafen שלום مرفأ 港')).toBe('Hafen שלום مرفأ 港');
});
