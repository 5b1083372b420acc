import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../cli/environment.js';
import { COMPLETE } from '../../cli/help/completion-scripts.js';
import { run } from '../../cli/program.js';
import { Terminal } from '../../cli/terminal.js';
import type { Conversation } from '../../contract/conversations.js';
import type { Client, Decide, Turn, TurnEvent } from '../../features/clients/client.js';
import { type TestApp, testApp } from '../apps/test-app.js';
import { FakeClock } from '../fake-clock.js';
import { putFiles } from '../temporary-folder.js';
import { PLAIN_ENVIRONMENT } from './recorded-terminal.js';
import type { ScriptedAgent } from './scripted-agent.js';

/** The command line as it is in the sources. */
const ENTRY = new URL('../../cli/meshd.ts', import.meta.url).href;
/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../../../dist/meshd.js', import.meta.url));
const ENVIRONMENT: Environment = { ...PLAIN_ENVIRONMENT, patienceMs: 30_000 };

/**
 * Starts a daemon that the command line finds. Its members run on `clients`, or on the built-in search when none are
 * given.
 */
export async function daemon(...clients: Client[]): Promise<TestApp> {
  const app = await testApp({ clients, clock: new FakeClock(Date.now()) });
  beFound(app);
  return app;
}

/** A daemon, or a server that stands in for one. */
interface Findable {
  root: string;
  address: string;
  daemon: { secret: string };
}

/** Writes the file by which the command line finds the daemon. */
export function beFound({ root, address, daemon: { secret } }: Findable): void {
  const file = { pid: process.pid, port: Number(new URL(address).port), address, secret };
  putFiles(root, { '.mesh/state/daemon.json': JSON.stringify(file) });
  chmodSync(join(root, '.mesh/state/daemon.json'), 0o600);
}

/** A running command line with its output so far and its input. */
export class Session {
  out = '';
  err = '';
  readonly stdin = new PassThrough();
  exit: Promise<number> = Promise.resolve(-1);
  private wake: () => void = () => undefined;

  constructor(
    readonly root: string,
    private readonly isAtTerminal: boolean,
    private readonly environment: Partial<Environment> = {},
    private readonly isSeen = false,
  ) {
    if (isAtTerminal) Object.assign(this.stdin, { isTTY: true });
    else this.stdin.end();
  }

  start(args: readonly string[]): this {
    const into = (name: 'out' | 'err') =>
      new Writable({
        write: (chunk, _encoding, done) => {
          this[name] += String(chunk);
          this.wake();
          done();
        },
      });
    const terminal = new Terminal(
      Object.assign(into('out'), { isTTY: this.isSeen }),
      Object.assign(into('err'), { isTTY: this.isAtTerminal }),
      { ...ENVIRONMENT, ...this.environment },
      this.stdin as unknown as Readable,
    );
    this.exit = run([...args, '--root', this.root], terminal, ENTRY);
    return this;
  }

  type(text: string): void {
    this.stdin.write(text);
  }

  /** Resolves when `pattern` occurs in the output after the last awaited match. */
  async until(stream: 'out' | 'err', pattern: RegExp): Promise<void> {
    for (;;) {
      const match = pattern.exec(this[stream].slice(this.seen[stream]));
      if (match) {
        this.seen[stream] += match.index + match[0].length;
        return;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private readonly seen = { out: 0, err: 0 };
}

export interface CommandOutput {
  exit: number;
  out: string;
  err: string;
}

/** Runs a command line with its own environment. */
export async function meshdIn(
  root: string,
  environment: Partial<Environment>,
  ...args: string[]
): Promise<CommandOutput> {
  const session = new Session(root, false, environment).start(args);
  const exit = await session.exit;
  return { exit, out: session.out, err: session.err };
}

export const meshd = (root: string, ...args: string[]): Promise<CommandOutput> => meshdIn(root, {}, ...args);

/** Runs a command line with `typed` piped into its stdin. */
export async function meshdPiped(root: string, typed: string, ...args: string[]): Promise<CommandOutput> {
  const session = new Session(root, true);
  Object.assign(session.stdin, { isTTY: false });
  session.stdin.end(typed);
  const exit = await session.start(args).exit;
  return { exit, out: session.out, err: session.err };
}

/** Returns the completions that the shell gets for the last word of a line. */
export async function completed(root: string, ...line: string[]): Promise<string[]> {
  let out = '';
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      out += String(chunk);
      done();
    },
  });
  await run([COMPLETE, '--root', root, ...line], new Terminal(stdout, stdout, ENVIRONMENT), ENTRY);
  return out.trim().split('\n');
}

export const atTerminal = (root: string, ...args: string[]) => new Session(root, true).start(args);
/** Starts a command line at a terminal whose stdout is also the terminal: nothing is redirected. */
export const onScreen = (root: string, ...args: string[]) => new Session(root, true, {}, true).start(args);
export const conversations = async (app: TestApp) =>
  ((await app.call('GET', '/conversations')).body as { conversations: Conversation[] }).conversations;

/** Reads a file, requests permission to write one, and reports the decision. */
export async function* asksFirst(
  _turn: Turn,
  signal: AbortSignal,
  _agent: ScriptedAgent,
  decide: Decide,
): AsyncIterable<TurnEvent> {
  yield { type: 'text', text: 'Looking. ' };
  yield { type: 'tool', call: { id: 'c1', name: 'Read', target: 'src/dusk.ts', state: 'running' } };
  yield { type: 'tool', call: { id: 'c1', name: 'Read', target: 'src/dusk.ts', state: 'done', ms: 3 } };
  const decision = await decide({ tool: 'Edit', target: 'src/dusk.ts', reason: 'to set the angle' });
  signal.throwIfAborted();
  yield { type: 'text', text: decision };
  yield { type: 'end', citations: [] };
}

/** A terminal that discards its output. */
export const silent = () => {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Terminal(nowhere, nowhere, ENVIRONMENT, Readable.from([]));
};
