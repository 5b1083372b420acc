import { describe, expect, it } from 'vitest';
import { INVISIBLE_CHARS } from '../lib/text/display-text.js';
import { recordedTerminal } from '../testing/processes/recorded-terminal.js';
import { duration } from './daemon/status.js';
import { displayWidth } from './display-width.js';
import { printable } from './terminal.js';

it('shows untrusted text without control sequences', () => {
  expect(printable('a\u001b[2Jb\u009b31mc\rd\u202ee\tf\r\ng')).toBe('a\\x1b[2Jb\\x9b31mc\\x0dd\\u202ee\tf\ng');
});

it('aligns columns by their widest cell and keeps each row on one line', () => {
  const { text, terminal } = recordedTerminal();
  terminal.table(
    [
      ['a', 'one\ntwo'],
      ['longer', 'three'],
    ],
    ['ID', 'WHAT'],
  );
  expect(text.out).toBe('ID      WHAT\na       one two\nlonger  three\n');
});

it.each([
  ['日本語', 6],
  ['한국어', 6],
  ['ﾊﾝｶｸ', 4],
  ['ｆｕｌｌ', 8],
  ['cafe\u0301', 4],
  ['🔧 ⚙\ufe0f ⚙', 7],
  ['🇯🇵', 2],
  ['👨\u200d👩\u200d👧', 2],
  ['𝐀é–…', 4],
])('measures %j as %i cells, as terminals show it', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

it('aligns columns behind wide and combining characters', () => {
  const { text, terminal } = recordedTerminal();
  terminal.table([
    ['日本', 'one'],
    ['e\u0301', 'two'],
  ]);
  expect(text.out).toBe('日本  one\ne\u0301     two\n');
});

it('keeps remarks off stdout, and omits them with --json', () => {
  const { text, terminal } = recordedTerminal();
  terminal.note('a remark');
  terminal.isJson = true;
  terminal.note('another');
  terminal.object({ a: 1 });
  expect(text).toEqual({ out: '{\n  "a": 1\n}\n', err: 'a remark\n' });
});

it('uses colours only when enabled', () => {
  expect(recordedTerminal().terminal.colours.red('x')).toBe('x');
  const { text, terminal } = recordedTerminal({ isColourful: true });
  const { red, bold, dim } = terminal.colours;
  terminal.answer(`${red('x')}${bold(`a${dim('b')}c`)}`);
  expect(text.out).toBe('\u001b[31mx\u001b[39m\u001b[1ma\u001b[2mb\u001b[22m\u001b[1mc\u001b[22m\n');
});

it('writes no escape sequence to a stderr that is a file, also when stdout is a terminal', () => {
  const { text, terminal } = recordedTerminal({ isColourful: true });
  terminal.note(terminal.colours.red(`a ${terminal.colours.bold('b')} c`));
  terminal.clearLine();
  expect(text.err).toBe('a b c\n');
});

describe('untrusted text', () => {
  const evil = '\u001b[31mred\u001b]8;;http://evil.example\u0007\u009b2J\u202e';
  const shown = '\\x1b[31mred\\x1b]8;;http://evil.example\\x07\\x9b2J\\u202e';

  it('is sanitized by every method that writes it, also inside a colour', () => {
    const { text, terminal } = recordedTerminal({ isColourful: true });
    terminal.answer(evil);
    terminal.piece(terminal.colours.red(`${evil}\n`));
    terminal.note(evil);
    terminal.note(evil);
    terminal.table([[evil, evil]]);
    expect(text.out).toBe(`${shown}\n\u001b[31m${shown}\n\u001b[39m${shown}  ${shown}\n`);
    expect(text.err).toBe(`${shown}\n${shown}\n`);
  });

  it('is sanitized in a prompt', async () => {
    const { text, terminal } = recordedTerminal();
    const prompt = terminal.openPrompt();
    const over = new AbortController();
    const asked = prompt.question(`Delete ${evil}?`, { signal: over.signal });
    over.abort();
    await expect(asked).rejects.toThrow('abort');
    prompt.close();
    expect(text.err).toContain(`Delete ${shown}?`);
    expect(text.err).not.toContain(evil);
  });

  it('keeps its value in JSON, without invisible characters', () => {
    const { text, terminal } = recordedTerminal();
    terminal.object({ evil });
    terminal.record({ evil });
    for (const json of [text.out.slice(0, text.out.indexOf('}') + 1), text.out.split('\n').at(-2) ?? '']) {
      expect(JSON.parse(json)).toEqual({ evil });
      expect(json.match(INVISIBLE_CHARS)).toBeNull();
    }
  });

  it('is written to a file byte for byte as a document', () => {
    const { text, terminal } = recordedTerminal();
    terminal.document(evil);
    expect(text.out).toBe(evil);
  });
});

it.each([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3_725, '1 h 2 min'],
  [90_061, '1 d 1 h'],
])('formats %i seconds as %s', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});
