import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOOK = fileURLToPath(new URL('./outbound-hook.cjs', import.meta.url));
/** The system calls that send data to a socket. */
const CALLS = 'trace=connect,sendto,sendmsg,sendmmsg';
const TRACER_OPTIONS = ['-f', '-qq', '--seccomp-bpf', '-e', CALLS, '-o'] as const;

/** Returns the path of a program on the PATH, or undefined. */
export function programOnPath(name: string): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return places.find((path) => existsSync(path));
}

interface ProcessAction {
  kind: 'loaded' | 'connect' | 'datagram' | 'lookup' | 'start';
  isMainThread: boolean;
  to?: string;
  port?: number;
  /** A Unix domain socket. */
  isLocal?: boolean;
}

const isLoopback = (host: string | undefined) =>
  host !== undefined && /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/.test(host);

/**
 * Records whom programs contact, in two ways: with a hook in every Node.js process and worker, and, if available, with
 * strace of the process and all its children.
 */
export class OutboundRecord {
  private readonly file: string;
  private readonly hook: string;
  private readonly trace: string;

  constructor(folder: string) {
    this.file = join(folder, 'deeds.jsonl');
    this.trace = join(folder, 'trace');
    writeFileSync(this.file, '');
    // The path is written into the hook itself, because a worker may get no environment.
    this.hook = join(folder, 'hook.cjs');
    writeFileSync(this.hook, `require(${JSON.stringify(HOOK)})(${JSON.stringify(this.file)});\n`);
  }

  /** Reports whether processes can be traced: strace is on the PATH, and this user may trace their own processes. */
  static canTrace(folder: string): boolean {
    const strace = programOnPath('strace');
    return strace !== undefined && spawnSync(strace, [...TRACER_OPTIONS, join(folder, 'trial'), 'true']).status === 0;
  }

  /** Returns the command that runs `args` with Node.js and records it. */
  command(args: readonly string[], { isTraced }: { isTraced: boolean }): [string, ...string[]] {
    const node: [string, ...string[]] = [process.execPath, '--require', this.hook, ...args];
    return isTraced ? [programOnPath('strace') ?? 'strace', ...TRACER_OPTIONS, this.trace, ...node] : node;
  }

  deeds(): ProcessAction[] {
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ProcessAction);
  }

  /** Returns every contact outside the loopback interface, and every name lookup. */
  outbound(): string[] {
    const hooked = this.deeds()
      .filter(({ kind, to, isLocal }) =>
        kind === 'connect' ? !isLocal && !isLoopback(to) : kind === 'lookup' || kind === 'datagram',
      )
      .map(({ kind, to, port }) => `${kind} ${to}${port === undefined ? '' : `:${port}`}`);
    return [...hooked, ...this.tracedCalls().filter(leavesTheMachine)];
  }

  /** Returns the traced system calls with an internet address. */
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
