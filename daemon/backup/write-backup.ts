import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  BACKUP_FILE_MAX_BYTES,
  BACKUP_FORMAT,
  type BackupFile,
  type BackupMade,
  type BackupManifest,
} from '../contract/backups.js';
import { sha256Hex } from '../lib/crypto/digests.js';
import { isMeshError, MeshError, systemCode } from '../lib/errors.js';
import { canStoreInTar, computePadding, TAR_BLOCK, tarHeader } from '../lib/text/ustar.js';
import { isoTime } from '../lib/time/clock.js';
import { checkPrivateFile } from '../private/private-file.js';
import { inspectStore } from '../storage/database/store-schema.js';
import { syncDirectory } from '../storage/files/atomic-write.js';
import { isWithoutLinks } from '../storage/files/hard-links.js';
import { DATABASE, listBackupFiles } from './backup-files.js';
import { MANIFEST, readBackup, toEntryPath } from './read-backup.js';

/** Limit for all files except the database. They are held in memory, so that each one matches its digest. */
const HELD_MAX_BYTES = 256 * 1024 * 1024;

interface BackupOrder {
  /** The project's `.mesh`. */
  mesh: string;
  /** The path of the backup; no file may exist there. */
  file: string;
  /** A folder on the file system of `file` for the unfinished backup. */
  working: string;
  /** A copy of the database that no process writes to; undefined when the project has none. */
  database: string | undefined;
  project: string;
  version: string;
  nowMs: number;
  withCredentials: boolean;
  onStep: (step: string) => void;
}

const isPrivate = (path: string) => /[\\/]\.mesh[\\/](?:state|credentials)[\\/]/.test(path);

/**
 * Reads a file as it is at one moment. Returns undefined when it was removed meanwhile, and the reason as text when
 * it cannot be part of a backup.
 */
async function readWhole(path: string): Promise<Buffer | string | undefined> {
  try {
    if (isPrivate(path)) checkPrivateFile(path);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return 'It is a link, or no regular file.';
      if (stats.size > BACKUP_FILE_MAX_BYTES) return `It is larger than ${BACKUP_FILE_MAX_BYTES / 1024 / 1024} MiB.`;
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ELOOP' || isMeshError(error, 'forbidden')) return 'It is a link, or no regular file.';
    throw error;
  }
}

async function computeFileDigest(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}

/** A small file of the backup with its contents. */
interface SmallFile extends BackupFile {
  contents: Buffer;
}

async function holdFiles({
  mesh,
  withCredentials,
}: BackupOrder): Promise<{ held: SmallFile[]; leftOut: BackupMade['left_out'] }> {
  const { paths, leftOut } = await listBackupFiles(mesh, withCredentials);
  const held: SmallFile[] = [];
  let total = 0;
  for (const path of paths) {
    const contents = canStoreInTar(toEntryPath(path), 0) ? await readWhole(join(mesh, path)) : 'Its path is too long.';
    if (contents === undefined) continue;
    if (typeof contents === 'string') {
      leftOut.push({ path, reason: contents });
      continue;
    }
    total += contents.length;
    if (total > HELD_MAX_BYTES)
      throw new MeshError(
        'too_large',
        '.mesh holds more than 256 MiB beside its database: move away what does not belong there.',
      );
    held.push({ path, bytes: contents.length, sha256: sha256Hex(contents), contents });
  }
  return { held, leftOut };
}

async function* archive(
  manifest: BackupManifest,
  held: readonly SmallFile[],
  database: string | undefined,
  nowMs: number,
): AsyncIterable<Buffer> {
  const header = (path: string, bytes: number) => tarHeader({ path, bytes, modified: Math.floor(nowMs / 1000) });
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield Buffer.concat([header(MANIFEST, text.length), text, Buffer.alloc(computePadding(text.length))]);
  for (const { path, bytes, contents } of held)
    yield Buffer.concat([header(toEntryPath(path), bytes), contents, Buffer.alloc(computePadding(bytes))]);
  const last = manifest.files.at(-1);
  if (database !== undefined && last) {
    yield header(toEntryPath(last.path), last.bytes);
    yield* createReadStream(database) as AsyncIterable<Buffer>;
    yield Buffer.alloc(computePadding(last.bytes));
  }
  yield Buffer.alloc(2 * TAR_BLOCK);
}

/** Moves the complete file at `from` to `file`. Throws `file_changed` when a file with that name exists. */
async function putInPlace(from: string, file: string): Promise<void> {
  const taken = new MeshError('file_changed', `${file} is there already: name another file.`);
  try {
    await link(from, file);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw taken;
    if (!isWithoutLinks(error)) throw error;
    if (await stat(file).catch(() => undefined)) throw taken;
    await rename(from, file);
  }
  await syncDirectory(dirname(file));
}

/**
 * Writes a backup (0600) and verifies it by reading all of it. At its path there is either nothing or the complete
 * backup. Throws `store_readonly` when the database is damaged, and `file_changed` when a file with that name exists.
 */
export async function writeBackup(order: BackupOrder): Promise<BackupMade> {
  const { file, working, database, project, version, nowMs, withCredentials, onStep } = order;
  const { held, leftOut } = await holdFiles(order);
  const files: BackupFile[] = held.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
  let schema: number | null = null;
  if (database !== undefined) {
    onStep('Checking the database.');
    schema = inspectStore(database);
    files.push({ path: DATABASE, bytes: (await stat(database)).size, sha256: await computeFileDigest(database) });
  }
  const manifest: BackupManifest = {
    format: BACKUP_FORMAT,
    meshd: version,
    project,
    made_at: isoTime(nowMs),
    schema,
    credentials: withCredentials,
    files,
  };
  const unfinished = join(working, 'unfinished');
  onStep(`Writing ${files.length} ${files.length === 1 ? 'file' : 'files'}.`);
  try {
    const target = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(archive(manifest, held, database, nowMs)), createGzip(), target);
    onStep('Reading it again.');
    await readBackup(unfinished, async () => undefined);
    const { size } = await stat(unfinished);
    await putInPlace(unfinished, file);
    return {
      file,
      bytes: size,
      files: files.length,
      schema,
      credentials: withCredentials,
      made_at: manifest.made_at,
      left_out: leftOut,
    };
  } finally {
    await rm(unfinished, { force: true });
  }
}
