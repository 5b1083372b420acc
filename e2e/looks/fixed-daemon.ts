import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { ScriptedAgent } from '../scripted-agent.js';

const DAEMON = join(
  process.env['MESHD_E2E_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url)),
  'test-daemon.js',
);
const WORLD = fileURLToPath(new URL('./fixed-world.cjs', import.meta.url));

/** The address that the daemon reports, wherever it listens. */
const SHOWN = '127.0.0.1:4747';

/** The initial time of the daemon, in epoch milliseconds. */
const START_MS = Date.UTC(2026, 10, 18, 7, 12, 0);

interface Listening {
  port: number;
  realPort: number;
}

/**
 * A real daemon in a deterministic environment: its ids, keys, tokens, reported port and time are the same on every
 * run. Its time advances only through `pass`. The caller that starts one must close it.
 */
export class FixedDaemon {
  readonly address = `http://${SHOWN}`;
  readonly agent = new ScriptedAgent('claude-code', { resumesSilently: true });
  readonly root: string;
  private passedMs = 0;
  private child: ChildProcess | undefined;
  private realPort = 0;
  private readonly sockets: WebSocket[] = [];

  /** Pages show paths in the folder, so its name is fixed. It must not exist: another run would use it too. */
  private constructor(private readonly folder: string) {
    mkdirSync(folder);
    this.root = join(folder, 'lamp');
  }

  /** Starts a daemon in a repository with `files`. Throws the daemon's output when it does not start. */
  static async start(name: string, files: Readonly<Record<string, string>>): Promise<FixedDaemon> {
    const daemon = new FixedDaemon(join(realpathSync(tmpdir()), `meshd-looks-${name}`));
    for (const [path, text] of Object.entries(files)) daemon.write(path, text);
    daemon.git('init', '-q', '-b', 'main');
    daemon.git('add', '-A');
    daemon.git('commit', '-q', '-m', 'Switch the lights');
    await daemon.run();
    return daemon;
  }

  /** Browser arguments that map the reported address to the real one. */
  get browserArgs(): string[] {
    return [`--host-resolver-rules=MAP ${SHOWN} 127.0.0.1:${this.realPort}`];
  }

  /** The daemon's time in epoch milliseconds. */
  get nowMs(): number {
    return START_MS + this.passedMs;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  git(...args: string[]): void {
    const when = new Date(this.nowMs).toISOString();
    execFileSync(
      'git',
      ['-c', 'user.name=Ada', '-c', 'user.email=ada@lamp.example', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: this.root,
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when },
      },
    );
  }

  /** Advances the daemon's time. Whatever falls due starts. */
  async pass(ms: number): Promise<void> {
    const passed = once(this.child as ChildProcess, 'message');
    this.child?.send({ ms });
    await passed;
    this.passedMs += ms;
  }

  /**
   * Sends a request as another program. Throws the response body for a status other than 2xx, or other than `status` if
   * given.
   */
  async api<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    status?: number,
  ): Promise<T> {
    const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(
        {
          method,
          path,
          port: this.realPort,
          host: '127.0.0.1',
          headers: { host: SHOWN, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (piece) => {
            text += piece;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
    const isExpected = status === undefined ? answer.status < 300 : answer.status === status;
    if (!isExpected) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as T;
  }

  /** Connects another participant to the Wall of a cluster until the daemon is closed. */
  async join(
    cluster: string,
    agent: string,
    { token, vis = 'public' }: { token?: string; vis?: string } = {},
  ): Promise<WebSocket> {
    const query = new URLSearchParams({ agent, vis });
    const socket = new WebSocket(`ws://127.0.0.1:${this.realPort}/v1/clusters/${cluster}/ws?${query}`, {
      headers: { host: SHOWN, ...(token === undefined ? {} : { 'x-cluster-token': token }) },
    });
    this.sockets.push(socket);
    await once(socket, 'message');
    return socket;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.terminate();
    this.agent.close();
    const { child } = this;
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    const child = fork(DAEMON, ['--root', this.root, '--port', '0', '--test-clock', '1'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--require', WORLD],
      env: {
        ...process.env,
        ...this.agent.environment,
        XDG_STATE_HOME: join(this.folder, 'state'),
        HOME: join(this.folder, 'home'),
        MESHD_E2E_START: String(START_MS),
        MESHD_E2E_PORT: SHOWN.split(':')[1],
      },
    });
    this.child = child;
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The daemon ended with ${code}.`);
    });
    ended.catch(() => undefined);
    const [said] = (await Promise.race([once(child, 'message'), ended])) as [
      Listening & { type: string; message?: string },
    ];
    if (said.type !== 'listening') throw new Error(said.message);
    this.realPort = said.realPort;
  }
}
