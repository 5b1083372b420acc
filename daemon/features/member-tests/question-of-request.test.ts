import { describe, expect, it } from 'vitest';
import type { Citation, CitationStatus, RequestDetail } from '../../contract/asks.js';
import { addQuestion } from './question-of-request.js';
import { readTestFile } from './test-file.js';
import type { StoredTests } from './test-files.js';

type Asked = Parameters<typeof addQuestion>[1];

const citation = (path: string, line: number, status: CitationStatus = 'checked'): Citation => ({
  ...{ path, start_line: line, end_line: line + 2, status },
  ...{ commit: null, sha256: '', quote: '' },
});
const rated = (value: 'up' | 'down') => ({ rating: { value } as NonNullable<RequestDetail['rating']> });
const asked = (more: Partial<Asked> = {}): Asked => ({
  text: 'On which  port\ndoes it listen?',
  status: 'done',
  member: 'consultant',
  citations: [citation('README.md', 5), citation('src/a.ts', 1, 'moved'), citation('src/b.ts', 9, 'dropped')],
  ...rated('up'),
  ...more,
});
const stored = (text: string): StoredTests => ({ ...readTestFile(text), text, revision: 'r' });
const refusal = (call: () => unknown) => {
  try {
    return call();
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: object };
    return [code, message, details];
  }
};
const CITES = { path: 'cites' };

describe('the question of a request', () => {
  it('begins a file of tests, with what the answer cites and the project still holds', () => {
    expect(addQuestion(undefined, asked(), {})).toBe(
      '# What consultant must answer\n\n## On which port does it listen?\n\n- cites: README.md:5-7\n' +
        '- cites: src/a.ts:1-3\n',
    );
  });

  it('stands at the end of the file that is there, after one blank line', () => {
    const text = '# Mine\n\n## When?\n- says: dusk\n\n\n';
    expect(addQuestion(stored(text), asked(), { cites: ['src/a.ts'] })).toBe(
      '# Mine\n\n## When?\n- says: dusk\n\n## On which port does it listen?\n\n- cites: src/a.ts\n',
    );
  });

  it.each<[Asked]>([[asked({ citations: [] })], [asked({ citations: undefined } as unknown as Partial<Asked>)]])(
    'expects that nothing is found where a good answer cited nothing',
    (request) => {
      expect(addQuestion(undefined, request, {})).toMatch(/\n## On which port does it listen\?\n\n- not found\n$/);
    },
  );

  it('names each place once, and at most 32', () => {
    const citations = Array.from({ length: 40 }, (_, n) => citation(`f${n}.ts`, 1)).flatMap((one) => [one, one]);
    const places = addQuestion(undefined, asked({ citations }), {}).match(/- cites: .*/g);
    expect(places).toEqual(Array.from({ length: 32 }, (_, n) => `- cites: f${n}.ts:1-3`));
  });

  it.each<[string, Asked, object, [string, string, object]]>([
    [
      'no answer',
      asked({ status: 'running' }),
      {},
      ['bad_request', 'The request has no answer to expect: its status is `running`.', {}],
    ],
    [
      'no rating',
      asked({ rating: undefined } as unknown as Partial<Asked>),
      {},
      ['bad_request', 'Rate the answer first: only a good one says what must be cited. Or name it in `cites`.', CITES],
    ],
    [
      'a bad rating',
      asked(rated('down')),
      {},
      ['bad_request', 'You rated the answer as bad: name in `cites` what the right one must cite.', CITES],
    ],
    [
      'only places that are gone',
      asked({ citations: [citation('a.ts', 1, 'dropped'), citation('b.ts', 1, 'changed')] }),
      {},
      ['bad_request', 'Nothing that the answer cites stands any more: name the places in `cites`.', CITES],
    ],
    [
      'a place that is none',
      asked(),
      { cites: ['../a.ts'] },
      ['bad_request', '`../a.ts` names no file: write its path from the project, with `/` and without `..`.', CITES],
    ],
    [
      'a place of two lines',
      asked(),
      { cites: ['a.ts', 'a.ts\n- not found'] },
      ['bad_request', '`a.ts\n- not found` has more than one line.', CITES],
    ],
    [
      'a place with a carriage return',
      asked(),
      { cites: ['a.ts\r'] },
      ['bad_request', '`a.ts\r` has more than one line.', CITES],
    ],
  ])('is refused with %s', (_title, request, more, said) => {
    expect(refusal(() => addQuestion(undefined, request, more))).toEqual(said);
  });

  it('of a bad or running answer is taken with the places that are named', () => {
    for (const request of [asked(rated('down')), asked({ status: 'error' })]) {
      expect(addQuestion(undefined, request, { cites: ['a.ts:3'] })).toContain('\n- cites: a.ts:3\n');
    }
  });
});

describe('a question that is in the tests already', () => {
  const head = '## On which port does it listen?\n\n';
  const KNOWN = ['bad_request', 'This question is in the tests already: change it there.', {}];

  it.each([
    [`${head}- cites: a.ts\n- cites: b.ts`, ['a.ts', 'b.ts']],
    [`${head}- not found`, undefined],
  ])('with the same expectation changes nothing: %j', (text, cites) => {
    const request = asked({ citations: [] });
    expect(addQuestion(stored(text), request, cites ? { cites } : {})).toBe(text);
  });

  it.each([
    [`${head}- cites: a.ts\n- cites: b.ts\n`],
    [`${head}- cites: a.ts\n- says: x\n`],
    [`${head}- cites: a.ts\n- never says: x\n`],
    [`${head}- cites: a.ts\n- says: x\n- never says: y\n`],
    [`${head}- not found\n`],
  ])('with another one is not changed from here: %j', (text) => {
    expect(refusal(() => addQuestion(stored(text), asked(), { cites: ['a.ts'] }))).toEqual(KNOWN);
  });

  it('is not mixed with tests that cannot be read', () => {
    const unreadable = { blocksExposure: true, tests: [], text: undefined, revision: '' };
    const problem = { line: 1, column: 1, reason: 'This is a symbolic link.' };
    expect(refusal(() => addQuestion({ ...unreadable, problem }, asked(), {}))).toEqual([
      'bad_request',
      'The tests cannot be read: This is a symbolic link.',
      {},
    ]);
  });
});
