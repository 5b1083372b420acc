import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { lstat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MeshError, systemCode } from '../lib/errors.js';
import { readPrivate } from '../private/private-file.js';
import { inCredentials, inState } from '../private/private-names.js';
import { atomicWrite, ensureDirectory } from './files/atomic-write.js';

/** Revision of the local conventions that this version implements. Contract: Files. */
export const STANDARD_VERSION = 30;

const IGNORED = ['credentials/', 'state/'];

/**
 * The project's `.mesh` folder and the files in it that belong to no feature. Everything in it except `credentials/`
 * and `state/` is committed with the repository, so it is untrusted: links are not followed.
 */
export class MeshFolder {
  readonly path: string;
  readonly team: string;
  readonly credentials: string;
  readonly state: string;

  constructor(readonly root: string) {
    this.path = join(root, '.mesh');
    this.team = join(this.path, 'team');
    this.credentials = join(this.path, 'credentials');
    this.state = join(this.path, 'state');
  }

  /** Throws `forbidden` when one of the folders is a link or a file. */
  async refuseLinks(): Promise<void> {
    for (const path of [this.path, this.team, this.credentials, this.state]) await refuseLink(path);
  }

  /**
   * Creates what is missing: the folders (0700 for secrets and state) and the ignore files that keep them out of git.
   * Throws `forbidden` for links in their place.
   */
  async prepare(): Promise<void> {
    await this.refuseLinks();
    await ensureDirectory(this.path, 'usual');
    await ensureDirectory(this.credentials, 0o700);
    await ensureDirectory(this.state, 0o700);
    const ignore = join(this.path, '.gitignore');
    // Byte by byte: a comment may be in another encoding.
    const text = (await readText(ignore, 'latin1')) ?? '';
    const missing = IGNORED.filter((line) => !text.split(/\r?\n/).includes(line));
    if (missing.length > 0)
      await atomicWrite(
        ignore,
        Buffer.from(`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`, 'latin1'),
        'usual',
      );
    // `.mesh/.gitignore` is a file of one branch: another branch or `git stash -u` takes it away.
    for (const own of [inCredentials(this.credentials, '.gitignore'), inState(this.state, '.gitignore')])
      if ((await readPrivate(own)) !== '*\n') await atomicWrite(own, '*\n', 0o600);
  }

  /**
   * Returns the revision of the local conventions that the repository declares. Writes the
   * newest one when none is declared.
   */
  async standardVersion(): Promise<number> {
    const path = join(this.path, 'STANDARD_VERSION');
    const text = await readText(path);
    if (text === undefined) {
      await atomicWrite(path, `${STANDARD_VERSION}\n`, 'usual');
      return STANDARD_VERSION;
    }
    const version = /^\s*(\d{1,6})\s*$/.exec(text)?.[1];
    if (version === undefined) {
      throw new MeshError(
        'bad_request',
        '.mesh/STANDARD_VERSION must hold one integer: run "meshd upgrade" to set it.',
      );
    }
    return Number(version);
  }

  /**
   * Writes `.mesh/INSTRUCTIONS.md` when it is missing and keeps the managed block in it current. The text around the
   * block belongs to the operator and is not changed.
   */
  async keepInstructions(block: string): Promise<void> {
    const path = join(this.path, 'INSTRUCTIONS.md');
    // Byte by byte, since the operator's text may be in another encoding.
    const text = await readText(path, 'latin1');
    const next = withManagedBlock(text, Buffer.from(block).toString('latin1'));
    if (next !== text) await atomicWrite(path, Buffer.from(next, 'latin1'), 'usual');
  }
}

const BEGIN = '<!-- meshd:begin (this block is kept by meshd; write outside it) -->';
const END = '<!-- meshd:end -->';

/** Returns `text` with its managed block replaced by `block`, or with the block appended when it has none. */
export function withManagedBlock(text: string | undefined, block: string): string {
  const managed = `${BEGIN}\n${block.trim()}\n${END}`;
  if (text === undefined) return `# How to work in this project\n\n${managed}\n`;
  const start = text.indexOf(BEGIN);
  const end = text.indexOf(END, start);
  if (start === -1 || end === -1) return `${text}${text.endsWith('\n') ? '' : '\n'}\n${managed}\n`;
  return text.slice(0, start) + managed + text.slice(end + END.length);
}

async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw new MeshError(
      'forbidden',
      `${path} must be a directory of this project, not a link or a file: replace it and start again.`,
    );
  }
}

/**
 * Returns the text of a regular file, or undefined when it does not exist. Throws `forbidden` for a
 * link or another kind of file, and `bad_request` for what is not in the encoding: written back, it would be lost.
 */
export async function readText(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw new MeshError('forbidden', `${path} must be a regular file.`);
      const bytes = await readFile(file);
      if (encoding === 'utf8' && !isUtf8(bytes))
        throw new MeshError('bad_request', `${path} is not UTF-8: save it as UTF-8.`);
      return bytes.toString(encoding);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ELOOP')
      throw new MeshError('forbidden', `${path} must be a regular file, not a link: replace it and start again.`);
    throw error;
  }
}
