import { describe, expect, it } from 'vitest';
import type { PermissionDetail } from '../../../contract/permissions.js';
import { canBeJudged, isCovered, listOffers } from './rule-match.js';

const asked = (detail: PermissionDetail | null, tool = 'Bash') => ({ tool, target: '', reason: '', detail });
const command = (line: string) => asked({ kind: 'command', command: line, folder: '/p', environment: [] });
const edit = (...paths: string[]) =>
  asked({ kind: 'edit', changes: paths.map((path) => ({ path, old_text: 'a', new_text: 'b', cut: false })) }, 'Edit');
const fetched = (url: string, method = 'GET') => asked({ kind: 'fetch', method, url }, 'WebFetch');
const values = (question: Parameters<typeof listOffers>[0]) =>
  listOffers(question).map(({ match, value }) => `${match} ${value}`);

describe('a rule for a command', () => {
  it.each([
    [
      'npm run lint -- --fix',
      ['command npm run lint -- --fix', 'command_prefix npm run lint', 'command_prefix npm run'],
    ],
    ['git commit -m "a b"', ['command git commit -m "a b"', 'command_prefix git commit']],
    ['rm -rf build', ['command rm -rf build']],
    ['bash x.sh now', ['command bash x.sh now']],
    ['/usr/bin/env node x.js', ['command /usr/bin/env node x.js']],
    ['A=1 npm test', ['command A=1 npm test']],
    ['npm test && rm -rf /', ['command npm test && rm -rf /']],
    ['npm test\nrm -rf /', ['command npm test\nrm -rf /']],
    ['echo $(id)', ['command echo $(id)']],
  ])('for `%s` offers the command itself, and prefixes where it is one plain program', (line, offers) => {
    expect(values(command(line))).toEqual(offers);
  });

  it('covers commands with more words, and none with anything that a shell would do besides', () => {
    const rule = { match: 'command_prefix', value: 'npm test' } as const;
    for (const line of ['npm test', 'npm test -- src/a.test.ts', "npm test -t 'of a'", 'npm  test'])
      expect(isCovered(rule, command(line)), line).toBe(true);
    for (const line of [
      'npm testing',
      'npm',
      'npm test; id',
      'npm test & id',
      'npm test | sh',
      'npm test > ~/.profile',
      'npm test $(id)',
      'npm test `id`',
      'npm test "$(id)"',
      'npm test\nid',
      'A=1 npm test',
      ' npm test',
    ])
      expect(isCovered(rule, command(line)), line).toBe(false);
    expect(isCovered({ match: 'command', value: 'npm test' }, command('npm test '))).toBe(false);
  });

  it('is not made for a command that is too long to be judged', () => {
    expect([canBeJudged(command('x'.repeat(32_768))), canBeJudged(command('x'.repeat(32_769)))]).toEqual([true, false]);
    const inFolder = (folder: string) => asked({ ...(command('ls').detail as PermissionDetail), folder });
    expect(['/x', `/${'x'.repeat(4_096)}`].map((folder) => canBeJudged(inFolder(folder)))).toEqual([true, false]);
  });
});

describe('a rule for files', () => {
  it('is not made for a path that is too long to be judged', () => {
    const long = 'x'.repeat(4_096);
    expect([canBeJudged(edit('a', long)), canBeJudged(edit('a', `${long}x`))]).toEqual([true, false]);
  });

  it('offers the file and every folder above it up to the project', () => {
    expect(values(edit('src/a/b.ts'))).toEqual(['file src/a/b.ts', 'folder src/a', 'folder src', 'folder ']);
    expect(values(edit('src/a/b.ts', 'src/c.ts'))).toEqual(['folder src', 'folder ']);
    expect(values(edit('/etc/passwd'))).toEqual(['file /etc/passwd']);
    expect(values(edit('.env'))).toEqual(['file .env']);
    expect(values(edit('.git/hooks/pre-commit'))).toEqual(['file .git/hooks/pre-commit']);
  });

  it('covers files below the folder only, never secrets, hooks or what is left out of the list', () => {
    const folder = (value: string) => ({ match: 'folder', value }) as const;
    expect(isCovered(folder('src'), edit('src/a/b.ts', 'src/c.ts'))).toBe(true);
    for (const path of ['srcs/a.ts', 'lib/a.ts', '/p/src/a.ts', 'src/.env', 'src/.git/config'])
      expect(isCovered(folder('src'), edit('src/c.ts', path)), path).toBe(false);
    expect(isCovered(folder(''), edit('.mesh/team/developer.md'))).toBe(false);
    const cut = edit('src/a.ts');
    expect(isCovered(folder('src'), asked({ ...(cut.detail as PermissionDetail), changes_left_out: 1 }))).toBe(false);
    expect(isCovered({ match: 'file', value: 'src/a.ts' }, edit('src/a.ts'))).toBe(true);
  });

  it.each([
    ...['.git', '.mesh', '.github', '.husky', '.claude', '.codex', '.gemini', '.opencode', '.cursor', '.agents'],
    ...['.vscode', '.zed', '.idea', '.devcontainer', '.VSCode', '.v\u017fcode', '.me\u017fh'],
  ])('covers nothing in a folder %s, which holds what runs programs', (name) => {
    for (const path of [`${name}/x`, `sub/${name}/deep/x`, name]) {
      expect(isCovered({ match: 'folder', value: '' }, edit(path)), path).toBe(false);
      expect(values(edit(path))).toEqual([`file ${path}`]);
    }
    expect(isCovered({ match: 'folder', value: '' }, edit(`${name.slice(1)}/x`))).toBe(true);
  });

  it.each(['.mcp.json', 'opencode.json', 'opencode.jsonc', '.gitattributes', '.gitmodules', 'OpenCode.json'])(
    'covers no %s, which starts programs',
    (name) => {
      for (const path of [name, `sub/${name}`]) {
        expect(isCovered({ match: 'folder', value: '' }, edit(path)), path).toBe(false);
        expect(isCovered({ match: 'file', value: path }, edit(path)), path).toBe(true);
      }
      expect(isCovered({ match: 'folder', value: '' }, edit(`${name}.md`))).toBe(true);
    },
  );
});

it('a rule for an address covers its origin and method', () => {
  expect(values(fetched('https://a.example/x?y'))).toEqual(['origin GET https://a.example']);
  expect(values(fetched('https://me:pw@a.example/'))).toEqual([]);
  expect(values(fetched('file:///etc/passwd'))).toEqual([]);
  expect(values(fetched(`https://a.example/${'x'.repeat(8_192)}`))).toEqual([]);
  const rule = { match: 'origin', value: 'GET https://a.example' } as const;
  expect(isCovered(rule, fetched('https://a.example/other'))).toBe(true);
  for (const other of ['https://a.example.org/', 'http://a.example/', 'https://a.example:444/'])
    expect(isCovered(rule, fetched(other)), other).toBe(false);
  expect(isCovered(rule, fetched('https://a.example/', 'POST'))).toBe(false);
});

it('a rule for any other tool covers the tool', () => {
  expect(values(asked(null, 'WebSearch'))).toEqual(['tool WebSearch']);
  expect(isCovered({ match: 'tool', value: 'WebSearch' }, asked(null, 'WebFetch'))).toBe(false);
});
