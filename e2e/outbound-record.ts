import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOOK = fileURLToPath(new URL('./outbound-hook.cjs', import.meta.url));
/** What leaves a process for a socket, as the kernel is asked for it. */
const CALLS = 'trace=connect,sendto,sendmsg,sendmmsg';
const TRACER_OPTIONS = ['-f', '-qq', '--seccomp-bpf', '-e', CALLS, '-o'] as const;

/** Where a program of this machine lies, or undefined. */
export function programOnPath(name: string): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return places.find((path) => existsSync(path));
}

export interface Deed {
  kind: 'loaded' | 'connect' | 'datagram' | 'lookup' | 'start';
  isMainThread: boolean;
  to?: string;
  port?: number;
  /** A socket of the file system. */
  isLocal?: boolean;
}

const isLoopback = (host: string | undefined) =>
  host !== undefined && /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/.test(host);

/**
 * Whom programs speak to, from two sides: a hook in every Node.js process and worker, and, where it can be used, the system's own trace of it and
 * of all that it starts.
 */
export class OutboundRecord {
  private readonly file: string;
  private readonly hook: string;
  private readonly trace: string;

  constructor(folder: string) {
    this.file = join(folder, 'deeds.jsonl');
    this.trace = join(folder, 'trace');
    writeFileSync(this.file, '');
    // The path is in the program that is loaded: a worker may be given no environment.
    this.hook = join(folder, 'hook.cjs');
    writeFileSync(this.hook, `require(${JSON.stringify(HOOK)})(${JSON.stringify(this.file)});\n`);
  }

  /** Whether processes can be traced here: strace is on the PATH, and this user may trace their own. */
  static canTrace(folder: string): boolean {
    const strace = programOnPath('strace');
    return strace !== undefined && spawnSync(strace, [...TRACER_OPTIONS, join(folder, 'trial'), 'true']).status === 0;
  }

  /** The command that runs `args` with Node.js and is written down. */
  command(args: readonly string[], { isTraced }: { isTraced: boolean }): [string, ...string[]] {
    const node: [string, ...string[]] = [process.execPath, '--require', this.hook, ...args];
    return isTraced ? [programOnPath('strace') ?? 'strace', ...TRACER_OPTIONS, this.trace, ...node] : node;
  }

  deeds(): Deed[] {
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Deed);
  }

  /** Everything that was not meant for this machine's loopback, and every name that was looked up. */
  outbound(): string[] {
    const hooked = this.deeds()
      .filter(({ kind, to, isLocal }) =>
        kind === 'connect' ? !isLocal && !isLoopback(to) : kind === 'lookup' || kind === 'datagram',
      )
      .map(({ kind, to, port }) => `${kind} ${to}${port === undefined ? '' : `:${port}`}`);
    return [...hooked, ...this.tracedCalls().filter(leavesTheMachine)];
  }

  /** Calls of the kernel that name an internet address. */
  tracedCalls(): string[] {
    const lines = existsSync(this.trace) ? readFileSync(this.trace, 'utf8').split('\n') : [];
    return lines.filter((line) => /sa_family=AF_INET6?,/.test(line));
  }
}

function leavesTheMachine(line: string): boolean {
  const [, v4] = /inet_addr\("([^"]+)"\)/.exec(line) ?? [];
  const [, v6] = /inet_pton\(AF_INET6, "([^"]+)"/.exec(line) ?? [];
  return !isLoopback(v4 ?? v6);
}
