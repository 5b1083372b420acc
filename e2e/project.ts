import { type ChildProcess, execFile, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AskAccepted, AskRecord } from '../daemon/contract/asks.js';
import type { MemberDetail } from '../daemon/contract/team.js';
import { HeldGit } from './held-git.js';
import type { ScriptedAgent } from './scripted-agent.js';

/** The build to test. `MESHD_E2E_DIST` selects another one than `dist/`, for example an installed package. */
const DIST = process.env['MESHD_E2E_DIST'] ?? fileURLToPath(new URL('../dist', import.meta.url));
/** The daemon with a clock that tests can move. */
const DAEMON = join(DIST, 'test-daemon.js');
const COMMAND_LINE = join(DIST, 'meshd.js');

const run = promisify(execFile);

const PROJECT: Record<string, string> = {
  'README.md':
    '# Lamp\n\nLamp switches the harbour lights on at dusk and off at dawn.\n\n## Run it\n\nStart it with `npm ' +
    'start`; it listens on port 8123.\n\n## Settings\n\n`LAMP_ANGLE` is the angle of the sun in degrees below ' +
    'which the lights go on; the default is -6.\n',
  'src/dusk.ts':
    'export const DUSK_ANGLE_DEGREES = -6;\n\n/** Whether the sun stands low enough for the lights to go on. ' +
    '*/\nexport function isDusk(angle: number): boolean {\n  return angle < DUSK_ANGLE_DEGREES;\n}\n',
  'src/server.ts':
    "import { isDusk } from './dusk.js';\n\n/** Port of the lamp's own status page. */\nexport const PORT = " +
    "8123;\n\nexport function status(angle: number): string {\n  return isDusk(angle) ? 'on' : 'off';\n}\n",
};

export interface Project {
  root: string;
  address: string;
  port: number;
  write(path: string, text: string): void;
  read(path: string): string;
  git(...args: string[]): string;
  /** Restarts the daemon so that every ask from then on stays at work. */
  holdAnswers(): Promise<void>;
  /** Lets the held asks be answered. */
  releaseAnswers(): void;
  /** Returns the member token that the member's page shows. */
  token(member: string): Promise<string>;
  /** Submits an ask as an external program does, and resolves with the daemon's response. */
  ask(
    member: string,
    text: string,
    more?: { session?: string; context_docs?: { filename: string; content: string }[] },
  ): Promise<AskAccepted>;
  /** Submits an ask as an external program does, and polls its answer. */
  answer(
    member: string,
    text: string,
    more?: { context_docs?: { filename: string; content: string }[] },
  ): Promise<AskRecord>;
  /** Stops the daemon and starts another one on the same port. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts another daemon on the port of one that was killed. */
  start(): Promise<void>;
  /** Advances the daemon's clock by one step: 331 s unless `clockStep` is set. */
  passTime(): void;
  /** Path of the `meshd` program. */
  commandLine: string;
  /** Runs `meshd` in the project as the operator, and resolves with its output. */
  meshd(...args: string[]): Promise<string>;
  api<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
}

/** Author of the commits. No commit is signed, synced to disk or followed by maintenance. */
const GIT_SETTINGS = [
  'user.name=Test',
  'user.email=test@example.invalid',
  'commit.gpgsign=false',
  'core.fsync=none',
  'maintenance.auto=false',
];

/** A running daemon. */
interface Started {
  process: ChildProcess;
  port: number;
}

/** Processes of this worker in which a daemon has ended and another one can start. */
const idle: ChildProcess[] = [];
process.once('exit', () => {
  for (const child of idle) child.kill('SIGKILL');
});

/**
 * Starts a daemon with `options` in an idle process, or in a new one. Where the code has run already, the next daemon
 * starts in less than half of the processor time; it shares nothing with those before it but that code. With
 * `machine`, the process is always new: Node.js reads some variables only when it starts.
 */
function startDaemon(
  options: string[],
  environment: Record<string, string>,
  machine: Record<string, string>,
): Promise<Started> {
  const ownEnvironment = { ...process.env, ...environment, ...machine };
  const used = Object.keys(machine).length === 0 ? idle.pop() : undefined;
  const child =
    used ??
    fork(DAEMON, ['--test-one-after-another'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: ownEnvironment });
  return new Promise((resolve, reject) => {
    const exited = (code: number | null) => reject(new Error(`The daemon ended with ${code}.`));
    child.once('exit', exited);
    child.once('message', (message: { type: string; port: number; message?: string }) => {
      child.off('exit', exited);
      if (message.type === 'listening') resolve({ process: child, port: message.port });
      else reject(new Error(message.message));
    });
    child.send({ type: 'start', options, environment: ownEnvironment });
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) =>
    child.exitCode !== null || child.signalCode !== null ? resolve() : child.once('exit', () => resolve()),
  );
}

/** Repositories with one commit, by their files. Copying one needs no git process. */
const templates = new Map<string, string>();

/** Creates a repository with one commit in a temporary folder. */
function createRepository(folderName: string, files: Readonly<Record<string, string>>) {
  // Ids of agents begin with the name of the project, and `meshd-` is reserved.
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'meshd_e2e-')));
  const root = join(made, folderName);
  mkdirSync(root, { recursive: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: string[]) =>
    execFileSync('git', [...GIT_SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  for (const [path, text] of Object.entries(files)) write(path, text);
  const key = JSON.stringify(files);
  const template = templates.get(key);
  if (template === undefined) {
    git('init', '-q', '-b', 'main', '--template=');
    git('add', '-A');
    git('commit', '-q', '-m', 'Switch the lights');
    const copy = mkdtempSync(join(tmpdir(), 'meshd-e2e-template-'));
    process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
    cpSync(join(root, '.git'), copy, { recursive: true });
    templates.set(key, copy);
  } else cpSync(template, join(root, '.git'), { recursive: true });
  return { made, root, write, read: (path: string) => readFileSync(join(root, path), 'utf8'), git };
}

/** Starts a daemon that can be stopped and started again on the same port. */
async function runDaemon(
  root: string,
  clockStep: number,
  environment: Record<string, string>,
  machine: Record<string, string>,
) {
  const startAt = (port: number) =>
    startDaemon(['--root', root, '--port', String(port), '--test-clock', String(clockStep)], environment, machine);
  let daemon = await startAt(0);
  const { port } = daemon;
  const kill = async (signal: NodeJS.Signals) => {
    daemon.process.kill(signal);
    await ended(daemon.process);
  };
  const start = async () => {
    daemon = await startAt(port);
  };
  const restart = async (signal: NodeJS.Signals = 'SIGTERM') => {
    await kill(signal);
    await start();
  };
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    kill,
    start,
    restart,
    /** Ends the daemon, and keeps its process for the next one unless it has variables of its own. */
    async end() {
      const { process: child } = daemon;
      if (Object.keys(machine).length > 0) return kill('SIGTERM');
      if (child.exitCode !== null || child.signalCode !== null) return;
      const reply = Promise.race([once(child, 'message'), ended(child)]);
      child.send({ type: 'end' });
      if ((await reply) !== undefined) idle.push(child);
    },
    passTime: () => void daemon.process.kill('SIGUSR2'),
  };
}

/** Requests of the operator and of external programs to the daemon. */
function requestsTo(address: string): Pick<Project, 'api' | 'token' | 'ask' | 'answer'> {
  const api: Project['api'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const value = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(value)}`);
    return value as never;
  };
  const token = async (member: string) => (await api<MemberDetail>('GET', `/team/${member}`)).token ?? '';
  const caller = async (member: string) => ({
    authorization: `Bearer ${await token(member)}`,
    'user-agent': 'harbour-clock/2.1',
  });
  const ask: Project['ask'] = async (member, text, more = {}) =>
    api('POST', `/team/${member}/ask`, { text, ...more }, await caller(member));
  return {
    api,
    token,
    ask,
    answer: async (member, text, more = {}) => {
      const { poll } = await ask(member, text, more);
      return api('GET', `${poll}?wait=30`, undefined, await caller(member));
    },
  };
}

/** What a project is started with. */
interface ProjectOptions {
  files: Readonly<Record<string, string>>;
  folderName: string;
  agent: ScriptedAgent;
  clockStep: number;
  machine: Record<string, string>;
}

/** Starts a daemon over a fresh repository. The caller must close it. */
export async function startProject({
  files,
  folderName,
  agent,
  clockStep,
  machine,
}: ProjectOptions): Promise<{ project: Project; close(): Promise<void> }> {
  const { made, root, write, read, git } = createRepository(folderName, { ...PROJECT, ...files });
  const heldGit = new HeldGit();
  // Daemons of one user discover each other through this directory. Those of different tests must not.
  const state = mkdtempSync(join(tmpdir(), 'meshd-e2e-state-'));
  const environment: Record<string, string> = { XDG_STATE_HOME: state, ...agent.environment };
  const daemon = await runDaemon(root, clockStep, environment, machine);
  const project: Project = {
    root,
    write,
    read,
    git,
    ...daemon,
    ...requestsTo(daemon.address),
    commandLine: COMMAND_LINE,
    meshd: async (...args) =>
      (
        await run(process.execPath, [COMMAND_LINE, ...args], {
          cwd: root,
          env: { ...process.env, XDG_STATE_HOME: state },
        })
      ).stdout,
    holdAnswers: () => {
      heldGit.hold();
      environment['PATH'] ??= heldGit.path;
      return daemon.restart();
    },
    releaseAnswers: () => heldGit.release(),
  };
  return {
    project,
    async close() {
      heldGit.release();
      await daemon.end();
      heldGit.close();
      for (const folder of [made, state]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
