import { expect, it } from 'vitest';
import { commentText, plainText } from './sentences.js';

it.each([
  ['See [the lamp](https://example.org/Lamp_(light)) first.', 'See the lamp first.'],
  ['![a picture](lamp.png) [one][two] three', 'one three'],
  ['> quoted\n\n- listed\n\n  2. counted', 'quoted listed counted'],
  ['before <!-- not said --> after <!-- never closed', 'before after'],
  ['a <b class="x">bold</b> word, 1 < 2', 'a bold word, 1 < 2'],
])('converts %j to %j', (markdown, text) => {
  expect(plainText(markdown)).toBe(text);
});

it.each([
  [['/**', ' * Keeps the lamp lit.  ', ' * @internal', ' */'], 'Keeps the lamp lit.'],
  [['// One line.', '//   and its rest'], 'One line. and its rest'],
  [['/* All in one. */'], 'All in one.'],
  [['# A shell script\r', '# of two lines\r'], 'A shell script of two lines'],
  [['#include <lamp.h>', '# not a comment of C'], 'not a comment of C'],
])('extracts from the lines %j the comment %j', (lines, text) => {
  expect(commentText(lines)).toBe(text);
});

it.each([
  ['<!--', 60_000],
  ['[', 250_000],
  ['![](', 60_000],
  ['<<', 125_000],
  ['\n\t', 125_000],
])('reads %j repeated many times in bounded time', (piece, times) => {
  const text = piece.repeat(times);
  const startedMs = performance.now();
  plainText(text);
  commentText([`# ${text}x`]);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
