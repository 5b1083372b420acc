import { describe, expect, it } from 'vitest';
import { openCodeGraphs } from '../../../testing/parts/code-structure.js';
import type { Intent } from '../newcomers/intent.js';
import { StructureAnswers } from './structure-answers.js';

const build = openCodeGraphs();
const SCOPE = { languages: [], without: [], folders: [], includesTests: false };
const FOOT = "Answered by meshd's built-in search over this project; no model was used.";

/** Answers questions to a project of these files; no line of `hidden` may be cited. */
function open(files: Record<string, string>, { hidden = [] as string[], isReady = true } = {}) {
  const linesOf = (path: string) => files[path]?.split('\n');
  const cite = (path: string, start: number, end: number) => {
    if (hidden.includes(`${path}:${start}`)) return undefined;
    const quote =
      linesOf(path)
        ?.slice(start - 1, end)
        .join('\n') ?? '';
    return { path, start_line: start, end_line: end, quote, digest: '' } as unknown as ReturnType<
      ConstructorParameters<typeof StructureAnswers>[1]
    >;
  };
  const sources = { paths: () => Object.keys(files), linesOf };
  const answers = new StructureAnswers(build(files).queries, cite, () => isReady, sources);
  const ask = (text: string, intent?: Intent, names?: string[]) => {
    const found = answers.answer(text, intent, names);
    if (found === undefined || found === 'pending') return found;
    return { ...found.answer, form: found.form };
  };
  const parts = (text: string) => {
    const found = ask(text);
    return found === undefined || found === 'pending' ? found : found.text.split('\n\n').slice(0, -1);
  };
  return { ask, parts, lead: (text: string) => parts(text)?.[0] };
}

const FILES = {
  'src/a.ts':
    '/** Lights it. All. */\nexport function light(list: string[], limit = 5) {\n  return split(list, limit);\n}\n' +
    'function split(list: string[], limit: number) {\n  return list;\n}\nexport function unused() {}\nconst ' +
    'SIZE_MAX = 7;\n',
  'src/b.ts': "import { light } from './a.js';\nlight([]);\nfunction go() {\n  light(['x']);\n}\n",
};

describe('the whole answer', () => {
  it('has a sentence, the places with their code, and where it comes from', () => {
    expect(open(FILES).ask('Who calls light?')).toEqual({
      text:
        '`light` is called from 2 places in 1 file.\n\n- `src/b.ts:2` `light([]);`\n' +
        `- \`src/b.ts:4\` \`go\` — \`light(['x']);\`\n\n${FOOT}`,
      ...{ confidence: 'found', total: 2, form: 'callers' },
      citations: [
        { path: 'src/b.ts', start_line: 2, end_line: 2, quote: 'light([]);', digest: '' },
        { path: 'src/b.ts', start_line: 4, end_line: 4, quote: "  light(['x']);", digest: '' },
      ],
    });
  });

  it('shows nothing of a line that may not be cited but its place', () => {
    const found = open(FILES, { hidden: ['src/b.ts:4'] }).ask('Who calls light?');
    expect(found).toMatchObject({ total: 2, citations: [{ start_line: 2 }] });
    expect(found).toMatchObject({ text: expect.stringContaining('\n- `src/b.ts:4`\n') });
  });

  it('cites up to six lines of a definition', () => {
    const files = { 'a.ts': `function long() {\n${'  go();\n'.repeat(9)}}\nfunction short() {\n  go();\n}\n` };
    expect(open(files).ask('Where is long defined?')).toMatchObject({ citations: [{ start_line: 1, end_line: 6 }] });
    expect(open(files).ask('Where is short defined?')).toMatchObject({ citations: [{ start_line: 12, end_line: 14 }] });
  });

  it('shows twenty places and how many more there are', () => {
    const calls = (count: number) => ({ 'a.ts': `function go() {}\n${'go();\n'.repeat(count)}` });
    const lines = (count: number) => open(calls(count)).parts('Who calls go?')?.[1]?.split('\n');
    expect([lines(20)?.length, lines(20)?.at(-1)]).toEqual([20, '- `a.ts:21` `go();`']);
    expect([lines(21)?.length, lines(21)?.at(-1)]).toEqual([21, '- and 1 more']);
  });

  it('shows a line of code of up to a hundred and sixty characters', () => {
    const found = open({ 'a.ts': `function go() {}\ngo('${'x'.repeat(200)}');\n` }).parts('Who calls go?');
    expect(found?.[1]).toBe(`- \`a.ts:2\` \`go('${'x'.repeat(155)}…\``);
  });
});

describe('a question', () => {
  it('of another kind, or about nothing of the graph, is left to others', () => {
    const { ask } = open(FILES);
    expect([ask('How are lamps lit?'), ask('Who calls nothing?')]).toEqual([undefined, undefined]);
  });

  it('is pending while the graph is not complete, unless it is of another kind', () => {
    const { ask } = open(FILES, { isReady: false });
    expect([ask('Who calls light?'), ask('How are lamps lit?')]).toEqual(['pending', undefined]);
    expect(ask('x', { kind: 'entry', isLibrary: false })).toBe('pending');
  });

  it('may name the project at its end', () => {
    const { ask } = open(FILES);
    for (const text of ['in my-lamp?', 'within the My-Lamp', 'of town', 'across town.', 'anywhere in my lamp !'])
      expect(ask(`Who calls light ${text}`, undefined, ['my-lamp', 'town'])).toMatchObject({ total: 2 });
    expect(ask('Who calls light in village?', undefined, ['my-lamp'])).toBeUndefined();
    expect(ask('Who calls light in my-lamp?')).toBeUndefined();
  });

  it('of a newcomer is answered with a list, but for a library', () => {
    const files = { ...FILES, 'main.c': 'int main(void) { return 0; }\n', 'e.ts': 'process.env.LAMP_A;\n' };
    const { ask } = open(files);
    expect(ask('x', { kind: 'entry', isLibrary: false })).toMatchObject({ form: 'entries', total: 1 });
    expect(ask('Who calls light?', { kind: 'entry', isLibrary: true })).toBeUndefined();
    expect(ask('x', { kind: 'environment', scope: SCOPE })).toMatchObject({ form: 'environment', total: 1 });
    expect(ask('Who calls light?', { kind: 'purpose' })).toMatchObject({ form: 'callers', total: 2 });
    expect(open(FILES).ask('x', { kind: 'entry', isLibrary: false })).toBeUndefined();
  });

  it('about the environment is about folders that are there', () => {
    const { ask } = open({ 'src/a.ts': 'process.env.LAMP_A;\n', 'lib/b.ts': 'process.env.LAMP_B;\n' });
    const lead = (folders: string[]) => ask('x', { kind: 'environment', scope: { ...SCOPE, folders } });
    expect(lead(['src'])).toMatchObject({ text: expect.stringContaining('`LAMP_A`.') });
    expect(lead(['src', 'none'])).toMatchObject({ total: 1 });
    expect(lead(['none'])).toMatchObject({ total: 2 });
  });

  it('about the environment may be answered with none', () => {
    const found = open(FILES).ask('x', { kind: 'environment', scope: SCOPE });
    expect(found).toMatchObject({ form: 'environment', total: 0, citations: [] });
    expect(found).toMatchObject({ text: expect.stringContaining('none of 2 source files reads the environment') });
  });
});

describe('where something is defined', () => {
  it('has the first sentence of its comment', () => {
    expect(open(FILES).parts('Where is light defined?')).toEqual([
      '`light` (function) is defined in `src/a.ts:2`. Lights it.',
      expect.stringContaining('- `src/a.ts:2` function `light` — `export function light(list: string[], limit = 5) {`'),
    ]);
    expect(open(FILES).lead('Where is split defined?')).toBe('`split` (function) is defined in `src/a.ts:5`.');
  });

  it('counts several, with the comment of the first when all others are tests', () => {
    const lamp = '/** A lamp. */\nclass Lamp {}\n';
    expect(open({ 'a.ts': lamp, 'b.ts': lamp }).lead('Where is Lamp defined?')).toBe(
      '`Lamp` has 2 definitions; the first is `Lamp` (class) in `a.ts:2`.',
    );
    expect(open({ 'a.ts': lamp, 'test/b.ts': lamp }).lead('Where is Lamp defined?')).toBe(
      '`Lamp` has 2 definitions; the first is `Lamp` (class) in `a.ts:2`. A lamp.',
    );
  });

  it('in loose words counts for few definitions, and for a name of code where only tests define it', () => {
    const many = (count: number) => ({ 'a.ts': 'function lightLamp() {}\n'.repeat(count) });
    expect(open(many(12)).lead('Where is lightLamp?')).toContain('12 definitions');
    expect(open(many(13)).lead('Where is lightLamp?')).toBeUndefined();
    expect(open(many(13)).lead('Where is lightLamp defined?')).toContain('13 definitions');
    const test = { 'test/a.ts': 'class Lamp {}\nclass LampKind {}\n' };
    expect(open(test).lead('Where is the class Lamp?')).toBeUndefined();
    expect(open(test).lead('Where is the class LampKind?')).toContain('is defined in');
    expect(open({ 'a.ts': 'class Lamp {}\n' }).lead('Where is the class Lamp?')).toContain('is defined in');
  });
});

describe('who uses something', () => {
  const files = {
    'a.ts':
      'export class Base {}\nexport class Lamp extends Base {}\nexport class Sun extends Base {}\nexport ' +
      'interface Glow {}\n' +
      'export class Moon implements Glow {}\nexport interface Alone {}\nexport const one = new Base();\n',
  };

  it.each([
    ['Who uses Base?', '`Base` is used in 3 places in 1 file.'],
    ['Who extends Base?', '`Base` is extended by 2 classes in 1 file.'],
    ['Who implements Glow?', '`Glow` is implemented by 1 class in 1 file.'],
    ['Who uses Alone?', 'Nobody uses it: `Alone` is defined and never used in this project (defined in `a.ts:6`).'],
    [
      'Who extends Sun?',
      'Nothing extends it: `Sun` is defined and never extended in this project (defined in `a.ts:3`).',
    ],
    [
      'Who implements Alone?',
      'Nothing implements it: `Alone` is defined and never implemented in this project (defined in `a.ts:6`).',
    ],
    ['What breaks if I change Base?', '`Base` is used in 3 places in 1 file.'],
    [
      'What breaks if I change Alone?',
      'Nobody uses it: `Alone` is defined and never used in this project (defined in `a.ts:6`).',
    ],
    ['Who uses base?', '`Base` is used in 3 places in 1 file.'],
  ])('to %s', (question, lead) => {
    expect(open(files).lead(question)).toBe(lead);
  });

  it('cites the definition of what nobody uses', () => {
    expect(open(files).ask('Who uses Alone?')).toMatchObject({
      total: 0,
      citations: [{ path: 'a.ts', start_line: 6 }],
    });
    expect(open(files).parts('Who uses Alone?')?.[1]).toBe(
      '- `a.ts:6` interface `Alone` — `export interface Alone {}`',
    );
  });

  it('names up to six definitions of the name in sources, with how many uses mean each', () => {
    const go = 'export function go() {}\n';
    const two = { 'a.ts': go, 'b.ts': `${go}go();\n`, 'test/c.ts': go };
    expect(open(two).parts('Who calls go?')?.[1]).toBe(
      'The name has 3 definitions: `go` (function, `a.ts:1`, 0 of them), `go` (function, `b.ts:1`, 1 of them), ' +
        'and 1 more. ' +
        'Ask with a qualified name for one of them.',
    );
    expect(open({ 'a.ts': `${go}go();\n`, 'test/c.ts': go }).parts('Who calls go?')?.[1]).toBe('- `a.ts:2` `go();`');
    const seven = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`f${at}.ts`, `${go}go();\n`]));
    expect(open(seven).parts('Who calls go?')?.[1]).toMatch(/`f5\.ts:1`, 1 of them\), and 1 more\. Ask/);
  });

  it('says when some are known by name only', () => {
    const shine = 'export class Lamp { shine() {} }\nexport class Sun { shine() {} }\nfunction go(x) { x.shine(); }\n';
    expect(open({ 'a.ts': shine }).parts('Who calls Lamp.shine?')?.[1]).toBe(
      'Some of these are found by name, not by type.',
    );
  });

  it('knows what is handed on and never called', () => {
    const noop = 'function noop() {}\nexport const done = [noop];\nexport function f() { return noop; }\n';
    expect(open({ 'a.ts': noop }).parts('Who calls noop?')).toEqual([
      '`noop` (`a.ts:1`) is not called under its name; it is handed on in 2 places in 1 file.',
      '- `a.ts:2` `export const done = [noop];`\n- `a.ts:3` `f` — `export function f() { return noop; }`',
    ]);
    expect(open({ 'a.ts': `${noop}noop();\n` }).lead('Who calls noop?')).toBe(
      '`noop` is called from 1 place in 1 file.',
    );
    expect(open({ 'a.ts': 'class Lamp {}\nexport const done = [Lamp];\n' }).lead('Who calls Lamp?')).toMatch(/^Nobody/);
    const unsure = 'class A { shine() {} }\nclass B { shine() {} }\nfunction go(x) { return x.shine; }\n';
    expect(open({ 'a.ts': unsure }).lead('Who calls A.shine?')).toMatch(/^Nobody/);
  });

  it('knows what a library defines, under a name that is no English word', () => {
    const uses = {
      'a.ts': 'setTimeout(x);\nJSON.parse(x);\nfunction f() { set_up(x); }\nopen(x);\nconst y = setTimeout;\n',
    };
    expect(open(uses).parts('Who calls setTimeout?')).toEqual([
      '`setTimeout` is called from 1 place in 1 file; this project does not define it.',
      'Some of these are found by name, not by type.',
      '- `a.ts:1` `setTimeout(x);`',
    ]);
    expect(open(uses).lead('Who uses setTimeout?')).toBe(
      '`setTimeout` is used in 2 places in 1 file; this project does not define it.',
    );
    expect(open(uses).lead('Who calls JSON.parse?')).toContain('is called from 1 place');
    expect(open(uses).parts('Who calls set_up?')?.[2]).toBe('- `a.ts:3` `f` — `function f() { set_up(x); }`');
    expect([open(uses).lead('Who calls open?'), open(uses).lead('Who calls setNothing?')]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('what a function calls', () => {
  it('is counted, each with its class', () => {
    const files = {
      'a.ts':
        'class Lamp { dim() {} }\nfunction light() {}\nfunction go() { light(); new Lamp().dim(); }\nfunction ' +
        'idle() {}\n',
    };
    expect(open(files).parts('What does go call?')).toEqual([
      '`go` calls 3 names of this project.',
      '- `a.ts:3` `light` — `function go() { light(); new Lamp().dim(); }`\n' +
        '- `a.ts:3` `Lamp.dim` — `function go() { light(); new Lamp().dim(); }`\n' +
        '- `a.ts:3` `Lamp` — `function go() { light(); new Lamp().dim(); }`',
    ]);
    expect(open(files).ask('What does idle call?')).toMatchObject({
      ...{ total: 0, citations: [{ start_line: 4 }] },
      text: expect.stringContaining('`idle` calls nothing of this project (defined in `a.ts:4`).'),
    });
    expect(open(files).lead('What does nothing_here call?')).toBeUndefined();
  });

  it('names its definitions where there are several', () => {
    const go = 'function go() { go(); }\n';
    expect(open({ 'a.ts': go, 'b.ts': go }).parts('What does go call?')?.[1]).toBe(
      'The name has 2 definitions: `go` (function, `a.ts:1`), `go` (function, `b.ts:1`). Ask with a qualified ' +
        'name for one of them.',
    );
  });
});

describe('the parameters of a function', () => {
  const files = {
    'a.py':
      'def go(size: int, fast=True): pass\ndef idle(): pass\nclass Lamp:\n    def light(self, cls, this, far): pass\n',
    'b.ts': 'const LIMIT = 3;\n',
  };

  it.each([
    ['What are the parameters of go?', '`go` takes 2 parameters: `size: int`, `fast = True`.'],
    ['What are the parameters of idle?', '`idle` takes no parameters (`a.py:2`).'],
    ['What are the parameters of Lamp.light?', '`Lamp.light` takes 1 parameter: `far`.'],
    ['What is the default of the parameter fast of go?', '`fast` of `go` defaults to `True`.'],
    ['What is the default of the parameter size of go?', '`size` of `go` has no default.'],
    ['What is the default of the parameter none of go?', undefined],
    ['What is the default of LIMIT?', '`LIMIT` is `3` (`b.ts:1`).'],
    ['What are the parameters of nothing?', undefined],
  ])('to %s', (question, lead) => {
    expect(open(files).lead(question)).toBe(lead);
  });

  it('are shown only where their line may be', () => {
    expect(open(files, { hidden: ['a.py:1'] }).lead('What are the parameters of go?')).toBeUndefined();
  });

  it('are those of the first of several definitions', () => {
    const found = open({ 'a.py': 'def go(a): pass\n', 'b.py': 'def go(b): pass\n' }).parts(
      'What are the parameters of go?',
    );
    expect(found).toEqual([
      '`go` takes 1 parameter: `a`.',
      'The name has 2 definitions: `go` (function, `a.py:1`), `go` (function, `b.py:1`). Ask with a qualified ' +
        'name for one of them.',
      '- `a.py:1` function `go` — `def go(a): pass`\n- `b.py:1` function `go` — `def go(b): pass`',
    ]);
  });
});

describe('the value of a constant', () => {
  const value = (files: Record<string, string>, text = 'What is the value of LIMIT?', hidden: string[] = []) =>
    open(files, { hidden }).parts(text);

  it('is one where all sources agree', () => {
    expect(value({ 'a.ts': 'const LIMIT = 3;\nenum Size { LIMIT = 3 }\n' })).toEqual([
      '`LIMIT` is `3` (`a.ts:1`).',
      '- `a.ts:1` `const LIMIT = 3;`\n- `a.ts:2` `Size` — `enum Size { LIMIT = 3 }`',
    ]);
    expect(value({ 'a.ts': 'const LIMIT = 3;\n', 'test/b.ts': 'const LIMIT = 4;\n' })?.[0]).toBe(
      '`LIMIT` is `3` (`a.ts:1`).',
    );
    expect(value({ 'test/b.ts': 'const LIMIT = 4;\n' })?.[0]).toBe('`LIMIT` is `4` (`test/b.ts:1`).');
  });

  it('may be one of several, of which five are named', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.ts`, `const LIMIT = ${at};\n`]));
    expect(value(many(5))?.[0]).toBe('`LIMIT` has 5 values in 5 files: `0`, `1`, `2`, `3`, `4`.');
    expect(value(many(6))?.[0]).toBe('`LIMIT` has 6 values in 6 files: `0`, `1`, `2`, `3`, `4`, ….');
  });

  it('is shown only where its line may be', () => {
    const files = { 'a.ts': 'const LIMIT = 3;\n', 'b.ts': 'const LIMIT = 4;\n' };
    expect(value(files, undefined, ['a.ts:1'])?.[0]).toBe('`LIMIT` is `4` (`b.ts:1`).');
    expect(value(files, undefined, ['a.ts:1', 'b.ts:1'])).toBeUndefined();
  });

  it('in loose words counts for a name in capitals with few values', () => {
    const many = (count: number) => ({ 'a.ts': 'const SIZE_MAX = 3;\n'.repeat(count) });
    expect(value(many(12), 'What is SIZE_MAX?')).toBeDefined();
    expect(value(many(13), 'What is SIZE_MAX?')).toBeUndefined();
    expect(value(many(13), 'What is the value of SIZE_MAX?')).toBeDefined();
    expect(value({ 'a.ts': 'const sizeMax = 3;\n' }, 'What is sizeMax?')).toBeUndefined();
    expect(value({ 'a.ts': 'enum Size { MOST = 3 }\n' }, 'What is Size.MOST?')?.[0]).toBe(
      '`Size.MOST` is `3` (`a.ts:1`).',
    );
    expect(value({ 'a.ts': 'x;\n' }, 'What is SIZE_MAX?')).toBeUndefined();
  });
});

describe('what a function throws', () => {
  it('is counted and named', () => {
    const files = { 'a.ts': "function go() {\n  throw new Gone('x');\n}\nfunction idle() {}\n" };
    expect(open(files).parts('Which errors does go throw?')).toEqual([
      '`go` throws 1 error itself: `Gone`.',
      "- `a.ts:2` `Gone` — `throw new Gone('x');`",
    ]);
    expect(open(files).parts('Which errors does idle throw?')).toEqual([
      '`idle` throws nothing itself (defined in `a.ts:4`); what it calls may.',
      '- `a.ts:4` function `idle` — `function idle() {}`',
    ]);
    expect(open(files).parts('Which errors does nothing_here throw?')).toBeUndefined();
  });
});

it.each([
  ['Which files import src/a.ts?', '`src/a.ts` is imported by 1 file.', 'importers'],
  ['What does src/b.ts import?', '`src/b.ts` has 1 import.', 'imports'],
  [
    'What breaks if I change src/a.ts?',
    'A change of `src/a.ts` can affect 1 file through imports: 1 directly.',
    'dependents',
  ],
  ['Where is the environment variable LAMP_A read?', '`LAMP_A` is read in 1 place.', 'variable'],
  ['List the routes', 'The project has 1 route in 1 file.', 'routes'],
])('answers %s', (question, lead, form) => {
  const files = { ...FILES, 'src/c.ts': "process.env.LAMP_A;\napp.get('/lamps', list);\n" };
  expect(open(files).lead(question)).toBe(lead);
  expect(open(files).ask(question)).toMatchObject({ form });
});
