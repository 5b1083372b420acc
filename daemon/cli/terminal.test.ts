import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { duration } from './status.js';
import { printable, Terminal } from './terminal.js';

function recorded(isColourful = false) {
  const text = { out: '', err: '' };
  const into = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        text[name] += String(chunk);
        done();
      },
    });
  return {
    text,
    terminal: new Terminal(into('out'), into('err'), {
      editor: undefined,
      isColourful,
      hasDisplay: false,
      command: 'meshd',
    }),
  };
}

it('shows text that others wrote without letting it command the terminal', () => {
  expect(printable('a\u001b[2Jb\u009b31mc\rd\u202ee\tf\r\ng')).toBe('a�[2Jb�31mc�d�e\tf\ng');
});

it('aligns columns by their widest cell and keeps each row on one line', () => {
  const { text, terminal } = recorded();
  terminal.table(
    [
      ['a', 'one\ntwo'],
      ['longer', 'three'],
    ],
    ['ID', 'WHAT'],
  );
  expect(text.out).toBe('ID      WHAT\na       one two\nlonger  three\n');
});

it('keeps remarks off stdout, and out altogether when a program reads along', () => {
  const { text, terminal } = recorded();
  terminal.note('a remark');
  terminal.isJson = true;
  terminal.note('another');
  terminal.warn('a warning');
  terminal.object({ a: 1 });
  expect(text).toEqual({ out: '{\n  "a": 1\n}\n', err: 'a remark\na warning\n' });
});

it('colours only when told to', () => {
  expect(recorded(false).terminal.colours.red('x')).toBe('x');
  expect(recorded(true).terminal.colours.red('x')).toBe('\u001b[31mx\u001b[39m');
});

it.each([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3_725, '1 h 2 min'],
  [90_061, '1 d 1 h'],
])('says %i seconds as %s', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});
