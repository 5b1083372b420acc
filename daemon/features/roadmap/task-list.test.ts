import { describe, expect, it } from 'vitest';
import type { TaskPatch } from '../../contract/work/roadmap.js';
import { readTasks, withTask } from './task-list.js';

const readOne = (text: string) => readTasks(text).tasks[0];
const LONG_ID = 'a'.repeat(64);
const LONG_MEMBER = `m${'e'.repeat(31)}`;

describe('A line is a task', () => {
  it.each([
    ['- [ ] a: Light it', 'a', 'Light it', null],
    ['* [ ] a: Light it', 'a', 'Light it', null],
    ['\t  - [ ] a:  \t Light it \t', 'a', 'Light it', null],
    ['-   [ ] a: Light it', 'a', 'Light it', null],
    ['+\t[ ] a: Light it', 'a', 'Light it', null],
    ['1. [ ] a: Light it', 'a', 'Light it', null],
    ['12)  [ ] a: Light it', 'a', 'Light it', null],
    ['- [ ] 9.b_c-d: Light it', '9.b_c-d', 'Light it', null],
    ['- [ ] a: ', 'a', '', null],
    ['- [ ] a: x', 'a', 'x', null],
    ['- [ ] a: x @keeper-2', 'a', 'x', 'keeper-2'],
    ['- [ ] a: x \t @keeper  ', 'a', 'x', 'keeper'],
    ['- [ ] a: x @one @two', 'a', 'x @one', 'two'],
    ['- [ ] a: @keeper', 'a', '@keeper', null],
    ['- [ ] a: x@keeper', 'a', 'x@keeper', null],
    ['- [ ] a: x @keeper y', 'a', 'x @keeper y', null],
    ['- [ ] a: x @Keeper', 'a', 'x @Keeper', null],
    ['- [ ] a: x @2keeper', 'a', 'x @2keeper', null],
    ['- [ ] a: x @k', 'a', 'x @k', null],
    ['- [ ] a: x @ke', 'a', 'x', 'ke'],
    ['- [ ] a: x @ke_', 'a', 'x @ke_', null],
    [`- [ ] ${LONG_ID}: x @${LONG_MEMBER}`, LONG_ID, 'x', LONG_MEMBER],
    [`- [ ] a: x @${LONG_MEMBER}e`, 'a', `x @${LONG_MEMBER}e`, null],
  ])('in the form %j', (line, id, text, member) => {
    expect(readTasks(`# A\n${line}\n`).tasks).toMatchObject([{ id, text, member, state: 'open', line: 2 }]);
  });

  it.each([
    ['-[ ] a: x'],
    ['-     [ ] a: x'],
    ['1234567890. [ ] a: x'],
    ['- [] a: x'],
    ['- [  ] a: x'],
    ['- [y] a: x'],
    ['- [ ]a: x'],
    ['Do - [ ] a: x'],
    ['  - [ ] Look at it'],
  ])('and not in the form %j', (line) => {
    expect(readTasks(line)).toEqual({ tasks: [], problems: [] });
  });

  it.each([
    ['- [ ] Look at it'],
    ['1. [x] API-1: x'],
    ['- [ ]  a: x'],
    ['- [ ] A: x'],
    ['- [ ] -a: x'],
    ['- [ ] .a: x'],
    ['- [ ] a b: x'],
    ['- [ ] a : x'],
    ['- [ ] a:x'],
    ['- [ ] a:'],
    ['- [ ] a/b: x'],
    ['- [ ] a: x\ry'],
    [`- [ ] ${LONG_ID}a: x`],
  ])('and is a problem in the form %j', (line) => {
    expect(readTasks(`\n${line}`)).toEqual({
      tasks: [],
      problems: ['Line 2: no task, write `- [ ] id: text`; an id has small letters, digits, `.`, `_` and `-`.'],
    });
  });

  it.each([
    [' ', 'open'],
    ['x', 'done'],
    ['X', 'done'],
    ['-', 'blocked'],
  ])('whose mark [%s] says that it is %s', (mark, state) => {
    expect(readOne(`- [${mark}] a: x`)?.state).toBe(state);
  });
});

describe('A heading', () => {
  it.each([
    ['# Soon', 'Soon'],
    ['   ###### Soon', 'Soon'],
    ['#\t  Soon \t', 'Soon'],
    ['# Soon ###', 'Soon'],
    ['# Soon#', 'Soon'],
    ['# Soon # now', 'Soon # now'],
    ['# Soon ## now #', 'Soon ## now'],
    ['# ', ''],
    ['    # Soon', null],
    ['####### Soon', null],
    ['#Soon', null],
    ['x # Soon', null],
  ])('%j stands above its tasks as %j', (line, heading) => {
    expect(readOne(`${line}\n- [ ] a: x\n`)?.heading).toBe(heading);
  });

  it.each([
    ['```\n# No\n```', 'Yes'],
    ['   ~~~~ sh\n# No\n~~~~', 'Yes'],
    ['````\n# No\n```\n# No\n````', 'Yes'],
    ['```\n# No\n````', 'Yes'],
    ['```\n# No\n~~~\n# No\n```', 'Yes'],
    ['``\n# Now', 'Now'],
    ['    ```\n# Now', 'Now'],
    ['x ```\n# Now', 'Now'],
    ['```\n# No\n```\n# Now', 'Now'],
    ['```\n# No\n```js\n# No\n```', 'Yes'],
    ['``` not a block ```\n# Now', 'Now'],
    ['<!--\n# No\n-->', 'Yes'],
    ['<!-- # No -->', 'Yes'],
    ['x <!--\n# Now', 'Now'],
  ])('does not stand in a block of code or a comment: %j', (lines, heading) => {
    expect(readOne(`# Yes\n${lines}\n- [ ] a: x\n`)?.heading).toBe(heading);
  });
});

describe('A comment or a block of code', () => {
  it.each([
    ['<!--', '-->'],
    ['```', '```'],
  ])('contains no task: %s', (begin, end) => {
    const hidden = `${begin}\n- [ ] a: x\n${end}\n`;
    const text = `${hidden}- [ ] b: x\n${begin}\n  check: test m\n${end}\n`;
    expect(readTasks(text)).toMatchObject({ tasks: [{ id: 'b', check: null, line: 4 }], problems: [] });
    expect(withTask(text, 'a', { state: 'done' })).toBeUndefined();
  });

  it.each(['<!--', '~~~'])('without an end is a problem: %s', (begin) => {
    expect(readTasks(`- [ ] a: x\n${begin}\n- [ ] b: x\n`)).toMatchObject({
      tasks: [{ id: 'a' }],
      problems: ['Line 2: what begins here has no end, and no task below it counts.'],
    });
  });
});

describe('The lines below a task', () => {
  it('belong to it while they are indented and no other item with a box', () => {
    const details = (...lines: string[]) => {
      const { reason, after, check } = readOne(['- [-] a: x', ...lines, '- [ ] b: y'].join('\n')) ?? {};
      return [reason, after, check];
    };
    expect(details(' reason: no', '\tafter: b', '  check:  command ok ')).toEqual(['no', ['b'], 'command ok']);
    expect(details('  reason:first', '  reason: second')).toEqual(['first', [], null]);
    expect(details('  reason: no', '  note: x', '  after: b')).toEqual(['no', ['b'], null]);
    expect(details('', '  blocked: no', '  - note', '', '  check: test m')).toEqual(['no', [], 'test m']);
    expect(details('  - [ ] Look', '  after: b')).toEqual([null, [], null]);
    expect(details('Above', '  after: b')).toEqual([null, [], null]);
    expect(details('reason: no')).toEqual([null, [], null]);
    expect(details('- reason: no')).toEqual([null, [], null]);
    expect(details('  reason : no')).toEqual([null, [], null]);
    expect(details('  reason:', '  after:', '  check:')).toEqual(['', [], null]);
  });

  it('name at most 200 characters of a check', () => {
    expect(readOne(`- [ ] a: x\n  check: ${'c'.repeat(201)}`)?.check).toBe('c'.repeat(200));
  });

  it('name at most 32 tasks to wait for, separated by blanks or commas; what is no id is `?`', () => {
    const waitsFor = (text: string) => readOne(`- [ ] a: x\n  after: ${text}\n`)?.after;
    expect(waitsFor(',b, c ,,\td.e_f-9,  g,')).toEqual(['b', 'c', 'd.e_f-9', 'g']);
    expect(waitsFor(`B -b b/c ${LONG_ID} ${LONG_ID}a`)).toEqual(['?', '?', '?', LONG_ID, '?']);
    const many = Array.from({ length: 33 }, (_, at) => `t${at}`);
    expect(waitsFor(many.join(' '))).toEqual(many.slice(0, 32));
  });
});

describe('The problems of a file', () => {
  it('name each missing task once, and one hundred at most', () => {
    expect(readTasks('\n- [ ] a: x\n  after: ?! z B z\n').problems).toEqual([
      'Line 2: "a" waits for "?", which is no task of the file.',
      'Line 2: "a" waits for "z", which is no task of the file.',
    ]);
    const lines = (count: number) => Array.from({ length: count }, () => '- [ ] a: x').join('\n');
    expect(readTasks(lines(101)).problems).toHaveLength(100);
    expect(readTasks(lines(102)).problems).toHaveLength(100);
    expect(readTasks(lines(3)).problems).toEqual([2, 3].map((line) => expect.stringContaining(`Line ${line}: `)));
  });

  it.each([
    ['directly', '- [ ] a: x\n  after: a\n', ['a']],
    ['through others', '- [ ] a: x\n  after: b\n- [ ] b: x\n  after: c\n- [ ] c: x\n  after: a\n', ['a', 'b', 'c']],
    ['not when others wait for themselves', '- [ ] a: x\n  after: b\n- [ ] b: x\n  after: b\n', ['b']],
    ['not when two ways lead to one task', '- [ ] a: x\n  after: b c\n- [ ] b: x\n  after: c\n- [ ] c: x\n', []],
    ['not through a missing task', '- [ ] a: x\n  after: b\n- [ ] b: x\n  after: z\n', []],
  ])('tell which task waits for itself: %s', (_, text, ids) => {
    const circular = readTasks(text).problems.filter((problem) => problem.includes('waits for itself'));
    expect(circular.map((problem) => /"(.*?)"/.exec(problem)?.[1])).toEqual(ids);
  });

  it('end also where a circle is reached that does not contain the task', () => {
    const text = '- [ ] a: x\n  after: b\n- [ ] b: x\n  after: c\n- [ ] c: x\n  after: b\n';
    expect(readTasks(text).problems).toEqual([expect.stringContaining('"b" waits'), expect.stringContaining('"c"')]);
  });
});

describe('A change of a task', () => {
  it.each<[string, TaskPatch, string]>([
    ['- [X] a: x', { text: 'y' }, '- [X] a: y'],
    ['- [X] a: x', { state: 'done' }, '- [x] a: x'],
    ['- [x] a: x', { state: 'open' }, '- [ ] a: x'],
    ['-   [ ] a: x', { state: 'done' }, '-   [x] a: x'],
    ['  * [ ] a:   x', { text: ' y\n z ' }, '  * [ ] a:   y z'],
    ['- [ ] a: x  ', { member: 'keeper' }, '- [ ] a: x @keeper  '],
    ['- [ ] a: x   @one', { member: 'two' }, '- [ ] a: x @two'],
    ['- [ ] a: x   @one', { text: 'y' }, '- [ ] a: y   @one'],
    ['- [ ] a: x @one', { member: null }, '- [ ] a: x'],
    ['- [ ] a: x', {}, '- [ ] a: x'],
    ['- [ ] a: `b  c`', { state: 'done' }, '- [x] a: `b  c`'],
    ['- [-] a: x\n  reason: no', { state: 'blocked' }, '- [-] a: x\n  reason: no'],
    ['- [-] a: x\n  reason: no', { text: 'y' }, '- [-] a: y\n  reason: no'],
    ['- [-] a: x\n  reason: no', { reason: 'why' }, '- [-] a: x\n  reason: why'],
    ['- [-] a: x\n  reason: no', { reason: null }, '- [-] a: x'],
    ['- [-] a: x\n  Note.\n  blocked: no', { reason: 'why' }, '- [-] a: x\n  Note.\n  reason: why'],
    ['- [-] a: x\n  reason: no', { reason: '  ' }, '- [-] a: x'],
    ['- [ ] a: x', { reason: 'no' }, '- [ ] a: x'],
    ['- [ ] a: x\n  check: test m', { state: 'blocked', reason: 'no' }, '- [-] a: x\n  reason: no\n  check: test m'],
    ['- [ ] a: x\n  check: test m', { after: ['b', 'c'] }, '- [ ] a: x\n  check: test m\n  after: b, c'],
    ['- [ ] a: x\n  after: b\n  check: test m', { after: ['c'] }, '- [ ] a: x\n  after: c\n  check: test m'],
    ['- [ ] a: x\n  check: test m', { check: ' command\tok ' }, '- [ ] a: x\n  check: command ok'],
    ['- [ ] a: x\n  check: test m', { check: null }, '- [ ] a: x'],
    ['\t- [ ] a: x', { check: 'test m' }, '\t- [ ] a: x\n\t  check: test m'],
  ])('writes %j with %j as %j', (before, patch, after) => {
    for (const end of ['', '\n# More\n', '\n- [ ] z: other']) {
      expect(withTask(`Above.\n${before}${end}`, 'a', patch)).toBe(`Above.\n${after}${end}`);
    }
  });

  it('is not possible for a task that is not there', () => {
    expect(withTask('- [ ] a: x\n', 'b', { state: 'done' })).toBeUndefined();
  });

  it('concerns the first of two tasks with one id', () => {
    expect(withTask('- [ ] a: x\n- [ ] a: y\n', 'a', { state: 'done' })).toBe('- [x] a: x\n- [ ] a: y\n');
  });
});
