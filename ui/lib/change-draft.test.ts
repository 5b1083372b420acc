import { expect, it } from 'vitest';
import { dropSaved } from './change-draft.js';

it('what is typed while a file is saved becomes a change of the saved file', () => {
  const saved = dropSaved<{ text: string; revision: string }>('lamp', 'r2');
  expect(saved({ text: 'lamp', revision: 'r1' })).toBeUndefined();
  expect(saved({ text: 'lamps', revision: 'r1' })).toEqual({ text: 'lamps', revision: 'r2' });
  expect(saved(undefined)).toBeUndefined();
});
