import { createWriteStream, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import type { BackupMade } from '../../contract/backups.js';
import { isPidTaken } from '../../lib/pid-taken.js';
import { entryName, parseEntry } from '../../lib/project-entry.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import { fileStamp } from '../../lib/time/clock.js';
import { backupsFolder, projectsFolder } from '../../lib/user-folders.js';
import { readPrivateSync } from '../../private/private-file.js';
import { holdsState } from '../../private/state-owner.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { convertFailure } from './backup-failure.js';
import { findDaemon, isOwnState, type RunningDaemon } from './project.js';
import { inWorkingFolder } from './working-folder.js';

/** The idle timeout of the download of the daemon's copy. */
const COPY_TIMEOUT_MS = 600_000;

/**
 * The default file of a backup: in the backups folder of this user, named after the project and the time. Throws
 * `usage` for a user without a home.
 */
function usualFile(terminal: Terminal, root: string): string {
  const folder = backupsFolder(terminal.environment.variables ?? {}, terminal.environment.platform ?? process.platform);
  if (folder === undefined)
    throw new CommandError(EXIT.usage, 'Name the file: this user has no home in which backups could be kept.', 'usage');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${basename(root) || 'project'}-${fileStamp(Date.now())}.tar.gz`);
}

function refuseInProject(root: string, file: string): void {
  const [above] = relative(root, realpathSync(dirname(file))).split(sep);
  if (above === '..') return;
  throw new CommandError(
    EXIT.refused,
    `${file} lies in the project, where git could take its tokens and keys: name a file outside it.`,
    'forbidden',
  );
}

/**
 * Throws `in_flight` while a daemon runs whose state folder was removed: the records are in its open files alone. Its
 * entry among the running daemons lies outside the project.
 */
function refuseLostState(terminal: Terminal, root: string): void {
  const { variables = {}, platform = process.platform } = terminal.environment;
  const folder = projectsFolder(variables, platform);
  const name = entryName(root);
  const text = folder === undefined ? undefined : readPrivateSync(join(folder, name));
  const entry = text === undefined ? undefined : parseEntry(name, text);
  if (!entry || !isPidTaken(entry.pid)) return;
  throw new CommandError(
    EXIT.conflict,
    `The daemon of ${root} (pid ${entry.pid}) runs, but its database was removed, and what it holds is lost once it ` +
      `ends. On Linux its files can still be copied from /proc/${entry.pid}/fd: mesh.db and mesh.db-wal.`,
    'in_flight',
  );
}

/** Reports whether the project has a database, once a restore that was cut off is finished. */
async function findDatabase(root: string, daemon: RunningDaemon | undefined): Promise<boolean> {
  if (daemon) return true;
  if (holdsState(root) && !isOwnState(root))
    throw new CommandError(
      EXIT.refused,
      `This machine did not make the state in ${join(root, '.mesh')}: run \`meshd up\`, which sets it aside, ` +
        'and then `meshd adopt` to take over what is yours.',
      'forbidden',
    );
  const { finishRestore } = await import('../../backup/backups.js');
  await finishRestore(join(root, '.mesh'));
  return existsSync(join(root, '.mesh', 'state', 'mesh.db'));
}

/** Copies the database to `to`: through the daemon while it runs, else in this process. */
async function copyDatabase(root: string, daemon: RunningDaemon | undefined, to: string): Promise<void> {
  if (daemon) {
    await daemon.client.saveDocument('/database', createWriteStream(to, { flags: 'wx', mode: 0o600 }), COPY_TIMEOUT_MS);
    return;
  }
  const { copyStore } = await import('../../backup/backups.js');
  await copyStore(join(root, '.mesh', 'state', 'mesh.db'), to);
}

async function backUp(terminal: Terminal, root: string, file: string, withCredentials: boolean): Promise<BackupMade> {
  const daemon = await findDaemon(root);
  const nowMs = Date.now();
  return inWorkingFolder(dirname(file), nowMs, async (working) => {
    const write = async (database: string | undefined) =>
      (await import('../../backup/backups.js')).writeBackup({
        mesh: join(root, '.mesh'),
        file,
        working,
        database,
        project: basename(root),
        version: manifest.version,
        nowMs,
        withCredentials,
        onStep: (step) => terminal.note(step),
      });
    if (!(await findDatabase(root, daemon))) {
      refuseLostState(terminal, root);
      terminal.note('There is no database here: only files are kept.');
      return write(undefined);
    }
    // SQLite opens the copy. Where the backup goes it may have no locks (a network drive), where the database is it
    // has.
    return inWorkingFolder(join(root, '.mesh', 'state'), nowMs, async (beside) => {
      const copy = join(beside, 'mesh.db');
      terminal.note('Copying the database.');
      await copyDatabase(root, daemon, copy);
      return write(copy);
    });
  });
}

export function addBackup(program: Command, terminal: Terminal): void {
  program
    .command('backup')
    .summary('keep the project’s team, settings and records in one file')
    .description(
      'Write .mesh into one file: the team, tests, tasks and settings, and the database with conversations, ' +
        'requests and all other records, as they are at one moment, whether the daemon runs or not. The index, ' +
        'logs and what a start makes anew are left out, and so are tokens and keys unless you ask for them. ' +
        'Without a file it goes to a folder of your own. The file is yours alone (0600), is read again before it ' +
        'gets its name, and overwrites nothing.',
    )
    .argument('[file]', 'where to write it: a gzipped tape archive')
    .option(
      '--with-credentials',
      'tokens and keys as well: whoever has the file can then speak for your members and spend from your wallets',
    )
    .addHelpText(
      'after',
      examples('meshd backup', 'meshd backup ~/lamp.tar.gz', 'meshd backup /mnt/key/lamp.tar.gz --with-credentials'),
    )
    .action(
      action<{ withCredentials?: boolean }, [string | undefined]>(
        terminal,
        async ({ root, json, withCredentials = false }, given) => {
          if (!statSync(join(root, '.mesh'), { throwIfNoEntry: false })?.isDirectory())
            throw new CommandError(
              EXIT.notFound,
              `${root} has no .mesh folder: there is nothing to keep yet.`,
              'not_found',
            );
          const file = given === undefined ? usualFile(terminal, root) : resolve(given);
          if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
            throw new CommandError(EXIT.notFound, `${dirname(file)} is no folder: make it first.`, 'not_found');
          if (existsSync(file))
            throw new CommandError(EXIT.conflict, `${file} is there already: name another file.`, 'file_changed');
          if (withCredentials) refuseInProject(root, file);
          const made = await convertFailure(backUp(terminal, root, file, withCredentials));
          for (const { path, reason } of made.left_out)
            terminal.note(`Left out .mesh/${sanitizeDisplayLine(path)}: ${reason}`);
          if (withCredentials) terminal.note('It holds tokens and keys: keep it as you keep those.');
          if (json) terminal.object(made);
          else terminal.answer(made.file);
        },
      ),
    );
}
