import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import Value from 'typebox/value';
import {
  BACKUP_FILE_MAX_BYTES,
  BACKUP_FORMAT,
  BACKUP_MANIFEST_MAX_BYTES,
  type BackupFile,
  BackupManifest,
} from '../contract/backups.js';
import { getErrorMessage, MeshError, systemCode } from '../lib/errors.js';
import { computePadding, readTarHeader, TAR_BLOCK, type TarEntry } from '../lib/text/ustar.js';
import { isPlainPath } from '../storage/members/agent-files.js';
import { DATABASE, isRestorable } from './backup-files.js';

export const MANIFEST = 'meshd-backup.json';

/** Returns the archive name of a file below `.mesh`. */
export const toEntryPath = (path: string): string => `.mesh/${path}`;

const refused = (how: string) => new MeshError('bad_request', `This is no whole backup of meshd: ${how}.`);

/** Reads a stream of bytes in chunks of the requested size. */
class ChunkReader {
  private readonly pieces: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  /** Returns up to `limit` bytes; none at the end. */
  private async next(limit: number): Promise<Buffer> {
    while (this.rest.length === 0) {
      const { value, done } = await this.pieces.next();
      if (done) return this.rest;
      this.rest = value;
    }
    const portion = this.rest.subarray(0, limit);
    this.rest = this.rest.subarray(portion.length);
    return portion;
  }

  /** Yields exactly `count` bytes in portions. Throws `bad_request` when the stream ends before. */
  async *take(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const portion = await this.next(left);
      if (portion.length === 0) throw refused('it ends too early');
      left -= portion.length;
      yield portion;
    }
  }

  async whole(count: number): Promise<Buffer> {
    const portions: Buffer[] = [];
    for await (const portion of this.take(count)) portions.push(portion);
    return Buffer.concat(portions);
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.next(1)).length === 0;
  }
}

async function readHeader(portions: ChunkReader): Promise<TarEntry> {
  const entry = readTarHeader(await portions.whole(TAR_BLOCK));
  if (!entry) throw refused('it holds something else than plain files');
  return entry;
}

async function skipZeros(portions: ChunkReader, count: number): Promise<void> {
  for await (const portion of portions.take(count))
    if (portion.some((byte) => byte !== 0)) throw refused('there are bytes between its files');
}

/**
 * Reads and checks the manifest, the first file of the backup: every path must be a plain path that a backup may
 * contain, and none may occur twice.
 */
async function readManifest(portions: ChunkReader): Promise<BackupManifest> {
  const { path, bytes } = await readHeader(portions);
  if (path !== MANIFEST || bytes > BACKUP_MANIFEST_MAX_BYTES) throw refused(`it does not begin with ${MANIFEST}`);
  let manifest: unknown;
  try {
    manifest = JSON.parse((await portions.whole(bytes)).toString('utf8'));
  } catch (error) {
    throw error instanceof MeshError ? error : refused(`${MANIFEST} is not JSON`);
  }
  await skipZeros(portions, computePadding(bytes));
  const format = (manifest as Partial<BackupManifest> | null)?.format;
  if (typeof format === 'number' && format > BACKUP_FORMAT)
    throw new MeshError(
      'bad_request',
      `The backup is of a later format (${format}, this meshd knows ${BACKUP_FORMAT}): install a newer version.`,
    );
  if (!Value.Check(BackupManifest, manifest)) throw refused(`${MANIFEST} does not say what it should`);
  const names = new Set<string>();
  for (const file of manifest.files) {
    const isLarge = file.path !== DATABASE && file.bytes > BACKUP_FILE_MAX_BYTES;
    const isForeign = !isPlainPath(file.path) || !isRestorable(file.path, manifest.credentials);
    if (isLarge || isForeign || names.has(file.path)) throw refused(`it may not hold ${JSON.stringify(file.path)}`);
    names.add(file.path);
  }
  for (const name of names) {
    for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', slash + 1))
      if (names.has(name.slice(0, slash)))
        throw refused(`it may not hold ${JSON.stringify(name)} and a file in the place of its folder`);
  }
  if (names.has(DATABASE) !== (manifest.schema !== null))
    throw refused('it does not say of which schema its database is');
  return manifest;
}

/** Passes the contents through, and throws `bad_request` at their end when the digest differs from the manifest. */
async function* checked({ path, sha256 }: BackupFile, contents: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for await (const portion of contents) {
    digest.update(portion);
    yield portion;
  }
  if (digest.digest('hex') !== sha256) throw refused(`${path} is damaged`);
}

/** Handles one file of the backup. It need not read the contents. */
type FileHandler = (file: BackupFile, contents: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Reads a backup from beginning to end. It must contain exactly the files that its manifest names, in that order, each
 * with the declared digest. Never unpacks more bytes than declared. `onManifest` may throw to refuse the backup by its
 * manifest. Throws `bad_request` with the defect.
 */
export async function readBackup(
  path: string,
  take: FileHandler,
  onManifest: (manifest: BackupManifest) => Promise<void> = async () => undefined,
): Promise<BackupManifest> {
  if (!(await stat(path)).isFile()) throw refused('it is not a file');
  const source = createReadStream(path);
  const plain = createGunzip();
  // An error of the file is reported as an error of the unpacked stream.
  source.on('error', (error) => plain.destroy(error));
  const portions = new ChunkReader(source.pipe(plain) as AsyncIterable<Buffer>);
  try {
    const manifest = await readManifest(portions);
    await onManifest(manifest);
    for (const file of manifest.files) {
      const { path: name, bytes } = await readHeader(portions);
      if (name !== toEntryPath(file.path) || bytes !== file.bytes)
        throw refused(`${file.path} is not where it should be`);
      const contents = checked(file, portions.take(bytes));
      await take(file, contents);
      for await (const _rest of contents);
      await skipZeros(portions, computePadding(bytes));
    }
    await skipZeros(portions, 2 * TAR_BLOCK);
    if (!(await portions.isAtEnd())) throw refused('there is more behind its end');
    return manifest;
  } catch (error) {
    if (systemCode(error)?.startsWith('Z_')) throw refused(getErrorMessage(error));
    throw error;
  } finally {
    source.destroy();
    plain.destroy();
  }
}
