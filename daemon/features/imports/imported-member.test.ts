import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import type { Place } from './foreign-agent.js';
import { type FoundAgent, isUsable, readFile } from './found-agents.js';
import {
  hasSameContent,
  ignoringMemberText,
  isAsImported,
  type MemberContent,
  newMemberText,
  pulledMemberText,
  readMemberContent,
  vendorIn,
} from './imported-member.js';

const PLACE: Place = { format: 'claude', scope: 'project', path: '.claude/agents/a.md', entry: null };
const FIRST = '---\nname: a\ndescription: D\nmaxTurns: 3\nhooks: x\n---\n\nB\n';

function found(text: string, place: Partial<Place> = {}): FoundAgent {
  const one = readFile({ ...PLACE, ...place }, { kind: 'text', text, revision: sha256Hex(text) });
  if (!isUsable(one)) throw new Error(one.reason);
  return one;
}

function content(text: string): MemberContent {
  const member = readMemberContent(text);
  if (isProblem(member)) throw new Error(member.reason);
  return member;
}

describe('the content of a member file', () => {
  it('has the keys that others can say', () => {
    const text =
      '---\nname: A\ndescription: D\nmodel: m\neffort: low\ncolor: red\ntools: [read]\n' +
      'limits: {turns: 3, minutes: 4, other: 5}\nemoji: x\n---\n\nB\n';
    expect(content(text)).toMatchObject({
      keys: {
        ...{ name: 'A', description: 'D', model: 'm', effort: 'low', color: 'red', tools: ['read'] },
        ...{ 'limits.turns': 3, 'limits.minutes': 4 },
      },
      all: { emoji: 'x' },
      body: 'B\n',
      origin: undefined,
    });
    expect(content('---\nname: null\nlimits: 3\n---\n\nB\n').keys).toEqual({});
    expect(isProblem(readMemberContent('---\na: [\n---\n'))).toBe(true);
  });

  const ORIGIN = { format: 'claude', path: 'p', sha256: 's' };
  const originOf = (origin: unknown) => content(`---\norigin: ${JSON.stringify(origin)}\n---\n\nB\n`).origin;

  it('has its origin, with what is usual', () => {
    expect(originOf(ORIGIN)).toEqual({
      ...{ ...ORIGIN, scope: 'project', entry: null, tight: false, redacted: false, ignored: undefined },
      ...{ body_sha256: 'undefined', imported_sha256: 'undefined' },
    });
    const all = { scope: 'user', entry: 'e', body_sha256: 'b', imported_sha256: 'i', tight: true, redacted: true };
    expect(originOf({ ...ORIGIN, ...all, ignored: 'x' })).toEqual({ ...ORIGIN, ...all, ignored: 'x' });
    expect(originOf({ ...ORIGIN, tight: 'yes', redacted: 1, ignored: 3 })).toMatchObject({
      ...{ tight: false, redacted: false, ignored: undefined },
    });
  });

  it.each([
    ['format', 'emacs'],
    ['scope', 'planet'],
    ['path', 3],
    ['entry', 3],
    ['sha256', 3],
  ])('has no origin with a strange %s', (key, value) => {
    expect(originOf({ ...ORIGIN, [key]: value })).toBeUndefined();
  });

  it('has no origin that is no object', () => {
    for (const none of ['claude', 3, [ORIGIN], null]) expect(originOf(none)).toBeUndefined();
  });

  it('has the data of each tool', () => {
    expect(vendorIn({ vendor: { claude: { a: 1 }, codex: 3 } }, 'claude')).toEqual({ a: 1 });
    for (const all of [{ vendor: { codex: {} } }, { vendor: { claude: 3 } }, { vendor: 'claude' }, {}])
      expect(vendorIn(all, 'claude')).toEqual({});
  });
});

describe('a new member file', () => {
  it('has its keys in order, its origin and what is kept for export', () => {
    const one = found(FIRST);
    const imported = sha256Hex(
      JSON.stringify({
        body: 'B\n',
        keys: { description: 'D', 'limits.turns': 3 },
        vendor: { hooks: 'x', name: 'a' },
      }),
    );
    expect(newMemberText(one, false)).toBe(
      '---\ndescription: D\nlimits: {turns: 3}\norigin:\n  format: claude\n  path: .claude/agents/a.md\n' +
        `  sha256: ${one.sha256}\n  body_sha256: ${sha256Hex('B\n')}\n  imported_sha256: ${imported}\n` +
        'vendor:\n  claude: {name: a, hooks: x}\n---\n\nB\n',
    );
    expect(isAsImported(content(newMemberText(one, false)))).toBe(true);
  });

  it('says what is not usual of its source', () => {
    const origin = (one: FoundAgent, isTight = false) => content(newMemberText(one, isTight)).all['origin'];
    expect(Object.keys(origin(found('---\nname: a\n---\nB\n')) as object)).toEqual([
      ...['format', 'path', 'sha256', 'body_sha256', 'imported_sha256'],
    ]);
    expect(origin(found(FIRST), true)).toMatchObject({ tight: true });
    expect(origin(found(FIRST, { scope: 'user' }))).toMatchObject({ scope: 'user' });
    expect(origin({ ...found(FIRST), place: { ...PLACE, entry: 'e' } })).toMatchObject({ entry: 'e' });
    expect(origin(found('---\nname: a\ntoken: a1b2c3d4\n---\nB\n'))).toMatchObject({ redacted: true });
  });

  it('keeps nothing for export where nothing is to be kept', () => {
    const text = newMemberText(found('---\ndescription: D\n---\nB\n'), false);
    expect(content(text).all).not.toHaveProperty('vendor');
    expect(text).not.toContain('limits');
  });
});

describe('a pulled member file', () => {
  const pull = (text: string, next: FoundAgent, before = found(FIRST).reading.keys, isTight = false) => {
    const pulled = pulledMemberText(text, content(text), before, next, isTight);
    if (typeof pulled !== 'string') throw new Error(pulled.reason);
    return content(pulled);
  };

  it('has the keys and the prompt of the source, and its own others', () => {
    const text = newMemberText(found(FIRST), false).replace('limits: {', 'emoji: x\nlimits: {minutes: 9, ');
    const next = found('---\nname: a\nmodel: opus\nmaxTurns: 5\ncolor: red\n---\nC\n');
    const pulled = pull(text, next, undefined, true);
    expect(pulled).toMatchObject({
      keys: { model: 'opus', color: 'red', 'limits.turns': 5, 'limits.minutes': 9 },
      all: { emoji: 'x', vendor: { claude: { name: 'a' } } },
      body: 'C\n',
      origin: { sha256: next.sha256, tight: true },
    });
    expect(pulled.keys).not.toHaveProperty('description');
    expect(pulled.all['vendor']).toEqual({ claude: { name: 'a' } });
  });

  it('loses the limits that the source had, and only those', () => {
    const text = newMemberText(found(FIRST), false);
    const next = found('---\ndescription: D\n---\n\nB\n');
    const pulled = pull(text, next);
    expect([pulled.all['limits'], pulled.all['vendor']]).toEqual([undefined, undefined]);
    const kept = pull(text.replace('turns: 3', 'turns: 3, minutes: 9'), next);
    expect(kept.all['limits']).toEqual({ minutes: 9 });
    expect(pull(text.replace('limits: {turns: 3}', 'limits: 3'), found(FIRST)).keys['limits.turns']).toBe(3);
  });

  it('keeps keys that the source never had, and the data of other tools', () => {
    const text = newMemberText(found(FIRST), false)
      .replace('description: D', 'description: D\ncolor: blue')
      .replace('vendor:\n', 'vendor:\n  codex:\n    x: 1\n');
    const pulled = pull(text, found('---\ndescription: E\n---\n\nB\n'));
    expect(pulled).toMatchObject({ keys: { description: 'E', color: 'blue' } });
    expect(pulled.all['vendor']).toEqual({ codex: { x: 1 } });
    expect(pull(text.replace(/vendor:[\s\S]*?---/, 'vendor: 3\n---'), found(FIRST)).all['vendor']).toEqual({
      claude: { name: 'a', hooks: 'x' },
    });
  });

  it('is none where the file cannot be edited', () => {
    const text = newMemberText(found(FIRST), false);
    expect(isProblem(pulledMemberText('---\na: [\n---\n', content(text), {}, found(FIRST), false))).toBe(true);
  });
});

it('what is ignored is noted in the origin alone', () => {
  const text = newMemberText(found(FIRST), false);
  const ignoring = content(ignoringMemberText(text, content(text), 'state-1') as string);
  expect(ignoring.origin).toEqual({ ...content(text).origin, ignored: 'state-1' });
  expect({ ...ignoring.all, origin: null }).toEqual({ ...content(text).all, origin: null });
});

describe('a member', () => {
  const text = newMemberText(found(FIRST), false);

  it.each<[title: string, edited: string, isSame: boolean]>([
    ['nothing', text, true],
    ['a key of its own', text.replace('---\n', '---\nemoji: x\n'), true],
    ['a shared key', text.replace('description: D', 'description: E'), false],
    ['the prompt', text.replace('\nB\n', '\nC\n'), false],
    ['what is kept for export', text.replace('hooks: x', 'hooks: y'), false],
    ['its origin', text.replace(/origin:[\s\S]*?vendor:/, 'vendor:'), false],
  ])('is as it was imported with an edit of %s: %#', (_title, edited, isSame) => {
    expect(isAsImported(content(edited))).toBe(isSame);
  });

  it('has the content of a source that would be its export', () => {
    const member = content(text.replace('description: D', 'description: E'));
    expect(hasSameContent(member, found(FIRST))).toBe(false);
    expect(hasSameContent(member, found(FIRST.replace('D', 'E')))).toBe(true);
    expect(hasSameContent(member, found(FIRST.replace('D', 'E').replace('B', 'C')))).toBe(false);
    expect(hasSameContent(member, { place: PLACE, sha256: '', state: 'unreadable', reason: '' })).toBe(false);
  });
});
