import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AskRecord } from '../contract/asks.js';
import { meshd as meshdHere } from '../testing/processes/command-line.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { ownState } from '../testing/user-folders.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const program = join(repository, 'dist/meshd.js');

interface Outcome {
  exit: number | null;
  out: string;
  err: string;
}

function start(
  root: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  hasOwnGroup = false,
): ChildProcess {
  const { NO_COLOR: _, VISUAL: __, EDITOR: ___, ...inherited } = process.env;
  return spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...inherited, ...environment },
    stdio: 'pipe',
    detached: hasOwnGroup,
  });
}

function getOutcome(child: ChildProcess, input = ''): Promise<Outcome> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (data) => (out += data));
  child.stderr?.on('data', (data) => (err += data));
  child.stdin?.on('error', () => undefined).end(input);
  return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, out, err })));
}

/** What makes Node.js report the version 18.20.8 as its own. */
const OLD_NODE = { 'old-node.cjs': "Object.defineProperty(process, 'version', { value: 'v18.20.8' });\n" };

const meshd = (root: string, ...args: string[]) => getOutcome(start(root, args));

/** A repository of three files whose daemon, if any, is stopped when the test ends. */
function project(): string {
  const root = temporaryRepository({
    'README.md':
      '# Lighthouse\n\nLighthouse keeps the harbour lamps lit. The lamp is trimmed every four hours by the keeper.\n',
    'src/lamp.ts':
      '/** Trims the lamp: the wick is cut to six millimetres. */\nexport function trimLamp(): number {\n  ' +
      'return 6;\n}\n',
    'src/keeper.ts':
      "import { trimLamp } from './lamp.js';\n\n/** The keeper's round. */\nexport const round = () => trimLamp();\n",
  });
  onTestFinished(async () => void (await meshd(root, 'down')));
  return root;
}

async function up(root: string): Promise<string> {
  const { exit, out, err } = await meshd(root, 'up', '--port', '0');
  expect(exit, err).toBe(0);
  return out.trim().split('\n').at(-1) as string;
}

/** Kills the daemon as a crash would, and returns once nothing listens on its port. */
async function crash(root: string, address: string): Promise<void> {
  process.kill(daemonPid(root), 'SIGKILL');
  const isListening = () =>
    fetch(`${address}/health`).then(
      () => true,
      () => false,
    );
  while (await isListening());
}

const daemonPid = (root: string): number => JSON.parse(readFileSync(join(root, '.mesh/state/daemon.json'), 'utf8')).pid;

describe('up, status, down', () => {
  it('start the daemon once, attach from any subfolder, report its state, and stop it', async () => {
    const root = project();
    const address = await up(root);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const again = await meshd(join(root, 'src'), 'up');
    expect(again).toMatchObject({ exit: 0, out: `${address}\n` });
    expect(again.err).toContain('already running');
    expect(JSON.parse((await meshd(root, 'status', '--json')).out)).toMatchObject({
      running: true,
      address,
      members: 9,
      ok: true,
    });
    expect(await meshd(root, 'doctor')).toMatchObject({ exit: 0 });
    expect((await meshd(root, 'down')).out).toMatch(/^Stopped/);
    expect(existsSync(join(root, '.mesh/state/daemon.json'))).toBe(false);
    expect((await meshd(root, 'status')).exit).toBe(3);
  });

  it('report agents of other tools until they are imported', async () => {
    const root = project();
    const agent = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\n\nDo it.\n`;
    putFiles(root, {
      '.claude/agents/a.md': agent('keeper'),
      '.claude/agents/sub/b.md': agent('trimmer'),
      '.gemini/agents/c.md': agent('watcher'),
      'opencode.json': '{"agent": {"rower": {"prompt": "Row."}}}',
    });
    const first = await meshd(root, 'up', '--port', '0');
    expect(first.err).toMatch(
      / {2}Found {4}2 agents in \.claude\/agents, 1 in \.gemini\/agents, 1 in opencode\.json {3}→ .*team import\n/,
    );
    expect((await meshd(root, 'team', 'import', '--all')).exit).toBe(0);
    expect((await meshd(root, 'up')).err).not.toContain('Found');
  });

  it('leave one daemon when started twice concurrently', async () => {
    const root = project();
    const outcomes = await Promise.all([meshd(root, 'up', '--port', '0'), meshd(root, 'up', '--port', '0')]);
    expect(outcomes.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(outcomes[0]?.out).toBe(outcomes[1]?.out);
  });

  it('start a new daemon after the old one was killed', async () => {
    const root = project();
    const address = await up(root);
    const pid = daemonPid(root);
    await crash(root, address);
    expect((await meshd(root, 'down')).out).toBe('No daemon was running.\n');
    await up(root);
    expect(daemonPid(root)).not.toBe(pid);
  });

  it('exit 75 when another program has taken the port, and name that program', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void squatter.close());
    const { port } = squatter.address() as AddressInfo;
    const { exit, out, err } = await meshd(project(), 'up', '--port', String(port));
    expect([exit, out]).toEqual([75, '']);
    // Only Linux reports the owner of a port.
    const owner = process.platform === 'linux' ? `.* \\(pid ${process.pid}\\)` : 'another program';
    expect(err).toMatch(new RegExp(`Port ${port} is taken by ${owner}: end it, or choose one with --port`));
    const told = JSON.parse((await meshd(project(), 'up', '--port', String(port), '--json')).out) as object;
    expect(told).toMatchObject({ error: 'port_taken', port });
  });

  it('take the next free port beside another project of this user, remember it, and ask its members', async () => {
    const [first, second] = [project(), project()];
    const { port } = new URL(await up(first));
    await up(second);
    await meshd(second, 'down');
    writeFileSync(join(second, '.mesh/state/port'), `${port}\n`, { mode: 0o600 });
    const started = await meshd(second, 'up', '--json');
    const { port: own, instead_of } = JSON.parse(started.out) as { port: number; instead_of: object };
    expect([started.exit, instead_of]).toEqual([0, { port: Number(port), root: first }]);
    expect(own).toBeGreaterThan(Number(port));
    await meshd(second, 'down');
    const again = await meshd(second, 'up');
    expect(again).toMatchObject({ exit: 0, out: `http://127.0.0.1:${own}\n` });
    expect(again.err).not.toContain('from now on');

    const question = 'How many millimetres is the wick cut to?';
    const asked = await meshd(first, 'ask', `${basename(second)}/consultant`, question, '--json');
    expect(asked.exit, asked.err).toBe(0);
    const { request_id } = JSON.parse(asked.out) as { request_id: string };
    expect((await meshd(second, 'requests', 'show', request_id)).exit).toBe(0);
    expect((await meshd(first, 'requests', 'show', request_id)).exit).toBe(4);
    const nowhere = await meshd(first, 'ask', 'no-such-project/consultant', question);
    expect(nowhere).toMatchObject({ exit: 4, err: expect.stringContaining(basename(second)) });
  });

  it('do not trust another program on the port of a dead daemon', async () => {
    const root = project();
    const address = await up(root);
    const port = Number(new URL(address).port);
    await crash(root, address);
    const received: string[] = [];
    const squatter = createServer((socket) =>
      socket.on('data', (data) => {
        received.push(String(data));
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      }),
    );
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void squatter.close());
    expect(await meshd(root, 'ask', 'consultant', 'Who are you?')).toMatchObject({
      exit: 5,
      err: expect.stringContaining('Another program answers'),
    });
    expect(received.join('')).not.toMatch(/mk_|authorization|Who are you/i);
    expect(await up(root)).not.toBe(address);
  });

  it('take the next free port in the foreground too', async () => {
    const [first, second] = [project(), project()];
    const { port } = new URL(await up(first));
    await up(second);
    await meshd(second, 'down');
    writeFileSync(join(second, '.mesh/state/port'), `${port}\n`, { mode: 0o600 });
    const child = start(second, ['up', '--foreground']);
    const ended = getOutcome(child);
    const address = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (data) => resolve(String(data).trim())),
    );
    expect(Number(new URL(address).port)).toBeGreaterThan(Number(port));
    child.kill('SIGTERM');
    expect((await ended).err).toContain(`Port ${port} is the daemon of ${basename(first)}`);
  });

  it('run in the foreground on request, and end with the signal', async () => {
    const root = project();
    const child = start(root, ['up', '--port', '0', '--foreground']);
    const ended = getOutcome(child);
    const address = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (data) => resolve(String(data).trim())),
    );
    expect((await fetch(`${address}/health`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ exit: 0, out: `${address}\n` });
    expect(existsSync(join(root, '.mesh/state/daemon.json'))).toBe(false);
  });

  it('stops the daemon in the foreground when the terminal sends Ctrl-C to all its processes', async () => {
    const root = project();
    const child = start(root, ['up', '--port', '0', '--foreground'], {}, true);
    const ended = getOutcome(child);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await ended).toMatchObject({ exit: 0 });
    expect(existsSync(join(root, '.mesh/state/daemon.json'))).toBe(false);
  });

  it('prints the address when no program here opens a browser', async () => {
    const root = project();
    const address = await up(root);
    const bare = { DISPLAY: ':1', PATH: temporaryFolder() };
    const err = 'No browser could be started: open the address yourself.\n';
    expect(await getOutcome(start(root, ['open'], bare))).toEqual({ exit: 0, out: `${address}\n`, err });
    const { exit, out } = await getOutcome(start(root, ['open', '--json'], bare));
    expect([exit, JSON.parse(out)]).toEqual([0, { address, opened: false }]);
  });

  it('starts a project of an early revision with one warning, and exposing there names the way on', async () => {
    const root = project();
    putFiles(root, { '.mesh/STANDARD_VERSION': '28\n' });
    const { exit, out, err } = await meshd(root, 'up', '--port', '0');
    expect([exit, out.trim()]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)]);
    expect(err.match(/Warning/g)).toHaveLength(1);
    expect(err).toContain('`meshd upgrade` raises it');
    const again = JSON.parse((await meshd(root, 'up', '--json')).out) as { warning: string; started: boolean };
    expect(again).toMatchObject({ started: false, warning: expect.stringContaining('revision 28') });
    const exposed = await meshd(root, 'team', 'expose', 'consultant');
    expect([exposed.exit, exposed.err]).toEqual([5, expect.stringContaining('Run `meshd upgrade`')]);
  });
});

describe('asking', () => {
  it('answers from the project with checked citations, and the receipt verifies offline', async () => {
    const root = project();
    await up(root);
    const plain = await meshd(root, 'ask', 'consultant', 'How often is the lamp trimmed?');
    expect(plain.exit, plain.err).toBe(0);
    expect(plain.out).toMatch(/^README\.md:\d+-\d+ ✓$/m);

    const { out } = await getOutcome(
      start(root, ['ask', 'consultant', '-', '--json', '--session', 's1']),
      'How often is the lamp trimmed?\n',
    );
    const record = JSON.parse(out) as AskRecord;
    expect(record.status).toBe('done');
    const listed = await meshd(root, 'requests', 'ls', '--jsonl', '--limit', '1');
    expect(JSON.parse(listed.out)).toMatchObject({
      request_id: record.request_id,
      question: 'How often is the lamp trimmed?',
    });
    const shown = await meshd(root, 'requests', 'show', record.request_id, '--json');
    await meshd(root, 'down');

    expect(await getOutcome(start(root, ['verify', '-']), out)).toMatchObject({
      exit: 0,
      out: `Valid, signed by this daemon: ${record.receipt?.pubkey}.\n`,
    });
    expect(await getOutcome(start(root, ['verify', '-']), shown.out)).toMatchObject({ exit: 0 });
    const tampered = JSON.stringify({ ...record, result_text: `${record.result_text}!` });
    expect(await getOutcome(start(root, ['verify', '-']), tampered)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('answer is not the one'),
    });
  });

  it('reports on interruption that the request continues, with its id', async () => {
    // A listener that proves its identity and then holds the poll, as for a long answer.
    const { createServer: createHttpServer } = await import('node:http');
    const { createHmac } = await import('node:crypto');
    let polled: () => void = () => undefined;
    const isPolled = new Promise<void>((resolve) => {
      polled = resolve;
    });
    const server = createHttpServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://daemon');
      const nonce = url.searchParams.get('nonce');
      if (nonce) response.end(JSON.stringify({ proof: createHmac('sha256', 'hush').update(nonce).digest('hex') }));
      else if (url.pathname === '/team/sage') response.end('{"id":"sage","token":"mk_x"}');
      else if (url.pathname === '/team/sage/ask')
        response.end('{"request_id":"req-long","poll":"/team/requests/req-long"}');
      else polled();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const root = temporaryFolder();
    putFiles(root, {
      '.mesh/state/daemon.json': JSON.stringify({ pid: 1, port, address: `http://127.0.0.1:${port}`, secret: 'hush' }),
    });
    chmodSync(join(root, '.mesh/state/daemon.json'), 0o600);
    ownState(root);
    const child = start(root, ['ask', 'sage', 'Why?']);
    const ended = getOutcome(child);
    await isPolled;
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      exit: 130,
      out: '',
      err: expect.stringContaining('The request goes on: req-long'),
    });
  });
});

describe('with other programs', () => {
  /** Runs a line of bash in which `meshd` is the built program. The line fails if any part of a pipe fails. */
  const inShell = (root: string, line: string) =>
    getOutcome(
      spawn('bash', ['--norc', '-c', `set -o pipefail; meshd() { "$NODE" "$PROGRAM" "$@"; }; ${line}`], {
        cwd: root,
        env: { PATH: process.env['PATH'], NODE: process.execPath, PROGRAM: program },
        stdio: 'pipe',
      }),
    );

  it('accepts a reader that closes the pipe early', async () => {
    const root = temporaryFolder();
    expect(await inShell(root, 'meshd help --json | head -n 1')).toEqual({ exit: 0, out: '{\n', err: '' });
    expect(await inShell(root, 'meshd completion zsh | true')).toMatchObject({ exit: 0, err: '' });
  });

  it.skipIf(!existsSync('/dev/full'))('reports in a sentence that the output could not be written', async () => {
    const { exit, err } = await inShell(temporaryFolder(), 'meshd help > /dev/full');
    expect([exit, err]).toEqual([1, expect.stringMatching(/^meshd: The answer could not be written: .*ENOSPC.*\n$/)]);
  });

  it('prints no colours when stdout is not a terminal', async () => {
    expect((await inShell(temporaryFolder(), 'meshd help; meshd status')).out).not.toContain('\u001b');
  });
});

describe('the roster', () => {
  it('is listed, extended, changed, exposed and closed', async () => {
    const root = project();
    const address = await up(root);
    const list = await meshd(root, 'team', 'ls', '--jsonl');
    expect(list.out.trim().split('\n')).toHaveLength(9);

    writeFileSync(join(root, 'prompt.md'), 'You keep the log.\n');
    expect(
      await meshdHere(root, 'team', 'new', 'logger', '--set', 'name=Logger', '--body-file', join(root, 'prompt.md')),
    ).toMatchObject({ exit: 0 });
    expect(await meshdHere(root, 'team', 'new', 'logger')).toMatchObject({ exit: 6 });
    expect(
      await meshdHere(root, 'team', 'edit', 'logger', '--set', 'effort=high', '--set', 'tools=read,search'),
    ).toMatchObject({ exit: 0 });
    expect(JSON.parse((await meshdHere(root, 'team', 'show', 'logger', '--json')).out)).toMatchObject({
      name: 'Logger',
      effort: 'high',
      tools: ['read', 'search'],
    });
    expect(await meshdHere(root, 'team', 'edit', 'logger', '--set', 'effort=much')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('effort'),
    });

    expect(await meshdHere(root, 'token', 'show', 'logger')).toMatchObject({ exit: 5, out: '' });
    expect(await meshdHere(root, 'team', 'expose', 'logger')).toMatchObject({ exit: 0 });
    const before = (await meshdHere(root, 'token', 'show', 'logger')).out.trim();
    const after = (await meshdHere(root, 'token', 'rotate', 'logger')).out.trim();
    expect([before, after]).toEqual([expect.stringMatching(/^mk_/), expect.stringMatching(/^mk_/)]);
    expect(after).not.toBe(before);
    expect(await meshdHere(root, 'token', 'rotate')).toMatchObject({ exit: 2, out: '' });
    const rotated = (await meshdHere(root, 'token', 'rotate', '--all')).out.trim().split('\n');
    const all = new Map(rotated.map((line) => line.split('\t') as [string, string]));
    expect([...all.keys()].sort()).toEqual(['consultant', 'logger']);
    expect(all.get('logger')).toBe((await meshdHere(root, 'token', 'show', 'logger')).out.trim());
    expect([...all.values()]).not.toContain(after);
    expect(JSON.parse((await meshdHere(root, 'card', 'logger')).out)).toMatchObject({
      name: 'Logger',
      url: `${address}/team/logger`,
    });
    expect(await meshdHere(root, 'token', 'revoke', 'logger')).toMatchObject({ exit: 0 });
    expect(await meshdHere(root, 'card', 'logger')).toMatchObject({ exit: 4 });

    expect(await meshdHere(root, 'team', 'rm', 'logger')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('Remove Logger (logger) with its file and its token?'),
    });
    const text = readFileSync(join(root, '.mesh/team/logger.md'), 'utf8');
    const gone = await meshdHere(root, 'team', 'rm', 'logger', '--yes');
    expect(gone).toMatchObject({ exit: 0, out: 'Removed logger.\n' });
    const [, copy = ''] = /A copy is in (\S+)\. `meshd team restore logger`/.exec(gone.err) ?? [];
    expect(readFileSync(join(root, copy), 'utf8')).toBe(text);
    expect((await meshdHere(root, 'team', 'ls')).err).toContain('Removed in the last 30 days: logger');
    expect(await meshdHere(root, 'team', 'restore', 'logger')).toMatchObject({ exit: 0 });
    expect(readFileSync(join(root, '.mesh/team/logger.md'), 'utf8')).toBe(text);
    await meshdHere(root, 'team', 'rm', 'logger', '--yes');
    expect(await meshdHere(root, 'team', 'rm', 'architect-master')).toMatchObject({ exit: 6 });
    expect(await meshdHere(root, 'team', 'show', 'logger')).toMatchObject({ exit: 4 });
  });

  it("is edited in the operator's editor, and a file that cannot be parsed afterwards is reported", async () => {
    const root = project();
    await up(root);
    const editing = (text: string) => {
      const editor = join(root, 'editor.cjs');
      writeFileSync(editor, `require('node:fs').writeFileSync(process.argv[2], ${JSON.stringify(text)});`);
      return getOutcome(start(root, ['team', 'edit', 'developer'], { EDITOR: `${process.execPath} ${editor}` }));
    };
    expect(await editing('---\nname: Dev\n---\nYou write code.\n')).toMatchObject({
      exit: 0,
      out: 'Edited developer.\n',
    });
    const broken = await editing('---\nname: [Dev\n---\nYou write code.\n');
    expect(broken.exit).toBe(1);
    expect(broken.err).toMatch(/\.mesh\/team\/developer\.md:\d+:\d+: /);
    expect((await meshd(root, 'team', 'restore', 'developer')).exit).toBe(0);
  });

  it('completes member ids from the running daemon', async () => {
    const root = project();
    await up(root);
    expect((await meshd(root, '__complete', 'ask', 'con')).out.split('\n')).toContain('consultant');
  });
});

describe('Node below the floor', () => {
  it('is one sentence with the way on when meshd starts, never a stack trace', async () => {
    const root = temporaryFolder(OLD_NODE);
    const old = { NODE_OPTIONS: `--require ${join(root, 'old-node.cjs')}` };
    const said = 'Node.js v18.20.8 is too old: install Node.js 20.19 or newer, then run the command again.';
    expect(await getOutcome(start(root, ['status'], old))).toEqual({ exit: 78, out: '', err: `meshd: ${said}\n` });
    const json = `${JSON.stringify({ error: 'bad_configuration', message: said })}\n`;
    expect(await getOutcome(start(root, ['status', '--json'], old))).toEqual({ exit: 78, out: json, err: '' });
    const daemon = spawn(process.execPath, [join(repository, 'dist/daemon.js')], { env: old, stdio: 'pipe' });
    expect(await getOutcome(daemon)).toEqual({ exit: 78, out: '', err: `meshd: ${said}\n` });
  });
});

describe('Without HOME, and with a .mesh that is a file', () => {
  /** A bare errno, a stack frame, or the name of a thrown error. */
  const UNEXPLAINED = /\bE[A-Z]{4,}\b|^\s+at |\b[A-Z][a-z]+Error\b/m;

  it('every command says in a folder that is gone that it is, and help needs no folder', async () => {
    const run = (...args: string[]) => {
      const root = temporaryFolder();
      const script = 'rmdir "$PWD" && exec "$@"';
      return getOutcome(spawn('/bin/sh', ['-c', script, 'sh', process.execPath, program, ...args], { cwd: root }));
    };
    const message = 'This folder no longer exists: change to another one.';
    expect(await run('status')).toEqual({ exit: 2, out: '', err: `meshd: ${message}\n` });
    expect(await run()).toMatchObject({ exit: 2, err: `meshd: ${message}\n` });
    const { exit, out } = await run('up', '--json');
    expect([exit, JSON.parse(out)]).toEqual([2, { error: 'bad_root', message }]);
    expect(await run('--version')).toMatchObject({ exit: 0, err: '' });
    expect(await run('up', '--help')).toMatchObject({ exit: 0, out: expect.stringContaining('--foreground') });
  });

  it('every command works or says in one sentence what to do, never with a stack trace or a bare errno', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    const bare = { PATH: process.env['PATH'] };
    const without = (...args: string[]) =>
      getOutcome(spawn(process.execPath, [program, ...args], { cwd: root, env: bare, stdio: 'pipe' }));
    onTestFinished(async () => void (await without('down')));
    expect(await without('up', '--port', '0')).toMatchObject({ exit: 0, out: expect.stringMatching(/^http:/m) });
    expect(await without('status')).toMatchObject({ exit: 0 });
    const outcomes = [await without('backup'), await without('service', 'install'), await without('ls')];
    expect(outcomes.map(({ exit }) => exit)).toEqual([2, expect.any(Number), 0]);
    expect(outcomes[0]?.err).toBe('meshd: Name the file: this user has no home in which backups could be kept.\n');
    for (const { out, err } of outcomes) expect(`${out}${err}`).not.toMatch(UNEXPLAINED);

    const other = temporaryFolder({ '.mesh': 'a file' });
    for (const args of [['up', '--port', '0'], ['status'], ['team', 'ls'], ['backup'], ['doctor']]) {
      const { exit, out, err } = await meshd(other, ...args, '--root', other);
      expect([args, exit === 0 && args[0] !== 'status']).toEqual([args, false]);
      expect(`${out}${err}`, args.join(' ')).not.toMatch(UNEXPLAINED);
    }
  });
});
