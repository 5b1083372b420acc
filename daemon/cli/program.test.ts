import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { complete } from './completion-words.js';
import { createProgram, run } from './program.js';
import { Terminal } from './terminal.js';
import { readRevision } from './upgrade.js';

const ENTRY = import.meta.url;

/** Runs one command line in this process and tells what it said and with what it would exit. */
async function meshd(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const into = (name: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += String(chunk);
        done();
      },
    });
  const terminal = new Terminal(into('out'), into('err'), { editor: undefined, isColourful: false, hasDisplay: false, command: 'meshd' });
  return { exit: await run(args, terminal, ENTRY), ...said };
}

const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = () =>
  createProgram(new Terminal(silent, silent, { editor: undefined, isColourful: false, hasDisplay: false, command: 'meshd' }), ENTRY);

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
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
    [['board', 'create', 'x', 'y', '--kind', 'chat']],
    [['board', 'edit', 'x', 'y']],
    [['post', 'new', 'x', 'y', 'z']],
    [['post', 'new', 'x', 'y', 'z', '--as', 'ada', '--ttl', '2d']],
    [['post', 'new', 'x', 'y', 'z', '--as', 'ada', '--file-url', 'https://a.example/b']],
    [['status', '--frob']],
    [['status', '--root', '/nowhere/at/all']],
  ])('that is wrong exits 2 and says so on stderr only: %j', async (args) => {
    const { exit, out, err } = await meshd(...args);
    expect(exit).toBe(2);
    expect(out).toBe('');
    expect(err).not.toBe('');
  });

  it('is told on stdout when asked for, with exit 0', async () => {
    const { exit, out, err } = await meshd('ask', '--help');
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('Usage: meshd ask');
  });

  it('is told with examples for every command, and no command takes a secret', () => {
    for (const command of leaves(program())) {
      const said: string[] = [];
      command.configureOutput({ writeOut: (text) => void said.push(text) }).outputHelp();
      const help = said.join('');
      expect(help, command.name()).toContain('Examples:');
      expect(help, command.name()).toContain('--json');
      expect(help, command.name()).not.toMatch(/--(token|secret|key|password)\b/);
    }
  });

  it('names the command when a letter is wrong', async () => {
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

  it.each(commands)('%s %s exits 3 and says how to start it', async (...args) => {
    const { exit, out, err } = await meshd(...args, '--root', temporaryFolder());
    expect([exit, out]).toEqual([3, '']);
    expect(err).toContain('meshd up');
  });

  it('a failure is one JSON object with --json', async () => {
    const { err } = await meshd('team', 'ls', '--json', '--root', temporaryFolder());
    expect(JSON.parse(err)).toMatchObject({ error: 'unreachable' });
  });

  it('status answers and exits 3', async () => {
    const { exit, out } = await meshd('status', '--json', '--root', temporaryFolder());
    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ running: false });
  });

  it('down is content', async () => {
    expect(await meshd('down', '--root', temporaryFolder())).toEqual({ exit: 0, out: 'No daemon was running.\n', err: '' });
  });

  it('team edit says which variable names the editor, and leaves alone what is no member', async () => {
    const root = temporaryFolder({ '.mesh/team/developer.md': 'x' });
    expect((await meshd('team', 'edit', 'developer', '--root', root)).err).toContain('Set VISUAL or EDITOR');
    expect(await meshd('team', 'edit', '../../etc/passwd', '--root', root)).toMatchObject({ exit: 4 });
  });
});

describe('upgrade', () => {
  it('raises an older revision and says from where', async () => {
    const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '28\n' });
    expect((await meshd('upgrade', '--root', root)).out).toContain('from 28 to 30');
    expect(readRevision(`${root}/.mesh/STANDARD_VERSION`)).toBe(30);
    expect((await meshd('upgrade', '--root', root)).out).toContain('at revision 30 already');
  });

  it('never lowers a newer one', async () => {
    const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '31' });
    expect(JSON.parse((await meshd('upgrade', '--json', '--root', root)).out)).toMatchObject({ revision: 31, changed: false });
    expect(readRevision(`${root}/.mesh/STANDARD_VERSION`)).toBe(31);
  });

  it('has nothing to raise where there is no .mesh', async () => {
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
  ])('offers ids where one belongs: %j', async (words) => {
    expect(await candidates(...words)).toEqual(ids);
  });

  it('offers the choices of an option', async () => {
    expect(await candidates('conversations', 'export', 'x', '--format', '')).toEqual(['md', 'jsonl', 'html']);
  });

  it('offers options after a hyphen, of the command and of all', async () => {
    expect(await candidates('ask', 'x', '--')).toEqual(expect.arrayContaining(['--wait', '--session', '--json', '--root', '--help']));
  });

  it.each([[['ask', 'consultant', '']], [['up', '--port', '']]])('offers nothing where anything may stand: %j', async (words) => {
    expect(await completion(...words)).toEqual({ kind: 'words', candidates: [] });
  });

  it.each([
    ['files', ['verify', '']],
    ['files', ['team', 'new', 'x', '--body-file', '']],
    ['files', ['agent', 'register', 'x', '--card', '']],
    ['folders', ['--root', '']],
    ['folders', ['team', 'ls', '--root', '']],
  ])('offers %s where they are meant: %j', async (kind, words) => {
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
  ])('offers what fits: %j', async (words, some) => {
    expect(await candidates(...words)).toEqual(expect.arrayContaining(some));
  });

  it.each(['--yes', '-rf', 'a\nb', 'a\u001b]0;x', 'a\u202eb', 'a\tb', ''])('never offers the name %j', async (word) => {
    const names = async () => [{ word }, { word: 'kept one' }];
    expect((await complete(program(), ['agent', 'show', ''], names)).candidates).toEqual([{ word: 'kept one' }]);
  });

  it('is fast, silent and content when no daemon runs', async () => {
    expect(await meshd('__complete', '--root', temporaryFolder(), 'ask', '')).toEqual({ exit: 0, out: '', err: '' });
  });

  it.each(['bash', 'zsh', 'fish'])('has a script for %s that asks the program itself', async (shell) => {
    expect((await meshd('completion', shell)).out).toContain(`meshd __complete_${shell}`);
  });
});
