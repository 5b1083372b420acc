import { accessSync, appendFileSync, chmodSync, constants, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { explainNoPermissions } from '../../../lib/disk-errors.js';
import { findEntry } from '../../../private/private-file.js';
import { CommandError, EXIT } from '../../exit-codes.js';
import { REVISION, readRevision } from '../upgrade.js';
import { about, type Finding, quoted } from './check.js';

const SECRET_FOLDERS = ['.mesh/credentials', '.mesh/state'] as const;
const IGNORED = ['credentials/', 'state/'] as const;
const FULL_BYTES = 32 * 1024 * 1024;
const LOW_BYTES = 256 * 1024 * 1024;
/** The tolerance for file times in the future: file systems and network drives round them. */
const AHEAD_MS = 120_000;

const isOurs = (uid: number) => process.getuid === undefined || uid === process.getuid();

/** Checks that the folders are directories and writable. The daemon creates missing ones. */
export function checkFolders(root: string): Finding {
  const { ok, fail } = about('folder', 'Project folder');
  for (const path of ['.', '.mesh', '.mesh/team', ...SECRET_FOLDERS].map((name) => join(root, name))) {
    const found = findEntry(path);
    if (!found) continue;
    if (!found.isDirectory())
      return fail(
        `${path} is ${found.isSymbolicLink() ? 'a link' : 'no folder'}: it must be a folder of the project`,
        `mv ${quoted(path)} ${quoted(`${path}.old`)}`,
      );
    try {
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
      if (isReadOnly)
        return fail(
          `${path} is on a file system that is mounted read-only`,
          'mount it for writing, or use a project elsewhere',
        );
      const fix = isOurs(found.uid) ? `chmod u+rwx ${quoted(path)}` : `sudo chown -R "$(id -u)" ${quoted(path)}`;
      return fail(`${path} cannot be written${isOurs(found.uid) ? '' : ', it belongs to another user'}`, fix);
    }
  }
  return ok(findEntry(join(root, '.mesh')) ? join(root, '.mesh') : `${root}, without a .mesh yet`);
}

/**
 * Checks that only their owner can read the secrets. Its mend throws `forbidden` where permissions cannot be set.
 */
export function checkModes(root: string, setMode = chmodSync): Finding {
  const { ok, fail } = about('permissions', 'Secrets readable by you alone');
  const loose: string[] = [];
  const foreign: string[] = [];
  for (const name of SECRET_FOLDERS) {
    const folder = join(root, name);
    if (!findEntry(folder)?.isDirectory()) continue;
    let names: string[] = [];
    try {
      names = readdirSync(folder);
    } catch {
      // `checkFolders` reports a folder that cannot be read.
    }
    const inside = name === '.mesh/credentials' ? names : names.filter((one) => one === 'daemon.json');
    for (const path of [folder, ...inside.map((one) => join(folder, one))]) {
      const found = findEntry(path);
      if (!found || found.isSymbolicLink()) continue;
      if (!isOurs(found.uid)) foreign.push(path);
      else if ((found.mode & 0o077) !== 0) loose.push(path);
    }
  }
  const named = (paths: string[]) => paths.map((path) => relative(root, path)).join(', ');
  if (foreign.length > 0)
    return fail(`${named(foreign)} belongs to another user`, `sudo chown -R "$(id -u)" ${quoted(join(root, '.mesh'))}`);
  if (loose.length === 0) return ok('0700 and 0600');
  return fail(
    `others can read ${named(loose)}`,
    `chmod go-rwx ${loose.map((path) => quoted(relative(root, path))).join(' ')}`,
    () => {
      for (const path of loose) {
        setMode(path, (findEntry(path)?.mode ?? 0o600) & 0o700);
        if (((findEntry(path)?.mode ?? 0) & 0o077) !== 0)
          throw new CommandError(EXIT.refused, explainNoPermissions(path), 'forbidden');
      }
      return `nobody else can read ${named(loose)} any more`;
    },
  );
}

/** Checks that .mesh/.gitignore keeps secrets and state out of git. */
export function checkIgnored(root: string): Finding {
  const { ok, warn } = about('ignore', 'Secrets ignored by git');
  const path = join(root, '.mesh', '.gitignore');
  const found = findEntry(path);
  if (!findEntry(join(root, '.mesh'))) return ok('there is no .mesh yet');
  if (found && !found.isFile()) return warn(`${path} is no regular file`, `rm ${quoted(path)} && meshd up`);
  const text = found ? readFileSync(path, 'utf8') : '';
  const missing = IGNORED.filter((line) => !text.split(/\r?\n/).includes(line));
  if (missing.length === 0) return ok('.mesh/.gitignore names both folders');
  return warn(
    `.mesh/.gitignore does not name ${missing.join(' and ')}: the next \`git add\` may take secrets along`,
    'meshd doctor --fix',
    () => {
      // What is there keeps its bytes: a comment may be in another encoding.
      appendFileSync(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
      return `.mesh/.gitignore names ${missing.join(' and ')} now`;
    },
  );
}

/** Checks the revision that the repository declares. The running daemon reports more precisely what is disabled. */
export function checkRevision(root: string): Finding {
  const { ok, warn, fail } = about('revision', 'Revision of the local conventions');
  const path = join(root, '.mesh', 'STANDARD_VERSION');
  if (!findEntry(path)) return ok(`none yet: \`meshd up\` writes ${REVISION}`);
  const revision = readRevision(path);
  if (revision === undefined)
    return fail('.mesh/STANDARD_VERSION holds no whole number, so the daemon does not start', 'meshd upgrade');
  if (revision < 29) return fail(`${revision}: the roster (29) and exposure (30) are off`, 'meshd upgrade');
  if (revision < 30) return warn(`${revision}: exposure (30) is off`, 'meshd upgrade');
  return revision > REVISION
    ? warn(`${revision}: newer than this version knows`, 'install the version of meshd that wrote it')
    : ok(String(revision));
}

/** Judges the free disk space. */
export function checkFreeSpace(freeBytes: number): Finding {
  const { ok, warn, fail } = about('disk', 'Disk space');
  const megabytes = `${Math.floor(freeBytes / 1024 / 1024)} MB free`;
  if (freeBytes < FULL_BYTES)
    return fail(
      `${megabytes}: what cannot be written is refused`,
      'free some space; `du -sh .mesh/state` says what meshd takes',
    );
  if (freeBytes < LOW_BYTES) return warn(megabytes, 'free some space; `du -sh .mesh/state` says what meshd takes');
  return ok(megabytes);
}

export function checkDisk(root: string): Finding {
  const { bavail, bsize } = statfsSync(root);
  return checkFreeSpace(bavail * bsize);
}

/** Checks for project files with times in the future: the clock was set back, or is wrong. */
export function checkClock(root: string, nowMs: number): Finding {
  const { ok, warn } = about('clock', 'Clock');
  const folders = ['.mesh', '.mesh/team', '.mesh/state'];
  const paths = folders.flatMap((name) => {
    try {
      return readdirSync(join(root, name)).map((file) => join(name, file));
    } catch {
      return [];
    }
  });
  const newest = paths
    .map((path) => ({ path, ms: findEntry(join(root, path))?.mtimeMs ?? 0 }))
    .sort((a, b) => b.ms - a.ms)[0];
  if (!newest || newest.ms <= nowMs + AHEAD_MS) return ok(new Date(nowMs).toISOString());
  return warn(
    `it says ${new Date(nowMs).toISOString()}, but ${newest.path} was written at ` +
      `${new Date(newest.ms).toISOString()}: one of them is wrong, and tokens and posts expire by it`,
    'sudo timedatectl set-ntp true',
  );
}
