import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { findLockHolderPid } from '../../../private/lock-holder.js';

interface ProcessOnMachine {
  pid: number;
  /** The name of its program. */
  name: string;
}

const LISTENING = '0A';

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    // Not available on this system.
    return [];
  }
}

function readProcessName(pid: number): string {
  const words = readLines(`/proc/${pid}/cmdline`)[0]?.split('\0').filter(Boolean) ?? [];
  // The arguments of another program may contain secrets; its name, and that of its script, do not.
  const base = (path: string) => path.split('/').at(-1) ?? path;
  const [program, script] = words;
  if (program === undefined) return readLines(`/proc/${pid}/comm`)[0] ?? 'unknown';
  const isScript =
    script !== undefined && !script.startsWith('-') && /^(node|python|ruby|bun|deno)/.test(base(program));
  return isScript ? `${base(program)} ${base(script)}` : base(program);
}

/** The inode numbers of the sockets that listen on `port`. */
function listeners(port: number): Set<string> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readLines).map((line) => line.trim().split(/\s+/));
  return new Set(rows.filter((row) => row[1]?.endsWith(wanted) && row[3] === LISTENING).map((row) => row[9] ?? ''));
}

/** The target of a file descriptor of a process; undefined when it has been closed. */
function readLinkTarget(pid: number, fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return undefined;
  }
}

function hasSocketOf(pid: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const socket = /^socket:\[(\d+)\]$/.exec(readLinkTarget(pid, fd) ?? '')?.[1];
      return socket !== undefined && sockets.has(socket);
    });
  } catch {
    // The process has ended, or belongs to another user, whose descriptors are not readable.
    return false;
  }
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/**
 * Finds the program that listens on `port` of this machine. Returns `unknown` when its process cannot be identified,
 * undefined when none listens or the system does not provide the information.
 */
export function findPortOwner(port: number): ProcessOnMachine | 'unknown' | undefined {
  const sockets = listeners(port);
  if (sockets.size === 0) return undefined;
  const pid = processes().find((one) => hasSocketOf(one, sockets));
  return pid === undefined ? 'unknown' : { pid, name: readProcessName(pid) };
}

/**
 * Finds the process of this user that holds a lock on the file at `path`. Returns undefined when none does or the
 * system does not provide the information.
 */
export function findLockHolder(path: string): ProcessOnMachine | undefined {
  const pid = findLockHolderPid(path);
  return pid === undefined ? undefined : { pid, name: readProcessName(pid) };
}

/** A process in words. */
export const formatPortOwner = (owner: ProcessOnMachine | 'unknown') =>
  owner === 'unknown' ? 'a program of another user' : `${owner.name} (pid ${owner.pid})`;
