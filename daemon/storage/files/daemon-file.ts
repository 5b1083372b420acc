import { rmSync } from 'node:fs';
import type { DaemonFile } from '../../contract/daemon-file.js';
import { readPrivateSync } from '../../private/private-file.js';
import { inState } from '../../private/private-names.js';
import { atomicWrite } from './atomic-write.js';

const pathIn = (state: string) => inState(state, 'daemon.json');

/** Writes what holds while this process runs, and so need not outlive a power failure. */
export async function writeDaemonFile(state: string, content: DaemonFile): Promise<void> {
  await atomicWrite(pathIn(state), `${JSON.stringify(content, null, 2)}\n`, 0o600, { isDurable: false });
}

/** Returns what the last daemon of this project wrote, or undefined. That daemon may have ended. */
export function readDaemonFile(state: string): DaemonFile | undefined {
  try {
    return JSON.parse(String(readPrivateSync(pathIn(state)))) as DaemonFile;
  } catch {
    // Missing, truncated, or not this user's: treated as missing, because the lock is on the database.
    return undefined;
  }
}

export function removeDaemonFile(state: string): void {
  rmSync(pathIn(state), { force: true });
}

/**
 * Returns the port that this project's daemon last listened on, so that bookmarks keep working;
 * undefined before the first start.
 */
export function readRememberedPort(state: string): number | undefined {
  try {
    const port = Number(readPrivateSync(inState(state, 'port')));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

export async function rememberPort(state: string, port: number): Promise<void> {
  if (readRememberedPort(state) === port) return;
  await atomicWrite(inState(state, 'port'), `${port}\n`, 0o600);
}
