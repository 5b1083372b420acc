import { describe, expect, it } from 'vitest';
import type { Citation } from '../../contract/asks.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { GitLog } from '../../storage/git/git-log.js';
import { plantedSecrets } from '../../testing/planted-secrets.js';
import { git, putFiles, temporaryRepository } from '../../testing/temporary-folder.js';
import { Citations } from './citations.js';

const environment = { PATH: process.env['PATH'] };

/** Citations over these files, whose state no commit holds. */
function over(files: Readonly<Record<string, string>>, isStrict?: boolean): Citations {
  const read = (path: string) => {
    const text = files[path];
    if (text === undefined) return undefined;
    const bytes = Buffer.from(text);
    return { bytes, size: bytes.length, mtimeMs: 1 };
  };
  return new Citations({ read }, new GitLog('/nowhere', environment), () => null, isStrict);
}

const planted = (id: string) => plantedSecrets(11).find((one) => one.id === id)?.text ?? '';

const given = (quote: string, start_line = 1, parts: Partial<Citation> = {}): Citation => ({
  ...{ path: 'a.ts', start_line, end_line: start_line + quote.split('\n').length - 1, commit: 'c', sha256: 'x', quote },
  status: 'checked',
  ...parts,
});

describe('a citation', () => {
  const FILE = { 'a.ts': 'one\ntwo\n \n\n' };
  const cite = (start: number, end: number) => over(FILE).cite('a.ts', start, end);

  it('holds the lines, where they are, and their digest', () => {
    expect(cite(1, 2)).toEqual({
      ...{ path: 'a.ts', start_line: 1, end_line: 2, commit: null, quote: 'one\ntwo', status: 'checked' },
      sha256: sha256Hex('one\ntwo'),
    });
  });

  it('ends without blank lines, unless there is nothing else', () => {
    expect(cite(2, 4)).toMatchObject({ start_line: 2, end_line: 2, quote: 'two' });
    expect(cite(1, 4)).toMatchObject({ end_line: 2 });
    expect(cite(3, 4)).toMatchObject({ start_line: 3, end_line: 4, quote: ' \n' });
  });

  it.each([
    [0, 1],
    [2, 1],
    [4, 5],
    [5, 5],
  ])('is none of lines that are not there: %i to %i', (start, end) => expect(cite(start, end)).toBeUndefined());

  it('is none of a file that is not there, or is no text', () => {
    expect(over({}).cite('a.ts', 1, 1)).toBeUndefined();
    expect(over({ 'a.ts': '\u0000' }).cite('a.ts', 1, 1)).toBeUndefined();
  });

  it('is none of lines with a secret', () => {
    const secret = planted('meshd/token');
    const citations = over({ 'a.ts': `one\n${secret}\nthree` });
    expect(citations.cite('a.ts', 1, 1)?.quote).toBe('one');
    expect(citations.cite('a.ts', 3, 3)?.quote).toBe('three');
    expect(citations.cite('a.ts', 1, 3)).toBeUndefined();
    expect(citations.check(given(`one\n${secret}`))).toMatchObject({ status: 'dropped', commit: null });
  });

  it('names the commit that holds the file as it is', () => {
    const root = temporaryRepository({ 'a.ts': 'one\n', 'b.ts': 'two\n' });
    putFiles(root, { 'b.ts': 'three\n' });
    const head = git(root, 'rev-parse', 'HEAD').trim();
    const read = (path: string) => ({ bytes: Buffer.from(path === 'a.ts' ? 'one\n' : 'three\n'), size: 4, mtimeMs: 1 });
    const at = (commit: string | null) => new Citations({ read }, new GitLog(root, environment), () => commit);
    expect(at(head).cite('a.ts', 1, 1)?.commit).toBe(head);
    expect(at(head).cite('b.ts', 1, 1)?.commit).toBeNull();
    expect(at(head).cite('gone.ts', 1, 1)?.commit).toBeNull();
    expect(at(null).cite('a.ts', 1, 1)?.commit).toBeNull();
  });
});

describe('the check of a citation', () => {
  const check = (text: string, citation: Citation) => {
    const { status, start_line, end_line, quote } = over({ 'a.ts': text }).check(citation);
    return status === 'dropped' ? status : `${status} ${start_line}-${end_line} ${quote}`;
  };
  const LONG = 'a long enough line';

  it.each<[string, string, Citation, string]>([
    ['is there', 'x\none\ntwo', given('one\ntwo', 2), 'checked 2-3 one|two'],
    ['is there up to white space around', 'x\n  one \n\ttwo', given('one\ntwo', 2), 'checked 2-3   one |\ttwo'],
    [
      'is there with other line ends',
      'x\r\none\r\ntwo\r\n',
      given('one\r\ntwo\r\n', 2, { end_line: 3 }),
      'checked 2-3 one|two',
    ],
    ['is there with other lines', 'one', given('one', 1, { end_line: 2 }), 'moved 1-1 one'],
    ['has moved', `x\n${LONG}`, given(LONG), `moved 2-2 ${LONG}`],
    ['has moved up', `${LONG}\nx`, given(LONG, 2), `moved 1-1 ${LONG}`],
    ['has moved to the nearest place', `${LONG}\nx\nx\n${LONG}\nx\n${LONG}`, given(LONG, 3), `moved 4-4 ${LONG}`],
    ['has moved to the first of two as near', `${LONG}\nx\n${LONG}`, given(LONG, 2), `moved 1-1 ${LONG}`],
    ['has moved as it is rather than indented', `x\n ${LONG}\nx\n${LONG}`, given(LONG), `moved 4-4 ${LONG}`],
    ['has moved and is indented', `x\n ${LONG}`, given(LONG), `moved 2-2  ${LONG}`],
    ['has moved as a whole', `x\n${LONG}\nx\n${LONG}\ny`, given(`${LONG}\ny`), `moved 4-5 ${LONG}|y`],
    ['has moved to its last line', `x\n${LONG}`, given(LONG, 1, { end_line: 2 }), `moved 2-2 ${LONG}`],
    ['names no line', 'one\none', given('one', 1, { start_line: undefined as unknown as number }), 'moved 1-1 one'],
    ['is partly gone', `x\n${LONG}`, given(`${LONG}\ny`), 'dropped'],
    ['is gone', 'x', given(LONG), 'dropped'],
    ['has moved and is short', 'x\n12345678901', given('1 234567 8901'), 'dropped'],
    ['has moved and is long enough', 'x\n12345678901 2', given('12345678901 2'), 'moved 2-2 12345678901 2'],
    ['says no line', `x\n${LONG}`, given(LONG, 1.5), `moved 2-2 ${LONG}`],
    ['says a line before the first', LONG, given(LONG, 0), `moved 1-1 ${LONG}`],
    ['says a line before the first and is short', 'one', given('one', -1), 'dropped'],
    ['is blank', '\n', given(' \n'), 'dropped'],
    ['is very long', 'a'.repeat(100), given('a'.repeat(16_385)), 'dropped'],
  ])('one that %s', (_, text, citation, result) => {
    expect(check(text, citation).replaceAll('\n', '|')).toBe(result);
  });

  it('reads a quote of 16,384 characters', () => {
    const text = `${'a\n'.repeat(8_191)}aa`;
    expect(over({ 'a.ts': text }).check(given(text))).toMatchObject({ status: 'checked' });
  });

  it('drops one without a path or quote, as it was given but for its commit', () => {
    const odd = given('one', 1, { quote: undefined as unknown as string });
    expect(over({ 'a.ts': 'one' }).check(odd)).toEqual({ ...odd, commit: null, status: 'dropped' });
    const none = given('one', 1, { path: 1 as unknown as string });
    expect(over({ '1': 'one' }).check(none).status).toBe('dropped');
    expect(over({}).check(given('one')).status).toBe('dropped');
  });

  it('can use files that were read before', () => {
    const citations = over({ 'a.ts': 'one' });
    expect(
      citations.check(given('two'), () => ({ bytes: Buffer.from('two'), lines: ['two'], safe: ['two'] })).status,
    ).toBe('checked');
    expect(citations.check(given('one'), () => undefined).status).toBe('dropped');
  });

  it('withholds from others what only resembles a secret', () => {
    const text = `one\n${planted('meshd/jwt')}`;
    expect(over({ 'a.ts': text }).cite('a.ts', 2, 2)).toBeDefined();
    expect(over({ 'a.ts': text }, true).cite('a.ts', 2, 2)).toBeUndefined();
    expect(over({ 'a.ts': text }, true).cite('a.ts', 1, 1)).toBeDefined();
  });
});
