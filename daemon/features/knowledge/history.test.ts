import { describe, expect, it } from 'vitest';
import type { Commit } from '../../storage/git/git-log.js';
import { openPassages } from '../../testing/parts/open-passages.js';
import { namedTerm, weighedTerm } from '../../testing/parts/ranked-passages.js';
import { History } from './history.js';
import { createForm } from './question.js';

const DAY_MS = 86_400_000;

const commit = (day: number, subject: string, paths: string[], parts: Partial<Commit> = {}): Commit => ({
  ...{ hash: `${day}`.repeat(40), at: day * DAY_MS, author: 'Ada', subject, paths },
  ...parts,
});

function open(commits: readonly Commit[], files: Record<string, string> = { 'src/a.ts': 'x', 'b.ts': 'x' }) {
  const { database } = openPassages(files);
  database.putCommits(commits);
  return { database, history: new History(database) };
}

const line = (day: number, subject: string) =>
  `1970-01-0${day + 1}, commit \`${`${day}`.repeat(12)}\` by Ada: “${subject}”`;

describe('when a file was changed', () => {
  const file = (written: string) => namedTerm(written, ['a', 'ts']);

  it('by its path, the end of its path, or from here', () => {
    const { history } = open([commit(3, 'Three', ['src/a.ts'])]);
    const found = { text: `\`src/a.ts\` was last changed ${line(3, 'Three')}`, paths: ['src/a.ts'] };
    for (const written of ['src/a.ts', 'a.ts', './src/a.ts']) expect(history.find([file(written)])).toEqual(found);
    expect(history.find([weighedTerm('x'), file('a.ts')])).toEqual(found);
    for (const written of ['rc/a.ts', 'x/a.ts', '../a.ts']) expect(history.find([file(written)])).toBeUndefined();
  });

  it('tells the three newest commits', () => {
    const { history } = open([5, 4, 3, 2].map((day) => commit(day, `C${day}`, ['b.ts'])));
    expect(history.find([file('b.ts')])?.text).toBe(
      `\`b.ts\` was last changed\n\n- ${line(5, 'C5')}\n- ${line(4, 'C4')}\n- ${line(3, 'C3')}`,
    );
  });

  it('of the files that are called so it is the shortest path, then the first', () => {
    const files = { 'x/y/a.ts': '', 'z/a.ts': '', 'b/a.ts': '' };
    const { history } = open([commit(3, 'x', Object.keys(files))], files);
    expect(history.find([file('a.ts')])?.paths).toEqual(['b/a.ts']);
    expect(history.find([file('y/a.ts'), file('z/a.ts')])?.paths).toEqual(['x/y/a.ts']);
  });

  it('is not known of one that no commit touched', () => {
    expect(open([commit(3, 'x', ['b.ts'])]).history.find([file('src/a.ts')])).toBeUndefined();
  });

  it('says what is not known in full', () => {
    const cut = commit(4, 'Four', [], { isCut: true });
    const { history, database } = open([cut, commit(3, 'Three', ['b.ts'])]);
    const unsure = 'What commit `444444444444` of 1970-01-05 touched is not known in full: it may have changed since.';
    expect(history.find([file('b.ts')])?.text).toBe(`\`b.ts\` was changed ${line(3, 'Three')}\n\n${unsure}`);
    database.setHistoryBehind(true);
    expect(history.find([file('b.ts')])?.text).toBe(
      `\`b.ts\` was changed ${line(3, 'Three')}\n\n${unsure}\n\n` +
        'Git failed to list the newest commits: it may have changed since.',
    );
  });
});

describe('what was changed last', () => {
  it('is asked by words about changes alone', () => {
    const { history, database } = open(
      [5, 4, 3, 2].map((day) => commit(day, `C${day}`, [day > 3 ? 'b.ts' : 'src/a.ts'])),
    );
    const words = ['when', 'last', 'change', 'changed', 'changes', 'commit', 'commits', 'modified', 'touched', 'added'];
    const more = [
      'introduced',
      'removed',
      'wrote',
      'made',
      'who',
      'git',
      'log',
      'history',
      'recent',
      'recently',
      'first',
    ];
    const found = {
      text: `The latest commit is\n\n- ${line(5, 'C5')}\n- ${line(4, 'C4')}\n- ${line(3, 'C3')}`,
      paths: ['b.ts', 'src/a.ts'],
    };
    expect(history.find([...words, ...more, 'project'].map((word) => weighedTerm(word)))).toEqual(found);
    expect(history.find([])).toEqual(found);
    database.setHistoryBehind(true);
    expect(history.find([])?.text).toMatch(/^The latest commit that was read is\n/);
  });

  it('is nothing when no file of it is there', () => {
    expect(open([commit(5, 'x', ['gone.ts'])]).history.find([])).toBeUndefined();
    expect(open([]).history.find([])).toBeUndefined();
    expect(open([commit(5, 'x', ['gone.ts', 'b.ts'])]).history.find([])?.paths).toEqual(['b.ts']);
  });

  it('quotes twelve files at most, of the first 200 of a commit', () => {
    const files = Object.fromEntries(
      Array.from({ length: 13 }, (_, at) => [`f${String(at).padStart(3, '0')}.ts`, 'x']),
    );
    const paths = Object.keys(files);
    expect(open([commit(5, 'x', paths)], files).history.find([])?.paths).toEqual(paths.slice(0, 12));
    const many = (count: number) => Array.from({ length: count }, (_, at) => `a${at}.ts`);
    expect(open([commit(5, 'x', [...many(199), 'b.ts'])]).history.find([])?.paths).toEqual(['b.ts']);
    expect(open([commit(5, 'x', [...many(200), 'b.ts'])]).history.find([])).toBeUndefined();
  });
});

describe('a change that is described', () => {
  const find = (commits: readonly Commit[], ...terms: Parameters<History['find']>[0]) =>
    open(commits).history.find(terms)?.text;

  it('is found by the words of its subject', () => {
    const commits = [commit(5, 'Light the lamps', ['b.ts']), commit(4, 'Trim the wick', ['b.ts'])];
    expect(find(commits, weighedTerm('lamp'))).toBe(`In the git log: ${line(5, 'Light the lamps')}`);
    expect(find(commits, weighedTerm('added'), weighedTerm('wick'))).toBe(
      `In the git log: ${line(4, 'Trim the wick')}`,
    );
    expect(find(commits, weighedTerm('bulb'))).toBeUndefined();
    expect(find(commits, weighedTerm('"x"', { forms: [createForm(['"x"'], 1)] }))).toBeUndefined();
  });

  it('holds six tenths of what is asked', () => {
    const commits = [commit(5, 'Light the lamp', ['b.ts'])];
    expect(find(commits, weighedTerm('lamp', { weight: 6 }), weighedTerm('wick', { weight: 4 }))).toBeDefined();
    expect(find(commits, weighedTerm('lamp', { weight: 5.9 }), weighedTerm('wick', { weight: 4.1 }))).toBeUndefined();
    const related = weighedTerm('wick', { forms: [createForm(['wick'], 1), createForm(['lamp'], 0.5)] });
    expect(find(commits, weighedTerm('light'), related)).toBeDefined();
    const name = weighedTerm('wick', {
      forms: [createForm(['light'], 1), createForm(['lamp', 'on'], 0.95)],
      weight: 1,
    });
    expect(find(commits, name)).toBeDefined();
    const part = weighedTerm('light', { forms: [createForm(['light', 'on'], 1)] });
    expect(find([commit(5, 'Light on', ['b.ts'])], part)).toBeDefined();
    expect(find(commits, part, weighedTerm('lamp', { weight: 0.1 }))).toBeUndefined();
  });

  it('is told by the three that fit best', () => {
    const commits = [5, 4, 3, 2].map((day) => commit(day, 'Light the lamp', ['b.ts']));
    expect(find(commits, weighedTerm('lamp'))?.split('\n- ')).toHaveLength(4);
  });

  it('is written without marks that a reader would see as others', () => {
    const odd = commit(5, 'The lamp\u001b[1m\u202e \\ ` * _ [ ] < > |', ['b.ts'], { author: 'A\nB' });
    expect(find([odd], weighedTerm('lamp'))).toBe(
      'In the git log: 1970-01-06, commit `555555555555` by A B: “The lamp \\[1m  \\\\ \\` \\* \\_ \\[ \\] \\< \\> \\|”',
    );
    expect(find([commit(5, `lamp ${'x'.repeat(300)}`, ['b.ts'])], weighedTerm('lamp'))).toContain(
      `“lamp ${'x'.repeat(195)}”`,
    );
  });
});
