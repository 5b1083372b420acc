import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import { CommandError, EXIT } from '../../exit-codes.js';

const SEAL = /meshd-sha256: ([0-9a-f]{64})/;
const BLANK = `meshd-sha256: ${'0'.repeat(64)}`;

/** Replaces the blank seal in `text` by the digest of the text, by which the file is recognized later. */
function seal(text: string): string {
  return text.replace(BLANK, `meshd-sha256: ${sha256Hex(text)}`);
}

/** The text without its seal, and without the variables of the shell in which it was written. */
const withoutVariables = (text: string) =>
  text
    .replace(SEAL, BLANK)
    .replace(/^Environment=.*\n/m, '')
    .replace(/<key>EnvironmentVariables<\/key>\s*<dict>[\s\S]*?<\/dict>/, '');

/** A systemd unit with its seal in the first lines. */
export const sealedUnit = (unit: string) =>
  seal(`# Written by \`meshd service install\`; \`meshd service uninstall\` removes it.\n# ${BLANK}\n${unit}`);

/** A property list with its seal at the end. */
export const sealedPlist = (plist: string) => seal(`${plist}<!-- Written by meshd service install. ${BLANK} -->\n`);

/** How a file relates to what meshd writes there: absent, written by meshd, edited since, or not written by meshd. */
export type SealedFileState = 'absent' | 'ours' | 'edited' | 'foreign';

/**
 * A file outside the project that meshd wrote and may remove. It contains a digest of itself, so that a file which the
 * user wrote or edited is never replaced or removed without `isForced`.
 */
export class SealedFile {
  constructor(readonly path: string) {}

  getState(): SealedFileState {
    const text = this.read();
    if (text === undefined) return 'absent';
    const [, digest] = SEAL.exec(text) ?? [];
    if (digest === undefined) return 'foreign';
    return sha256Hex(text.replace(SEAL, BLANK)) === digest ? 'ours' : 'edited';
  }

  /**
   * Writes the sealed `text`. Returns whether the file changed. Throws `conflict` when the user wrote or edited the
   * file, unless `isForced`.
   */
  write(text: string, isForced: boolean): boolean {
    if (this.read() === text) return false;
    this.requireOurs('replaced', isForced);
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o755 });
    const temporary = `${this.path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      writeFileSync(temporary, text, { mode: 0o644, flag: 'wx' });
      renameSync(temporary, this.path);
    } finally {
      rmSync(temporary, { force: true });
    }
    return true;
  }

  /** Removes the file. Throws `conflict` when the user wrote or edited it, unless `isForced`. */
  remove(isForced: boolean): void {
    this.requireOurs('removed', isForced);
    rmSync(this.path, { force: true });
  }

  /** Throws `conflict` when the user wrote or edited the file, unless `isForced`. */
  requireOurs(deed: 'replaced' | 'removed', isForced: boolean): void {
    const state = this.getState();
    if (isForced || state === 'ours' || state === 'absent') return;
    const how = state === 'edited' ? 'was edited since meshd wrote it' : 'was not written by meshd';
    throw new CommandError(
      EXIT.conflict,
      `${this.path} ${how}, so it is not ${deed}: look at it, then use --force.`,
      'conflict',
    );
  }

  /**
   * Whether meshd wrote the file and would write another one now, `text`, such as one for another Node.js: what it
   * starts is of an earlier installation. A copy of meshd in the cache of npx is none that a service should start.
   */
  isOutdated(text: string): boolean {
    if (this.getState() !== 'ours' || text.includes(`${sep}_npx${sep}`)) return false;
    return withoutVariables(this.read() ?? '') !== withoutVariables(text);
  }

  /** The first file that the service needs and that does not exist, of those that `readCommand` finds in the text. */
  findMissing(readCommand: (text: string) => readonly string[]): string | null {
    const command = readCommand(this.read() ?? '');
    // Node.js and the program; what follows is of the daemon.
    return command.slice(0, Math.max(0, command.indexOf('up'))).find((path) => !existsSync(path)) ?? null;
  }

  /** The text of the file; empty for a link or anything else that is not a regular file. */
  private read(): string | undefined {
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    if (!found) return undefined;
    return found.isFile() ? readFileSync(this.path, 'utf8') : '';
  }
}
