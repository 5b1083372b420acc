import { expect, it } from 'vitest';
import { formatTitle, titleFrom } from './conversation-title.js';

it.each([
  [{ title: 'Lights', member: 'developer' }, 'Lights'],
  [{ title: '', member: 'developer' }, 'developer'],
  [{ title: '', member: null }, 'New conversation'],
])('a conversation is shown by its title, its member or as a new one: %#', (row, shown) => {
  expect(formatTitle(row)).toBe(shown);
});

it.each([
  ['its first line', '  \n Mend the lamp\nand the horn', 'Mend the lamp'],
  ['80 characters of it', 'x'.repeat(80), 'x'.repeat(80)],
  ['79 and a sign that it is longer', 'x'.repeat(81), `${'x'.repeat(79)}…`],
  ['no half of a character', '🌊'.repeat(81), `${'🌊'.repeat(79)}…`],
  ['80 characters of two units', '🌊'.repeat(80), '🌊'.repeat(80)],
  ['the same when a second line is far', `${'x'.repeat(70)}\n${'y'.repeat(200)}`, 'x'.repeat(70)],
  ['nothing of a blank text', ' \n ', ''],
])('the title of a message is %s', (_what, text, title) => {
  expect(titleFrom(text)).toBe(title);
});
