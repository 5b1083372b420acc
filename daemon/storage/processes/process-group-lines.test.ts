import { expect, it } from 'vitest';
import { LineCutter, USUAL_LINE_LIMITS } from './process-group-lines.js';

const cutter = (over = {}) => new LineCutter({ ...USUAL_LINE_LIMITS, ...over });
const push = (cut: LineCutter, text: string) => cut.push(Buffer.from(text));

it('reads lines of 256 KiB, runs of 64 MiB, and gives up on a line after 8 MiB', () => {
  expect(USUAL_LINE_LIMITS).toEqual({
    lineMaxBytes: 262_144,
    runawayLineBytes: 8_388_608,
    totalMaxBytes: 67_108_864,
  });
});

it('reads a line of the longest length and drops one that is longer, also the last one', () => {
  const cut = cutter({ lineMaxBytes: 4 });
  expect(push(cut, '1234\n12345\n12').lines).toEqual(['1234']);
  expect([cut.droppedLines, push(cut, '34\n').lines]).toEqual([1, ['1234']]);
  push(cut, '12');
  push(cut, '345');
  expect([cut.rest(), cut.droppedLines, cut.rest()]).toEqual([undefined, 2, undefined]);
  expect(push(cut, 'next\n').lines).toEqual(['next']);
});

it('reads a line of the length at which a run ends, where that is the longest one', () => {
  const cut = cutter({ lineMaxBytes: 4, runawayLineBytes: 4 });
  expect(push(cut, '1234')).toEqual({ lines: [], isOverLimit: false });
  expect([push(cut, '\n').lines, push(cut, '12345').isOverLimit]).toEqual([['1234'], true]);
});

it('counts a line’s length anew after its end, and that of all lines together', () => {
  const cut = cutter({ runawayLineBytes: 4, totalMaxBytes: 12 });
  expect([push(cut, '1234'), push(cut, '\n1234')].map(({ isOverLimit }) => isOverLimit)).toEqual([false, false]);
  expect(push(cut, '5').isOverLimit).toBe(true);
  expect(push(cut, '\n').isOverLimit).toBe(false);
  expect([push(cut, '1'), push(cut, '2')].map(({ isOverLimit }) => isOverLimit)).toEqual([false, true]);
});

it('reads a long line that comes a byte at a time', () => {
  const cut = cutter();
  const text = Array.from({ length: 700 }, (_, at) => String(at % 10)).join('');
  for (const byte of text) push(cut, byte);
  expect(push(cut, '\n').lines).toEqual([text]);
});

it('has no rest after a line end, and the rest once', () => {
  const cut = cutter();
  expect([push(cut, 'a\n').lines, cut.rest()]).toEqual([['a'], undefined]);
  push(cut, 'b\r');
  expect([cut.rest(), cut.rest()]).toEqual(['b', undefined]);
});

it('takes only a carriage return at the end of a line away', () => {
  expect(push(cutter(), '\ra\rb\r\r\n\r\n').lines).toEqual(['\ra\rb\r', '']);
});
