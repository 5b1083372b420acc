import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { isElsewhere, memberMay, outsideDecision, selectOutcome } from './acp-permissions.js';

const option = (optionId: unknown, kind: unknown) => ({ optionId, kind, name: 'An option' });

describe('the option that is selected', () => {
  const all = ['reject_always', 'reject_once', 'allow_always', 'allow_once'].map((kind) => option(`o-${kind}`, kind));

  it.each([
    ['allow_once', 'o-allow_once'],
    ['allow_always', 'o-allow_once'],
    ['deny', 'o-reject_once'],
  ] as const)('for %s is the one that holds once: %s', (decision, optionId) => {
    expect(selectOutcome(decision, all)).toEqual({ outcome: 'selected', optionId });
  });

  it('for a denial may be the lasting one, for want of another', () => {
    const lasting = [option('always', 'allow_always'), option('never', 'reject_always')];
    expect(selectOutcome('deny', lasting)).toEqual({ outcome: 'selected', optionId: 'never' });
    expect(selectOutcome('allow_always', lasting)).toEqual({ outcome: 'cancelled' });
  });

  it.each([
    [undefined],
    ['options'],
    [[]],
    [['allow_once', null]],
    [[option('', 'allow_once'), option(7, 'allow_once'), { kind: 'allow_once' }]],
  ])('is none where none fits: %j', (options) => {
    expect(selectOutcome('allow_once', options)).toEqual({ outcome: 'cancelled' });
  });

  it('is the first of its kind that has an id', () => {
    const options = [option('', 'allow_once'), option('first', 'allow_once'), option('second', 'allow_once')];
    expect(selectOutcome('allow_once', options)).toEqual({ outcome: 'selected', optionId: 'first' });
  });
});

describe('a request in a run for another program', () => {
  const root = '/project';
  const decide = (kind: string, ...paths: string[]) =>
    outsideDecision(kind, { locations: paths.map((path) => ({ path })) }, root);

  it.each(['read', 'search', 'think'])('is allowed once for %s in the project', (kind) => {
    expect(decide(kind, 'src/a.ts')).toBe('allow_once');
  });

  it.each(['edit', 'delete', 'move', 'execute', 'fetch', 'switch_mode', 'other', ''])('is denied for %j', (kind) => {
    expect(decide(kind, 'src/a.ts')).toBe('deny');
  });

  it('is denied when it names no path, or one of several that is closed', () => {
    expect([decide('read'), decide('read', 'a', 'b'), decide('read', 'a', '../b')]).toEqual([
      'deny',
      'allow_once',
      'deny',
    ]);
  });

  it.each([
    ['.', true],
    ['/project/a', true],
    ['/projects/a', false],
    ['/', false],
    ['..', false],
    ['..a', true],
    ['a/../../project/b', true],
    ['.mesh', false],
    ['.mesh/credentials', false],
    ['.mesh/state/a', false],
    ['.mesh/asks', false],
    ['.MESH/Asks/a', false],
    ['.mesh/team/a.md', true],
    ['.mesh/asksed', true],
    ['.mes', true],
    ['.git', false],
    ['.git/config', false],
    ['.gitignore', true],
    ['.github/a', true],
    ['src/.env', false],
    ['~', false],
    ['~/a', false],
    ['a~', true],
    ['http://a', false],
    ['HTTP:a', false],
    ['a+.-1:b', false],
    ['a:b', true],
    ['src/file:b', true],
    ['1file:b', true],
    [`${'./'.repeat(2_047)}ab`, true],
    [`${'./'.repeat(2_047)}abc`, false],
  ])('may read, or not: path %#', (path, isAllowed) => {
    expect([path.slice(0, 20), decide('read', path)]).toEqual([path.slice(0, 20), isAllowed ? 'allow_once' : 'deny']);
  });

  it('is denied where a link leaves the project, goes in a circle, or leads to what is closed', () => {
    const project = temporaryFolder({ 'a.md': '', '.mesh/asks/a.md': '' });
    for (const [name, to] of [
      ['out', '/etc/hosts'],
      ['round', 'round'],
      ['asks', '.mesh/asks'],
      ['in', 'a.md'],
      ['.mesh/asks/in.md', '../../a.md'],
      ['.env', 'a.md'],
    ] as const)
      symlinkSync(to, join(project, name));
    const read = (path: string) => outsideDecision('read', { rawInput: { path } }, project);
    expect(['out', 'round', 'asks', 'asks/a.md', '.mesh/asks/in.md', '.env', 'in'].map(read)).toEqual([
      'deny',
      'deny',
      'deny',
      'deny',
      'deny',
      'deny',
      'allow_once',
    ]);
  });
});

it.each([
  ['a', false],
  ['', false],
  ['/project', false],
  ['/project/a', false],
  ['/projects', true],
  ['..', true],
  ['../a', true],
  ['../project/a', false],
  ['..a', false],
  ['file:///project/a', false],
  ['FILE:///project/a', false],
  ['file:///etc/hosts', true],
  ['a/file://../../b', false],
  ['~/a', true],
  ['file://~/a', true],
  ['a~', false],
  [`${'./'.repeat(2_047)}ab`, false],
  [`${'./'.repeat(2_047)}abc`, true],
])('a path that was read is elsewhere, or not: path %#', (path, isOut) => {
  expect([path.slice(0, 20), isElsewhere(path, '/project')]).toEqual([path.slice(0, 20), isOut]);
});

it.each([
  ['read', ['read']],
  ['search', ['search']],
  ['edit', ['edit']],
  ['delete', ['edit']],
  ['move', ['edit']],
  ['execute', ['execute']],
  ['fetch', ['web']],
  ['think', ['read', 'search', 'edit', 'execute', 'web']],
  ['', ['read', 'search', 'edit', 'execute', 'web']],
])('a use of the kind %j needs one of the tools %j', (kind, needed) => {
  const tools = ['read', 'search', 'edit', 'execute', 'web'];
  expect(tools.filter((tool) => memberMay([tool], kind))).toEqual(needed);
  expect(memberMay([], kind)).toBe(needed.length > 1);
});
