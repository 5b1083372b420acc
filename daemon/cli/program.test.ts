import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { PLAIN_ENVIRONMENT, recordedTerminal } from '../testing/processes/recorded-terminal.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { readRevision } from './daemon/upgrade.js';
import { complete } from './help/completion-words.js';
import { TOPICS } from './help/help-topics.js';
import { everyCommand, getCommandPath } from './help/manual.js';
import { PAGES } from './help/manual-pages.js';
import { createProgram, run } from './program.js';
import { Terminal } from './terminal.js';

const ENTRY = import.meta.url;

/** Runs one command line in this process. Returns its output and exit status. */
async function meshd(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  const { terminal, text } = recordedTerminal();
  return { exit: await run(args, terminal, ENTRY), ...text };
}

const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = () => createProgram(new Terminal(silent, silent, PLAIN_ENVIRONMENT), ENTRY);

/** The output of --help for the command. */
function getHelp(command: Command): string {
  const output: string[] = [];
  command.configureOutput({ writeOut: (text) => void output.push(text) }).outputHelp();
  return output.join('');
}

describe('usage', () => {
  it.each([
    [['frob']],
    [['team']],
    [['ask', 'consultant']],
    [['up', '--port', 'high']],
    [['up', '--port', '65536']],
    [['ask', 'a', 'b', '--wait', 'long']],
    [['requests', 'ls', '--status', 'gone']],
    [['requests', 'ls', '--kind', 'sure']],
    [['requests', 'ls', '--limit', '0']],
    [['team', 'new', 'x', '--set', 'name']],
    [['completion', 'tcsh']],
    [['talk', 'developer', 'x', '--effort', 'much']],
    [['talk', 'developer', 'x', '--client', 'other']],
    [['inbox', 'frob']],
    [['conversations']],
    [['conversations', 'export', 'x', '--format', 'pdf']],
    [['roadmap', 'set', 'x', '--state', 'running']],
    [['agent', 'register', 'x', '--surface', 'moon']],
    [['agent']],
    [['find']],
    [['find', 'x', '--max-price', 'low']],
    [['catalog', 'import']],
    [['cluster']],
    [['cluster', 'say', 'x', 'hello']],
    [['cluster', 'watch', 'x', '--vis', 'hidden']],
    [['cluster', 'set', 'x']],
    [['cluster', 'set', 'x', '--boards', 'maybe']],
    [['cluster', 'set', 'x', '--clear', 'colour']],
    [['cluster', 'set', 'x', '--lang', 'de', '--clear', 'lang']],
    [['cluster', 'set', 'x', '--age-min', '18.5']],
    [['cluster', 'set', 'x', '--where', '52.52,13.405']],
    [['cluster', 'set', 'x', '--where', '52.52,13.405, ']],
    [['board', 'create', 'x', 'y', '--kind', 'chat']],
    [['board', 'edit', 'x', 'y']],
    [['post', 'new', 'x', 'y', 'z']],
    [['post', 'new', 'x', 'y', 'z', '--as', 'ada', '--ttl', '2d']],
    [['post', 'new', 'x', 'y', 'z', '--as', 'ada', '--file-url', 'https://a.example/b']],
    [['status', '--frob']],
    [['status', '--root', '/nowhere/at/all']],
  ])('exits 2 with a message on stderr only for wrong arguments: %j', async (args) => {
    const { exit, out, err } = await meshd(...args);
    expect(exit).toBe(2);
    expect(out).toBe('');
    expect(err).not.toBe('');
  });

  it.each(['-Verify the build', '- fix the lamp\n- add a test', '-j is what?'])(
    'takes %j for a text, not for options',
    async (text) => {
      const root = temporaryFolder();
      for (const args of [
        ['talk', 'developer', text, '--root', root],
        ['ask', '--wait', '1', 'consultant', text, '--root', root, '--json'],
      ]) {
        const { exit, out, err } = await meshd(...args);
        expect([exit, out + err]).toEqual([3, expect.stringContaining('No daemon runs')]);
      }
    },
  );

  it('reads no text as a value or an option that is none', async () => {
    const root = temporaryFolder();
    const pay = ['wallet', 'pay', 'x', '--lamports', '1', '--root', root];
    expect(await meshd(...pay, '--memo', '- a list')).toMatchObject({ exit: 3 });
    expect(await meshd(...pay, '--', '- a list')).toMatchObject({ exit: 2, out: '' });
    for (const version of ['-V', '--version', '-Verify'])
      expect(await meshd(...pay, version)).toMatchObject({ exit: 2, out: '', err: expect.stringContaining(version) });
    expect(JSON.parse((await meshd('--version', '--json')).out)).toEqual({ version: expect.stringMatching(/^\d+\./) });
  });

  it('is printed on stdout with exit 0 on request', async () => {
    const { exit, out, err } = await meshd('ask', '--help');
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('Usage: meshd ask');
  });

  it('is complete for every command: description, every argument and option, examples and related pages', () => {
    for (const command of everyCommand(program())) {
      const path = getCommandPath(command);
      const help = getHelp(command);
      expect(command.summary().length, `${path}: summary`).toBeLessThanOrEqual(90);
      expect([path, command.description()]).not.toEqual([path, '']);
      for (const argument of command.registeredArguments)
        expect([path, argument.name(), argument.description]).not.toContain('');
      for (const option of command.options) expect([path, option.flags, option.description]).not.toContain('');
      expect(help, path).toContain('--json');
      // `verify` takes a public key; no other command takes a key, and no secret appears in a command line.
      const taken = path === 'verify' ? help.replaceAll(/--key <key> +the public key|--key "\$KEY/g, '') : help;
      expect(taken, path).not.toMatch(/--(token|secret|key|password)\b/);
      if (command.commands.length > 0 && !PAGES[path]) continue;
      expect(help, path).toMatch(/\nExamples:\n {2}\$ /);
      expect(help, path).toMatch(/\nSee also:\n {2}meshd /);
    }
  });

  it('names every command and exit status in the lists of README and --help', () => {
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    const table = readme.split('\n').filter((line) => line.startsWith('| '));
    const named = new Set([...table.join().matchAll(/`([a-z-]+)[^`]*`/g)].map(([, name]) => name));
    const all = program();
    expect(all.commands.map((command) => command.name()).filter((name) => !named.has(name))).toEqual([]);
    for (const [code] of TOPICS['exit-codes']?.items ?? [])
      for (const text of [readme, getHelp(all)]) expect(text).toMatch(new RegExp(`[ \\n]${code} [a-zC]`));
  });

  it('fits into 80 columns', () => {
    for (const command of everyCommand(program())) {
      // An example is a line to paste and is not wrapped.
      const lines = getHelp(command)
        .split('\n')
        .filter((line) => !line.startsWith('  $ '));
      expect(
        lines.filter((line) => line.length > 80),
        getCommandPath(command),
      ).toEqual([]);
    }
  });

  it('refers only to existing commands and topics', () => {
    const paths = new Set(['', ...everyCommand(program()).map(getCommandPath)]);
    for (const [path, { see }] of Object.entries(PAGES)) {
      expect(paths).toContain(path);
      for (const other of see) {
        const [word = '', topic = ''] = other.split(' ');
        if (word === 'help' && topic !== '') expect(Object.keys(TOPICS)).toContain(topic);
        else expect(paths, `${path} names ${other}`).toContain(other);
      }
    }
  });

  it.each(Object.keys(TOPICS))('has a help topic %s', async (topic) => {
    const { exit, out, err } = await meshd('help', topic);
    expect([exit, err]).toEqual([0, '']);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(JSON.parse((await meshd('help', topic, '--json')).out)).toMatchObject({ topic, items: expect.any(Object) });
  });

  it('prints the same for help as for --help, and exits 4 for an unknown command', async () => {
    expect((await meshd('help', 'team', 'ls')).out).toBe((await meshd('team', 'ls', '--help')).out);
    expect(await meshd('help', 'team', 'frob')).toMatchObject({
      exit: 4,
      out: '',
      err: expect.stringContaining('meshd team --help'),
    });
    expect((await meshd('help')).out).toBe((await meshd('--help')).out);
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(await meshd('help', name)).toMatchObject({ exit: 4, err: expect.stringContaining(`"${name}"`) });
  });

  it('describes a command as an object with --json', async () => {
    const { out } = await meshd('help', 'post', 'new', '--json');
    expect(JSON.parse(out)).toMatchObject({
      command: 'meshd post new',
      summary: 'pin a post',
      usage: '[options] <cluster> <board> <title>',
      arguments: [
        { name: 'cluster', required: true, many: false, choices: null },
        { name: 'board', required: true, many: false, choices: null },
        { name: 'title', description: 'its title', required: true, many: false, choices: null },
      ],
      options: expect.arrayContaining([
        { flags: '--as <handle>', description: 'your handle', required: true, default: null, choices: null },
        {
          flags: '--ttl <time>',
          description: 'how long it stays',
          required: false,
          default: '7d',
          choices: ['24h', '7d', '30d', '1y', 'forever'],
        },
      ]),
      commands: [],
    });
    expect(JSON.parse((await meshd('help', 'help', '--json')).out)).toMatchObject({
      arguments: [{ name: 'words', required: false, many: true }],
    });
    const topic = JSON.parse((await meshd('help', 'exit-codes', '--json')).out) as { items: object };
    expect(topic.items).toMatchObject({ 3: 'the daemon is not reachable', 130: 'ended with Ctrl-C' });
    expect((await meshd('help', 'exit-codes')).out).toMatch(/\nA failure is one sentence on stderr/);
    expect((await meshd('help', 'exit-codes')).out).not.toMatch(/See also:.*help exit-codes/s);
    expect(await meshd('help', 'exit-codes', 'more')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('`meshd help`'),
    });
  });

  it('is a short screen with first steps when no command is given', async () => {
    const root = temporaryFolder();
    const { exit, out, err } = await meshd('--root', root);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain(`It does not run for ${root}`);
    expect(out.split('\n').length).toBeLessThan(16);
    expect(JSON.parse((await meshd(`--root=${root}`, '--json')).out)).toMatchObject({
      root,
      running: false,
      address: null,
    });
    const last = await meshd('--root', '/nowhere', '--json', '--root', root);
    expect(JSON.parse(last.out)).toMatchObject({ root, running: false });
  });

  it('errors are one object with --json', async () => {
    for (const args of [['frob'], ['team'], ['up', '--port', 'high'], ['status', '--frob'], ['ask']]) {
      const { exit, out, err } = await meshd(...args, '--json');
      expect([exit, err]).toEqual([2, '']);
      expect(JSON.parse(out)).toEqual({ error: 'usage', message: expect.stringMatching(/\S/) });
    }
  });

  it('accepts --root in any position', async () => {
    const root = temporaryFolder();
    for (const args of [
      ['--root', root, 'team', 'ls'],
      ['team', '--root', root, 'ls'],
      ['team', 'ls', `--root=${root}`],
    ]) {
      expect(await meshd(...args)).toMatchObject({ exit: 3, err: expect.stringContaining(root) });
    }
  });

  it('prints the version', async () => {
    expect(await meshd('--version')).toEqual({ exit: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
  });

  it('suggests the command for a misspelled one', async () => {
    expect((await meshd('satus')).err).toContain('Did you mean status?');
  });
});

describe('without a daemon', () => {
  const commands = [
    ['team', 'ls'],
    ['team', 'show', 'a'],
    ['token', 'show', 'a'],
    ['ask', 'a', 'b'],
    ['requests', 'ls'],
    ['talk', 'a', 'b'],
    ['inbox'],
    ['conversations', 'ls'],
    ['roadmap', 'ls'],
    ['schedule', 'ls'],
    ['card', 'a'],
    ['find', 'a'],
    ['agent', 'register', 'a'],
    ['agent', 'heartbeat', 'a'],
    ['agent', 'show', 'a'],
    ['catalog', 'import', 'a.jsonl'],
    ['cluster', 'create'],
    ['cluster', 'ls'],
    ['cluster', 'watch', 'a'],
    ['cluster', 'rm', 'a', '--yes'],
    ['board', 'ls', 'a'],
    ['post', 'ls', 'a', 'b'],
    ['open'],
  ];

  it.each(commands)('%s %s exits 3 and reports how to start it', async (...args) => {
    const { exit, out, err } = await meshd(...args, '--root', temporaryFolder());
    expect([exit, out]).toEqual([3, '']);
    expect(err).toContain('meshd up');
  });

  it('a failure is one JSON object with --json', async () => {
    const { out, err } = await meshd('team', 'ls', '--json', '--root', temporaryFolder());
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({ error: 'unreachable' });
  });

  it('status prints a report and exits 3', async () => {
    const { exit, out } = await meshd('status', '--json', '--root', temporaryFolder());
    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ running: false });
  });

  it('down exits 0', async () => {
    expect(await meshd('down', '--root', temporaryFolder())).toEqual({
      exit: 0,
      out: 'No daemon was running.\n',
      err: '',
    });
  });

  it('team edit names the variables of the editor, and rejects what is not a member id', async () => {
    const root = temporaryFolder({ '.mesh/team/developer.md': 'x' });
    expect((await meshd('team', 'edit', 'developer', '--root', root)).err).toContain('Set VISUAL or EDITOR');
    expect(await meshd('team', 'edit', '../../etc/passwd', '--root', root)).toMatchObject({ exit: 4 });
  });
});

describe('upgrade', () => {
  it('raises an older revision and reports the previous one', async () => {
    const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '28\n' });
    expect((await meshd('upgrade', '--root', root)).out).toContain('from 28 to 30');
    expect(readRevision(`${root}/.mesh/STANDARD_VERSION`)).toBe(30);
    expect((await meshd('upgrade', '--root', root)).out).toContain('at revision 30 already');
  });

  it('never lowers a newer revision', async () => {
    const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '31' });
    expect(JSON.parse((await meshd('upgrade', '--json', '--root', root)).out)).toMatchObject({
      revision: 31,
      changed: false,
    });
    expect(readRevision(`${root}/.mesh/STANDARD_VERSION`)).toBe(31);
  });

  it.each(['', 'thirty\n', '3O'])('writes the revision where the file is missing or holds none: %j', async (text) => {
    const root = temporaryFolder({ '.mesh/team/x.md': '', ...(text !== '' && { '.mesh/STANDARD_VERSION': text }) });
    const path = `${root}/.mesh/STANDARD_VERSION`;
    const { exit, out } = await meshd('upgrade', '--json', '--root', root);
    expect([exit, JSON.parse(out)]).toEqual([0, { before: null, revision: 30, changed: true, path }]);
    expect(readRevision(path)).toBe(30);
  });

  it('exits 4 without a .mesh folder', async () => {
    expect((await meshd('upgrade', '--root', temporaryFolder())).exit).toBe(4);
  });
});

describe('completion', () => {
  const ids = ['consultant', 'developer'];
  const completion = (...words: string[]) => complete(program(), words, async () => ids.map((word) => ({ word })));
  const candidates = async (...words: string[]) => (await completion(...words)).candidates.map(({ word }) => word);

  it('offers commands, then their subcommands', async () => {
    expect(await candidates('')).toContain('ask');
    expect(await candidates('token', '')).toEqual(['show', 'rotate', 'revoke']);
  });

  it.each([
    [['ask', '']],
    [['team', 'show', '']],
    [['token', 'rotate', 'con']],
    [['--root', 'x', 'card', '']],
    [['requests', 'ls', '--member', '']],
    [['ask', '--wait', '3', '']],
    [['talk', '']],
    [['conv', 'ls', '--member', '']],
    [['conv', 'show', '']],
    [['talk', 'developer', '--conv', '']],
    [['inbox', 'allow', '']],
    [['roadmap', 'set', '']],
    [['schedule', 'show', '']],
    [['schedule', 'add', 'x', '--after', '']],
  ])('offers ids where one is expected: %j', async (words) => {
    expect(await candidates(...words)).toEqual(ids);
  });

  it.each([
    [['ask', '-'], ids],
    [['ask', '--', '--'], ids],
    [['ask', '--json', ''], ids],
    [['ask', '--', '--x', ''], []],
    [['team', 'show', 'developer', ''], []],
    [['team', 'frob', ''], []],
    [['ask', '--frob=', ''], ids],
    [['ask', '--frob='], []],
  ])('offers the words that can follow, and no others: %j', async (words, expected) => {
    expect(await candidates(...words)).toEqual(expected);
  });

  it('offers each option once, and topics only as the first word of help', async () => {
    const options = await candidates('--');
    expect(new Set(options).size).toBe(options.length);
    expect(await candidates('help', 'team', '')).not.toContain('exit-codes');
  });

  it('offers the choices of an option', async () => {
    expect(await candidates('conversations', 'export', 'x', '--format', '')).toEqual(['md', 'jsonl', 'html']);
  });

  it('offers options of the command and of the program after a hyphen', async () => {
    expect(await candidates('ask', 'x', '--')).toEqual(
      expect.arrayContaining(['--wait', '--session', '--json', '--root', '--help']),
    );
  });

  it.each([[['ask', 'consultant', '']], [['up', '--port', '']]])(
    'offers nothing where any text is accepted: %j',
    async (words) => {
      expect(await completion(...words)).toEqual({ kind: 'words', candidates: [] });
    },
  );

  it.each([
    ['files', ['verify', '']],
    ['files', ['team', 'new', 'x', '--body-file', '']],
    ['files', ['agent', 'register', 'x', '--card', '']],
    ['folders', ['--root', '']],
    ['folders', ['team', 'ls', '--root', '']],
  ])('offers %s where one is expected: %j', async (kind, words) => {
    expect(await completion(...words)).toEqual({ kind, candidates: [] });
  });

  it.each([
    [
      ['help', ''],
      ['ask', 'exit-codes'],
    ],
    [
      ['help', 'team', ''],
      ['ls', 'show'],
    ],
    [
      ['requests', 'ls', '--status='],
      ['--status=queued', '--status=done'],
    ],
    [['requests', 'ls', '--member='], ['--member=consultant']],
    [['team', 'export', 'developer', ''], ['consultant']],
    [['ask', '--', ''], ['consultant']],
  ])('offers matching words: %j', async (words, some) => {
    expect(await candidates(...words)).toEqual(expect.arrayContaining(some));
  });

  it.each(['--yes', '-rf', 'a\nb', 'a\u001b]0;x', 'a\u202eb', 'a\tb', ''])('never offers the name %j', async (word) => {
    const names = async () => [{ word }, { word: 'kept one' }];
    expect((await complete(program(), ['agent', 'show', ''], names)).candidates).toEqual([{ word: 'kept one' }]);
  });

  it('exits 0 without output when no daemon runs', async () => {
    expect(await meshd('__complete', '--root', temporaryFolder(), 'ask', '')).toEqual({ exit: 0, out: '', err: '' });
  });

  it('gives bash the words that fit, without what it keeps of the word', async () => {
    const asBash = async (line: string) => (await meshd('__complete_bash', line, ' \t\n"\'><=;|&(:')).out;
    expect(await asBash('meshd com')).toBe('words\ncompletion\n');
    expect(await asBash('meshd requests ls --status=q')).toBe('words\nqueued\n');
    expect(await asBash("meshd completion 'z")).toBe('words\nzsh\n');
    expect(await asBash('meshd verify ')).toBe('files\n');
  });

  it('gives zsh and fish a short description with each word that has one', async () => {
    expect((await meshd('__complete_zsh', 'completion', '')).out).toBe('words\nbash\nzsh\nfish\n');
    const [kind, ...lines] = (await meshd('__complete_fish', 'up', '--')).out.trim().split('\n');
    expect([kind, lines.find((line) => line.startsWith('--open'))]).toEqual([
      'words',
      '--open\topen the dashboard in a browser',
    ]);
    const abouts = lines.map((line) => line.split('\t')[1] ?? '');
    expect(Math.max(...abouts.map((about) => about.length))).toBe(60);
    expect(abouts.filter((about) => about.length === 60).every((about) => about.endsWith('…'))).toBe(true);
  });

  it.each(['bash', 'zsh', 'fish'])('has a script for %s that calls the program', async (shell) => {
    const { out } = await meshd('completion', shell);
    expect(out).toContain(`meshd __complete_${shell}`);
    expect(JSON.parse((await meshd('completion', shell, '--json')).out)).toEqual({ shell, script: out.trimEnd() });
  });
});
