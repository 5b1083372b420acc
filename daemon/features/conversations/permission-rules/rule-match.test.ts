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

  it.each([
    ['tool a@b%c+d:e,f.g/h-i_1 --x', ['tool a@b%c+d:e,f.g/h-i_1']],
    ['tool a=b', ['tool a=b']],
    ['a b c d e f', ['a b c d', 'a b c', 'a b']],
    ['a b -c d', ['a b']],
    ['a b "c d" e', ['a b']],
    ["a b 'c;d' e", ['a b']],
    ['a b x"c d"y', ['a b']],
    ['a b  ', ['a b']],
    ['a', []],
    ['', []],
    ['a\tb', []],
    ['a b "c$d"', []],
    ['a b "c`d"', []],
    ['a b "c!"', []],
    ['a b "c\\"', []],
    ['a b "c\nd"', []],
    ["a b 'c\nd'", []],
    ['a b (c)', []],
    ['a b "c', []],
  ])('for `%j` offers these prefixes', (line, prefixes) => {
    const offered = listOffers(command(line)).slice(1);
    expect(offered).toEqual(prefixes.map((value) => ({ match: 'command_prefix', value })));
  });

  it.each(
    'sudo doas env xargs sh bash dash zsh fish ksh eval exec nohup time nice timeout ssh su find parallel command'.split(
      ' ',
    ),
  )('offers no prefix of `%s`, which runs what follows', (program) => {
    expect(values(command(`${program} x y`))).toEqual([`command ${program} x y`]);
    expect(values(command(`/bin/${program} x`))).toEqual([`command /bin/${program} x`]);
    expect(values(command(`x${program} x`))).toHaveLength(2);
  });

  it('covers no other kind of question, whatever it names', () => {
    const detail = { kind: 'input', command: 'npm test', text: '{}' } as const;
    expect(values(asked(detail, 'Bash'))).toEqual(['tool Bash']);
    for (const match of ['command', 'command_prefix'] as const) {
      expect(isCovered({ match, value: 'npm test' }, asked(detail))).toBe(false);
      expect(isCovered({ match, value: 'npm test' }, asked(null))).toBe(false);
      expect(isCovered({ match, value: 'npm test' }, command('npm test'))).toBe(true);
      expect(isCovered({ match, value: 'npm test' }, asked({ kind: 'command' }))).toBe(false);
    }
    expect(values(asked({ kind: 'command' }))).toEqual(['command ']);
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

  it('offers a file once, and nothing where a change is not listed', () => {
    expect(values(edit('a.ts', 'a.ts'))).toEqual(['file a.ts', 'folder ']);
    expect(values(asked({ kind: 'edit' }))).toEqual([]);
    const cut = { ...(edit('a.ts').detail as PermissionDetail), changes_left_out: 1 };
    expect(values(asked(cut))).toEqual([]);
    expect(isCovered({ match: 'file', value: 'a.ts' }, asked(cut))).toBe(false);
    expect(isCovered({ match: 'folder', value: '' }, asked({ kind: 'edit' }))).toBe(false);
    expect(values(asked({ ...cut, changes_left_out: 0 }))).toEqual(['file a.ts', 'folder ']);
  });

  it('offers no folder for files that have none in common, or lie outside', () => {
    expect(values(edit('src/a.ts', 'lib/b.ts'))).toEqual(['folder ']);
    expect(values(edit('src/a.ts', '/etc/passwd'))).toEqual([]);
    expect(values(edit(''))).toEqual(['file ']);
    for (const path of ['C:/a.ts', 'c:a.ts']) expect(values(edit(path))).toEqual([`file ${path}`]);
    expect(values(edit('src/a:b.ts'))).toEqual(['file src/a:b.ts', 'folder src', 'folder ']);
  });

  it('covers these files alone', () => {
    const rule = { match: 'file', value: 'a.ts' } as const;
    expect([isCovered(rule, edit('a.ts')), isCovered(rule, edit('a.ts', 'b.ts'))]).toEqual([true, false]);
    const changes = (edit('a.ts').detail as PermissionDetail).changes as NonNullable<PermissionDetail['changes']>;
    const input = asked({ kind: 'input', changes });
    expect([isCovered(rule, input), isCovered({ match: 'folder', value: '' }, input)]).toEqual([false, false]);
    expect([isCovered(rule, asked(null)), isCovered({ match: 'folder', value: '' }, asked(null))]).toEqual([
      ...[false, false],
    ]);
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

it('a rule for an address is offered for pages alone, without a name or a password', () => {
  expect(values(fetched('http://a.example:8080/x', 'POST'))).toEqual(['origin POST http://a.example:8080']);
  expect(values(asked({ kind: 'fetch', url: 'https://a.example' }))).toEqual(['origin GET https://a.example']);
  for (const url of ['https://me@a.example/', 'https://:pw@a.example/', 'xhttp://a.example/', 'nowhere', ''])
    expect(values(fetched(url)), url).toEqual([]);
  expect(values(asked({ kind: 'fetch' }))).toEqual([]);
  const path = 'x'.repeat(8_192 - 'https://a.example/'.length);
  expect(values(fetched(`https://a.example/${path}`))).toHaveLength(1);
  expect(values(fetched(`https://a.example/${path}x`))).toEqual([]);
  const rule = { match: 'origin', value: 'GET https://a.example' } as const;
  expect(isCovered(rule, asked({ kind: 'input', url: 'https://a.example' }))).toBe(false);
  expect(isCovered(rule, asked(null))).toBe(false);
});

it('a question that tells no more than its target can be judged', () => {
  expect([canBeJudged(asked(null)), canBeJudged({ tool: 'x', target: '', reason: '' })]).toEqual([true, true]);
});

it('a rule for any other tool covers the tool', () => {
  expect(values(asked(null, 'WebSearch'))).toEqual(['tool WebSearch']);
  expect(isCovered({ match: 'tool', value: 'WebSearch' }, asked(null, 'WebSearch'))).toBe(true);
  expect(isCovered({ match: 'tool', value: 'WebSearch' }, asked(null, 'WebFetch'))).toBe(false);
});
