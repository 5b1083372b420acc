import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../lib/time/clock.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../../../../testing/temporary-folder.js';
import { ProjectIndex } from '../../passages/project-index.js';
import { SyntaxParser } from '../syntax-parser.js';
import { NotProtobuf } from './protobuf-fields.js';
import { readScip } from './scip-index.js';
import { linkScip } from './scip-links.js';

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.floor(value / 0x80))];
const number = (field: number, value: number) => [...varint(field * 8), ...varint(value)];
const bytes = (field: number, value: string | readonly number[]) => {
  const all = typeof value === 'string' ? [...Buffer.from(value)] : value;
  return [...varint(field * 8 + 2), ...varint(all.length), ...all];
};
/** An occurrence of `scip.proto`: a range in packed numbers, a symbol and its roles. */
const occurrence = (range: readonly number[], symbol: string, roles = 0) =>
  bytes(2, [...bytes(1, range.flatMap(varint)), ...bytes(2, symbol), ...number(3, roles)]);
/** An occurrence of newer indexers: a message with the range, in which no 0 is written. */
const typedOccurrence = (field: 8 | 9, range: readonly number[], symbol: string, roles = 0) => {
  const numbers = range.flatMap((value, at) => (value === 0 ? [] : number(at + 1, value)));
  return bytes(2, [...bytes(2, symbol), ...number(3, roles), ...bytes(field, numbers)]);
};
const document = (path: string, ...parts: readonly (readonly number[])[]) =>
  bytes(2, [...bytes(1, path), ...parts.flat()]);
/** An index begins with its metadata. */
const index = (...documents: readonly (readonly number[])[]) =>
  Uint8Array.from([...bytes(1, bytes(3, 'file:///project')), ...documents.flat()]);

const link = (made: Uint8Array, files: Record<string, string>) =>
  [...linkScip(made, (path) => files[path]?.split('\n'))].flatMap(({ path, uses } = { path: '', uses: [] }) =>
    uses.map(({ name, line, target }) => `${path}:${line} ${name} ${target ? `${target.path}:${target.line}` : '-'}`),
  );

const LIGHT = 'npm lamp 1 a.js/Lamp#light().';

describe('a SCIP index', () => {
  it('says what uses mean, in this file, another and another project', () => {
    const made = index(
      document(
        'b.js',
        occurrence([0, 2, 7], LIGHT),
        occurrence([1, 0, 1, 4], 'npm http 1 get().'),
        occurrence([2, 0, 1], 'local 1'),
      ),
      document(
        'a.js',
        occurrence([4, 2, 7], LIGHT, 1),
        occurrence([5, 0, 1], 'local 1', 1),
        occurrence([6, 0, 1], 'local 1'),
      ),
    );
    const files = { 'a.js': '\n\n\n\n  light\nx\nx\n', 'b.js': 'x.light();\nread();\nx\n' };
    expect(link(made, files)).toEqual(['b.js:1 light a.js:5', 'b.js:2 read -', 'b.js:3 x -', 'a.js:7 x a.js:6']);
  });

  it('counts columns in the units of the document', () => {
    const utf8 = number(6, 1);
    const files = { 'a.js': '/* é */ light();\n' };
    const name = (start: number, encoding: readonly number[]) =>
      link(index(document('a.js', encoding, occurrence([0, start, start + 5], LIGHT))), files);
    expect(name(9, utf8)).toEqual(['a.js:1 light -']);
    expect(name(8, number(6, 2))).toEqual(['a.js:1 light -']);
  });

  it('counts only where a name stands now, in files that are there', () => {
    const made = index(
      document('a.js', occurrence([0, 1, 6], LIGHT), occurrence([9, 0, 5], LIGHT), occurrence([0, 0, 1, 2], LIGHT)),
      document('../b.js', occurrence([0, 0, 5], LIGHT)),
    );
    expect(link(made, { 'a.js': 'light();\n' })).toEqual([]);
  });

  it('has typed ranges, which count more than the older ones, with what is 0 left out', () => {
    const both = bytes(2, [
      ...bytes(1, [9, 9, 9]),
      ...bytes(8, [...number(1, 1), ...number(3, 5)]),
      ...bytes(2, LIGHT),
    ]);
    const made = index(
      document(
        'a.js',
        typedOccurrence(8, [0, 0, 5], LIGHT, 1),
        typedOccurrence(9, [1, 8, 1, 13], LIGHT),
        typedOccurrence(9, [0, 0, 1, 5], LIGHT),
        both,
      ),
      document('b.js', typedOccurrence(8, [0, 0, 5], LIGHT)),
    );
    const files = { 'a.js': 'light();\nlight + light;\n', 'b.js': 'light();\n' };
    expect(link(made, files)).toEqual(['a.js:2 light a.js:1', 'a.js:2 light a.js:1', 'b.js:1 light a.js:1']);
  });

  it('takes fields of other kinds and numbers that are not packed', () => {
    const loose = bytes(2, [...number(1, 0), ...number(1, 0), ...number(1, 5), ...bytes(2, LIGHT), ...bytes(12, 'x')]);
    const fixed = [1 + 8 * 20, 0, 0, 0, 0, 0, 0, 0, 0, 5 + 8 * 21, 0, 0, 0, 0];
    expect(link(index(document('a.js', fixed, loose)), { 'a.js': 'light();\n' })).toEqual(['a.js:1 light -']);
  });

  it('knows a local symbol in its own file alone', () => {
    const made = index(
      document('a.js', occurrence([0, 0, 1], 'local 1', 1)),
      document('b.js', occurrence([0, 0, 1], 'local 1'), occurrence([1, 0, 1], 'localx 1')),
    );
    expect(link(made, { 'a.js': 'x\n', 'b.js': 'x\ny\n' })).toEqual(['b.js:1 x -', 'b.js:2 y -']);
  });

  it.each([
    ['light', true],
    ['lit?', true],
    ['lit!', true],
    ['$x1', true],
    ['_x', true],
    ['é1', true],
    ['1x', false],
    ['a-b', false],
    ['a?b', false],
    [' a', false],
    ['', false],
  ])('takes %j for a name: %s', (text, is) => {
    const found = link(index(document('a.js', occurrence([0, 0, text.length], LIGHT))), { 'a.js': `${text}\n` });
    expect(found).toEqual(is ? [`a.js:1 ${text} -`] : []);
  });

  it('pauses before each file, and has none without its definitions', () => {
    const made = index(
      document('a.js', occurrence([0, 0, 5], LIGHT)),
      document('b.js', occurrence([0, 0, 5], LIGHT, 1)),
    );
    const files: Record<string, string> = { 'a.js': 'light', 'b.js': 'light' };
    const steps = [...linkScip(made, (path) => files[path]?.split('\n'))].map((one) => one?.path ?? 'pause');
    expect(steps).toEqual(['pause', 'pause', 'a.js', 'b.js']);
  });

  it('takes a role with other bits for what the lowest bit says', () => {
    const made = (roles: number) =>
      link(index(document('a.js', occurrence([0, 0, 5], LIGHT, roles))), { 'a.js': 'light' });
    expect([made(9), made(8), made(0)]).toEqual([[], ['a.js:1 light -'], ['a.js:1 light -']]);
  });

  it('has a range of four numbers on one line, and none of fewer than three', () => {
    const made = (range: readonly number[]) =>
      link(index(document('a.js', occurrence(range, LIGHT))), { 'a.js': 'light light' });
    expect(made([0, 0, 0, 5])).toEqual(['a.js:1 light -']);
    expect(made([0, 0, 5, 0, 9])).toEqual([]);
    expect(made([0, 0])).toEqual([]);
    expect(made([0])).toEqual([]);
    expect(made([])).toEqual([]);
  });

  it('says nothing of an occurrence without a symbol', () => {
    expect(link(index(document('a.js', occurrence([0, 0, 5], ''))), { 'a.js': 'light' })).toEqual([]);
  });

  it('takes no more than four numbers that are not packed', () => {
    const loose = bytes(2, [0, 0, 5, 7, 9].flatMap((one) => number(1, one)).concat(bytes(2, LIGHT)));
    expect(link(index(document('a.js', loose)), { 'a.js': 'light' })).toEqual([]);
    const four = bytes(2, [0, 0, 0, 5, 9].flatMap((one) => number(1, one)).concat(bytes(2, LIGHT)));
    expect(link(index(document('a.js', four)), { 'a.js': 'light' })).toEqual(['a.js:1 light -']);
  });

  it('counts columns in UTF-16 unless the document says that they are bytes', () => {
    const text = '/* é */ light();';
    const at = (encoding: readonly number[], start: number) =>
      link(index(document('a.js', encoding, occurrence([0, start, start + 5], LIGHT))), { 'a.js': text });
    expect([at([], 8), at(bytes(6, [1]), 8), at(number(6, 1), 9), at(number(6, 3), 8)]).toEqual(
      Array.from({ length: 4 }, () => ['a.js:1 light -']),
    );
    expect(at(number(6, 1), 8)).toEqual([]);
  });

  it('ignores fields of another kind under the same numbers', () => {
    const wrong = [...number(1, 5), ...number(2, 6)];
    const typed = bytes(2, [
      ...[
        ...bytes(8, [
          ...number(1, 0),
          ...number(3, 5),
          ...number(4, 9),
          ...bytes(2, 'x'),
          1 + 8 * 10,
          ...Array(8).fill(0),
        ]),
      ],
      ...number(2, 7),
      ...bytes(3, [1]),
      ...number(8, 1),
      ...number(9, 1),
      ...bytes(2, LIGHT),
    ]);
    const made = Uint8Array.from([...number(2, 1), ...bytes(7, 'x'), ...document('a.js', wrong, typed)]);
    expect(link(made, { 'a.js': 'light' })).toEqual(['a.js:1 light -']);
  });

  it('takes a number of ten bytes, by its lower bits, and none of eleven', () => {
    const ten = [0x10, 0x81, ...Array.from({ length: 8 }, () => 0x80), 0x01];
    expect(
      link(Uint8Array.from([...ten, ...document('a.js', occurrence([0, 0, 5], LIGHT))]), { 'a.js': 'light' }),
    ).toEqual(['a.js:1 light -']);
    const eleven = [0x10, ...Array.from({ length: 10 }, () => 0x80), 0x01];
    expect(() => link(Uint8Array.from(eleven), {})).toThrow('A number does not end.');
  });

  it('takes lines and columns of more than one byte', () => {
    const lines = `${'\n'.repeat(300)}${' '.repeat(200)}light`;
    const made = index(document('a.js', occurrence([300, 200, 205], LIGHT)));
    expect(link(made, { 'a.js': lines })).toEqual(['a.js:301 light -']);
  });

  it.each<[string, number[], string]>([
    ['within a number', [0x12, 0x80], 'A number does not end.'],
    ['within a field', [0x12, 2, 0], 'A field is longer than its message.'],
    ['within 64 bits', [0x11, 0, 0, 0, 0, 0, 0, 0], 'A field is longer than its message.'],
    ['within 32 bits', [0x15, 0, 0, 0], 'A field is longer than its message.'],
    ['in a wire type of its own', [0x13, 0], 'There is no wire type 3.'],
  ])('that ends %s says so', (_, wrong, said) => {
    expect(() => link(Uint8Array.from(wrong), {})).toThrow(said);
  });

  it('may hold numbers of 32 and 64 bits, a field that is empty, and nothing at all', () => {
    const fixed = [0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0x15, 0, 0, 0, 0, 0x12, 0];
    const made = Uint8Array.from([...fixed, ...document('a.js', occurrence([0, 0, 5], LIGHT))]);
    expect(link(made, { 'a.js': 'light' })).toEqual(['a.js:1 light -']);
    expect(link(new Uint8Array(), {})).toEqual([]);
  });

  it('may hold so many occurrences, and no more', () => {
    const made = index(
      document('a.js', occurrence([0, 0, 5], LIGHT), occurrence([1, 0, 5], LIGHT)),
      document('b.js', occurrence([0, 0, 5], LIGHT)),
    );
    expect([...readScip(made, 3)].map(({ path }) => path)).toEqual(['a.js', 'b.js']);
    expect(() => [...readScip(made, 2)]).toThrow(new NotProtobuf('There are more than 2 occurrences.'));
  });

  it.each<[string, number[]]>([
    ['ends within a number', [0x12, 0x80]],
    ['has a number that does not end', [0x10, ...Array.from({ length: 12 }, () => 0xff)]],
    ['has a field longer than itself', bytes(2, 'abc').slice(0, 3)],
    ['has a field of a length that no file has', [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['has an unknown wire type', [0x13, 0]],
    ['ends within a number of fixed size', [0x11, 0]],
  ])('that %s is none', (_, wrong) => {
    expect(() => link(Uint8Array.from(wrong), {})).toThrow(NotProtobuf);
  });
});

describe('the graph', () => {
  const FILES = {
    'a.js': 'export class Lamp {\n  light() {}\n}\nexport class Fire {\n  light() {}\n}\n',
    'b.js': "import './a.js';\nexport function go(x, y) {\n  x.light();\n  y.light();\n}\n",
  };
  const SCIP = index(
    document('a.js', occurrence([1, 2, 7], LIGHT, 1)),
    document('b.js', occurrence([2, 4, 9], LIGHT), occurrence([3, 4, 9], 'npm stove 1 Stove#light().')),
  );

  async function open(files: Record<string, string>) {
    const root = temporaryRepository(files);
    const environment = { PATH: process.env['PATH'] };
    const database = join(temporaryFolder(), 'knowledge.db');
    const made = new ProjectIndex({ root, database, environment, clock: systemClock });
    onTestFinished(() => made.close());
    const parser = await SyntaxParser.open(systemClock);
    const callers = (name: string) => {
      for (const _ of made.scan());
      for (const _ of made.readStructure(parser));
      return made.answer({ text: `Who calls ${name}?` }).citations.map((one) => `${one.path}:${one.start_line}`);
    };
    return { root, callers };
  }

  it('prefers it to its own rules, while the files are those that it was made of', async () => {
    const { root, callers } = await open(FILES);
    expect(callers('Lamp.light')).toEqual(['b.js:3', 'b.js:4']);
    writeFileSync(join(root, 'index.scip'), SCIP);
    expect(callers('Lamp.light')).toEqual(['b.js:3']);
    // Nobody calls it: only its definition is cited.
    expect(callers('Fire.light')).toEqual(['a.js:5']);
    putFiles(root, { 'b.js': `\n${FILES['b.js']}` });
    expect(callers('Lamp.light')).toEqual(['b.js:4', 'b.js:5']);
  });

  it('prefers one of a newer indexer too', async () => {
    const { root, callers } = await open(FILES);
    const made = index(
      document('a.js', typedOccurrence(8, [1, 2, 7], LIGHT, 1)),
      document('b.js', typedOccurrence(8, [2, 4, 9], LIGHT), typedOccurrence(8, [3, 4, 9], 'npm stove 1 light().')),
    );
    writeFileSync(join(root, 'index.scip'), made);
    expect(callers('Lamp.light')).toEqual(['b.js:3']);
  });

  it('is as without it when it is damaged, or names other places', async () => {
    const { root, callers } = await open(FILES);
    writeFileSync(join(root, 'index.scip'), SCIP.subarray(0, SCIP.length - 3));
    expect(callers('Lamp.light')).toEqual(['b.js:3', 'b.js:4']);
    writeFileSync(
      join(root, 'index.scip'),
      index(document('b.js', occurrence([2, 4, 9], LIGHT), occurrence([0, 0, 6], LIGHT, 1))),
    );
    expect(callers('Lamp.light')).toEqual(['b.js:3', 'b.js:4']);
  });
});
