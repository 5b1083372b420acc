import { TomlDate } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { Data } from './foreign-agent.js';
import { portable, readTomlAgent, tomlAgentText } from './foreign-toml.js';

describe('a TOML agent', () => {
  it('has its keys and its prompt', () => {
    expect(readTomlAgent('\uFEFFname = "a"\ndeveloper_instructions = "B"\n[x]\ny = 1\n')).toEqual({
      data: { name: 'a', x: { y: 1 } },
      body: 'B',
    });
    expect(readTomlAgent('name = "a"')).toEqual({ data: { name: 'a' }, body: '' });
  });

  it.each([
    ['name = "x"\nname = "y"', 2, 5, /^(?!Invalid TOML)\S.*[^\n]$/],
    ['developer_instructions = 3', 1, 1, /^`developer_instructions` must be a text\.$/],
    ['a = 1\n\nb = [', 3, 5, /^(?!Invalid TOML)[^\n]+$/],
    ['[__proto__]\na = 1', 1, 2, /^(?!Invalid TOML)[^\n]+$/],
    [`a = ${'['.repeat(40)}${']'.repeat(40)}`, 1, 36, /^(?!Invalid TOML)[^\n]+$/],
  ])('is refused with line, column and reason: %#', (text, line, _column, reason) => {
    const problem = readTomlAgent(text) as { line: number; column: number; reason: string };
    expect(problem).toMatchObject({ line, column: expect.any(Number), reason: expect.stringMatching(reason) });
  });

  it('may be nested 31 deep', () => {
    expect(readTomlAgent(`a = ${'['.repeat(20)}${']'.repeat(20)}`)).toHaveProperty('data');
  });

  it('has values for which JSON has no type by their text', () => {
    const text =
      'day = 2026-01-02\ntime = 2026-01-02T03:04:05Z\nbig = 9007199254740993\nlow = -inf\ntop = inf\nnone = nan\n' +
      'list = [1, 9007199254740993]\nfine = 1.5\nyes = true\n[t]\nbig = -9007199254740993\n';
    expect(readTomlAgent(text)).toEqual({
      body: '',
      data: {
        day: { $toml: '2026-01-02' },
        time: { $toml: '2026-01-02T03:04:05.000Z' },
        big: { $toml: '9007199254740993' },
        low: { $toml: '-inf' },
        top: { $toml: 'inf' },
        none: { $toml: 'nan' },
        list: [1, { $toml: '9007199254740993' }],
        fine: 1.5,
        yes: true,
        t: { big: { $toml: '-9007199254740993' } },
      },
    });
    expect(portable([undefined, null, 'a'])).toEqual([undefined, null, 'a']);
    expect(portable(new TomlDate('2026-01-02'))).toEqual({ $toml: '2026-01-02' });
  });
});

describe('a new TOML agent', () => {
  it('has plain keys, then the prompt, then tables', () => {
    const data = { t: { x: 1 }, name: 'a', list: [1], empty: [], rows: [{ y: 2 }], when: { $toml: '2026-01-02' } };
    expect(tomlAgentText(data, 'B')).toBe(
      'name = "a"\nlist = [ 1 ]\nempty = []\nwhen = 2026-01-02\ndeveloper_instructions = "B"\n\n' +
        '[t]\nx = 1\n\n[[rows]]\ny = 2\n',
    );
    expect(tomlAgentText({}, 'B')).toBe('developer_instructions = "B"\n');
    expect(tomlAgentText({ t: { x: 1 } }, 'B')).toBe('developer_instructions = "B"\n\n[t]\nx = 1\n');
    expect(tomlAgentText({ dates: [{ $toml: '2026-01-02' }] }, 'B')).toBe(
      'dates = [ 2026-01-02 ]\ndeveloper_instructions = "B"\n',
    );
  });

  it.each<[title: string, body: string, prompt: string]>([
    ['one line in quotes', 'a "b" \\ c', '"a \\"b\\" \\\\ c"'],
    ['a line with a deleted character', 'a\u007fb', '"a\\u007fb"'],
    ['several lines', 'a\nb\n', '"""\na\nb\n"""'],
    ['quotes and tabs as they are', 'a "b"\n\tc', '"""\na "b"\n\tc"""'],
    ['a backslash in literal lines', 'a\\b\n"c"', "'''\na\\b\n\"c\"'''"],
    ['a backslash beside three apostrophes', "a\\b\n'''", '"""\na\\\\b\n\'\'\'"""'],
    ['a backslash before an apostrophe at the end', "a\\b\nc'", '"""\na\\\\b\nc\'"""'],
    ['a backslash beside a control character', 'a\\b\n\u0001', '"""\na\\\\b\n\\u0001"""'],
    ['a backslash beside a tab', 'a\\b\n\tc', "'''\na\\b\n\tc'''"],
    ['three quotes', 'a\n"""', '"""\na\n"\\"\\""""'],
    ['a quote at the end', 'a\nb"', '"""\na\nb\\""""'],
    ['a deleted character in lines', 'a\n\u007f', '"""\na\n\\u007f"""'],
  ])('has %s', (_title, body, prompt) => {
    const text = tomlAgentText({}, body);
    expect(text).toBe(`developer_instructions = ${prompt}\n`);
    expect(readTomlAgent(text)).toEqual({ data: {}, body });
  });

  it.each<[title: string, data: Data]>([
    ['numbers', { a: { $toml: 'nan' }, b: { $toml: 'inf' }, c: { $toml: '-inf' }, d: { $toml: '-9007199254740993' } }],
    [
      'times',
      { a: { $toml: '2026-01-02' }, b: [{ $toml: '2026-01-02T03:04:05.000Z' }, { $toml: '9007199254740993' }] },
    ],
    ['tables with a key of that name', { a: { $toml: 'inf', other: 1 }, b: { $toml: 3 } }],
  ])('is read again with its %s', (_title, data) => {
    expect(readTomlAgent(tomlAgentText(data, 'B'))).toEqual({ data, body: 'B' });
  });

  it('leaves out what TOML has no value for, and keeps a text that is no date', () => {
    const text = tomlAgentText({ a: null, b: undefined, t: { c: null, d: 1 }, e: { $toml: 'soon' } }, 'B');
    expect(readTomlAgent(text)).toEqual({ data: { t: { d: 1 }, e: 'soon' }, body: 'B' });
  });
});
