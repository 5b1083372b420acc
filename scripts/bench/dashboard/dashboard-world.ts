import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { WebSocket } from 'ws';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { chromiumLaunch } from '../../../e2e/chromium.js';
import { ScriptedAgent } from '../../../e2e/scripted-agent.js';

const daemonProgram = process.env['MESHD_E2E_DIST']
  ? join(process.env['MESHD_E2E_DIST'], 'daemon.js')
  : fileURLToPath(new URL('../../../dist/daemon.js', import.meta.url));

/** A daemon over a small repository, a browser that shows its dashboard, and the clients that produce load. */
export class DashboardWorld {
  readonly agent = new ScriptedAgent('claude-code');
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-bench-dashboard-')));
  private readonly state = mkdtempSync(join(tmpdir(), 'meshd-bench-dashboard-state-'));
  private readonly sockets: WebSocket[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private daemon: ChildProcess | undefined;
  private browser: Browser | undefined;
  address = '';

  static async start(): Promise<DashboardWorld> {
    const world = new DashboardWorld();
    writeFileSync(join(world.root, 'README.md'), '# Lamp\n\nLamp switches the harbour lights on at dusk.\n');
    execFileSync('git', ['init', '-q'], { cwd: world.root });
    await world.startDaemon();
    world.browser = await chromium.launch(chromiumLaunch);
    return world;
  }

  private startDaemon(): Promise<void> {
    const daemon = fork(daemonProgram, ['--root', this.root, '--port', '0'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Daemons of one user find each other through this folder; this daemon must not join them.
      env: { ...process.env, XDG_STATE_HOME: this.state, ...this.agent.environment },
    });
    this.daemon = daemon;
    return new Promise((resolve, reject) => {
      daemon.once('message', (word: { type: string; address: string; message?: string }) => {
        this.address = word.address;
        if (word.type === 'listening') resolve();
        else reject(new Error(word.message));
      });
      daemon.once('exit', (exit) => reject(new Error(`The daemon ended with ${exit}.`)));
    });
  }

  private async stopDaemon(): Promise<void> {
    const daemon = this.daemon;
    if (!daemon || daemon.exitCode !== null) return;
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill('SIGTERM');
    await ended;
  }

  /** Runs `work` on the database while no daemon has it open. */
  async betweenDaemons(work: (database: string) => void): Promise<void> {
    await this.stopDaemon();
    work(join(this.root, '.mesh/state/mesh.db'));
    await this.startDaemon();
  }

  async api<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Asks the consultant as another program does. */
  async ask(text: string): Promise<{ request_id: string; poll: string }> {
    const { token } = await this.api<MemberDetail>('GET', '/team/consultant');
    return this.api('POST', '/team/consultant/ask', { text }, { authorization: `Bearer ${token}` });
  }

  /** Creates a cluster and saves it for the operator. Returns its id. */
  async room(): Promise<string> {
    const made = await this.api<ClusterCreated>('POST', '/v1/clusters', { name: 'Harbour crew', visibility: 'public' });
    await this.api('POST', '/rooms', { cluster_id: made.cluster_id, admin_token: made.admin_token });
    return made.cluster_id;
  }

  private async seat(cluster: string, name: string): Promise<WebSocket> {
    const socket = new WebSocket(
      `${this.address.replace('http', 'ws')}/v1/clusters/${cluster}/ws?agent=${name}&vis=public`,
    );
    this.sockets.push(socket);
    await new Promise((resolve, reject) => {
      socket.once('message', resolve);
      socket.once('error', reject);
    });
    return socket;
  }

  /** Joins the cluster as another member. Resolves with a function that sends messages. */
  async speaker(cluster: string, name: string): Promise<(payload: unknown) => void> {
    const socket = await this.seat(cluster, name);
    return (payload) => socket.send(JSON.stringify({ payload }));
  }

  /**
   * Joins the cluster as a member that only listens. Resolves with a function that waits until the given number of
   * messages was received.
   */
  async listener(cluster: string): Promise<(lines: number) => Promise<void>> {
    const socket = await this.seat(cluster, 'listener');
    let received = 0;
    let told: (() => void) | undefined;
    socket.on('message', (text) => {
      if ('payload' in JSON.parse(text.toString())) received += 1;
      told?.();
    });
    return (lines) =>
      new Promise((resolve) => {
        told = () => received >= lines && resolve();
        told();
      });
  }

  /** Calls `speak` `perSecond` times a second, evenly, even if timers are late. Returns a function that stops it. */
  steadily(perSecond: number, speak: (count: number) => void): () => void {
    const started = performance.now();
    let said = 0;
    const timer = setInterval(() => {
      for (const due = Math.floor(((performance.now() - started) * perSecond) / 1_000); said < due; said += 1)
        speak(said);
    }, 5);
    this.timers.push(timer);
    return () => clearInterval(timer);
  }

  /**
   * Starts `count` conversations whose answers stream for `seconds`. Resolves when the first text of each has arrived.
   */
  async streams(count: number, seconds: number, everyMs: number): Promise<string[]> {
    this.agent.plays({ stamps: { count: Math.ceil((seconds * 1_000) / everyMs), everyMs } });
    const events = new WebSocket(`${this.address.replace('http', 'ws')}/events`);
    this.sockets.push(events);
    const speaking = new Set<string>();
    const allSpeak = new Promise<void>((resolve, reject) => {
      events.once('error', reject);
      events.on('message', (text) => {
        const { type, conv } = JSON.parse(text.toString()) as { type: string; conv?: string };
        if (type === 'turn.delta' && conv !== undefined) speaking.add(conv);
        if (speaking.size === count) resolve();
      });
    });
    await once(events, 'open');
    const begun: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const { conv } = await this.api<{ conv: string }>('POST', '/conversations', { member: 'developer' });
      await this.api('POST', `/conversations/${conv}/messages`, { text: `Tell me about part ${at}` });
      begun.push(conv);
    }
    await allSpeak;
    events.close();
    return begun;
  }

  newPage(): Promise<Page> {
    if (!this.browser) throw new Error('There is no browser yet.');
    return this.browser.newPage({ viewport: { width: 1280, height: 800 } });
  }

  /** Opens a page of the dashboard and waits until its event socket is connected. */
  async open(page: Page, path = ''): Promise<void> {
    await page.goto(`${this.address}/app${path}`);
    await page
      .getByRole('status')
      .filter({ hasText: /^Live$/ })
      .waitFor();
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    for (const socket of this.sockets) socket.terminate();
    await this.browser?.close();
    this.daemon?.removeAllListeners('exit');
    await this.stopDaemon();
    this.agent.close();
    for (const folder of [this.root, this.state]) rmSync(folder, { recursive: true, force: true });
  }
}
