import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aFreePort } from './free-port.js';

/** Whether the program `nats-server` is on the PATH. Tests that need it are skipped where it is not. */
export const hasNatsServer = spawnSync('nats-server', ['--version']).status === 0;
/** The title of those tests says what is missing. */
export const NATS_NEEDED = hasNatsServer ? '' : ' (not run: nats-server is not installed)';

const START_MS = 20_000;

interface NatsProcess {
  name: string;
  port: number;
  process: ChildProcess;
}

/** Servers of one NATS cluster on 127.0.0.1, each a process of its own, with JetStream in a temporary folder. */
export class NatsServers {
  /** Where they store everything, each in a folder of its own. */
  readonly folder = mkdtempSync(join(tmpdir(), 'meshd-nats-'));
  private readonly running = new Map<string, NatsProcess>();
  private readonly arguments = new Map<string, { port: number; args: string[] }>();

  private constructor(private readonly scheme: 'nats' | 'tls') {}

  /**
   * Starts `count` servers and resolves once each accepts connections. With the files of a certificate they take
   * encrypted connections only. `config` is a configuration file, read again at each start.
   */
  static async start(count: number, tls?: { cert: string; key: string }, config?: string): Promise<NatsServers> {
    const servers = new NatsServers(tls ? 'tls' : 'nats');
    const ports = await Promise.all(Array.from({ length: 2 * count }, () => aFreePort()));
    const routes = ports.slice(count).map((port) => `nats-route://127.0.0.1:${port}`);
    for (let index = 0; index < count; index += 1) {
      const name = `n${index + 1}`;
      const port = ports[index] as number;
      const args = ['--addr', '127.0.0.1', '--port', String(port), '--name', name, '--jetstream'];
      args.push('--store_dir', join(servers.folder, name));
      if (config !== undefined) args.push('--config', config);
      if (tls) args.push('--tls', '--tlscert', tls.cert, '--tlskey', tls.key);
      if (count > 1)
        args.push('--cluster_name', 'test', '--cluster', routes[index] as string, '--routes', routes.join(','));
      servers.arguments.set(name, { port, args });
    }
    await Promise.all([...servers.arguments.keys()].map((name) => servers.startOne(name)));
    return servers;
  }

  /** The addresses as the operator types them. */
  get url(): string {
    return [...this.arguments.values()].map(({ port }) => `${this.scheme}://127.0.0.1:${port}`).join(',');
  }

  async startOne(name: string): Promise<void> {
    const { port, args } = this.arguments.get(name) as { port: number; args: string[] };
    mkdirSync(join(this.folder, name), { recursive: true });
    const process = spawn('nats-server', args, { stdio: 'ignore' });
    this.running.set(name, { name, port, process });
    await waitForPort(port, performance.now() + START_MS);
  }

  /** Kills a server with SIGKILL and resolves once it is gone. */
  async kill(name: string): Promise<void> {
    const server = this.running.get(name);
    if (!server) return;
    this.running.delete(name);
    const gone = new Promise((resolve) => server.process.once('exit', resolve));
    server.process.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.keys()].map((name) => this.kill(name)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function waitForPort(port: number, endMs: number): Promise<void> {
  while (!(await canConnect(port))) {
    if (performance.now() > endMs) throw new Error(`nats-server does not listen on port ${port}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
