import { expect, it } from 'vitest';
import { extendSelection } from './line-selection.js';

const look = { isExtending: false, isWriting: false };
const extend = { isExtending: true, isWriting: false };
const write = { isExtending: false, isWriting: true };

it('extends from the first line in both directions, and comments on the whole selection', () => {
  const first = extendSelection(undefined, { side: 'new', line: 5 }, look);
  const down = extendSelection(first, { side: 'new', line: 8 }, extend);
  expect(down).toMatchObject({ start: 5, end: 8 });
  const up = extendSelection(down, { side: 'new', line: 3 }, extend);
  expect(up).toMatchObject({ start: 3, end: 5 });
  expect(extendSelection(up, { side: 'new', line: 3 }, write)).toMatchObject({ start: 3, end: 5, isWriting: true });
});

it('begins anew on the other side and outside the selection', () => {
  const first = extendSelection(undefined, { side: 'new', line: 5 }, look);
  expect(extendSelection(first, { side: 'old', line: 8 }, extend)).toMatchObject({ side: 'old', start: 8, end: 8 });
  expect(extendSelection(first, { side: 'new', line: 9 }, write)).toMatchObject({ start: 9, end: 9, isWriting: true });
});
