import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { findDaemon } from './project.js';

/** The revision of the standard that this version implements. */
export const REVISION = 30;

/** The project's revision; undefined when the file is missing or not a number. */
export function readRevision(path: string): number | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return /^\d+$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file at `path` by `text` atomically. The new text is synced to disk before the rename. */
function replaceFile(path: string, text: string): void {
  const temporary = join(path, '..', `.STANDARD_VERSION.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: 'wx', flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export function addUpgrade(program: Command, terminal: Terminal): void {
  program
    .command('upgrade')
    .summary(`raise the project to revision ${REVISION} of the standard`)
    .description(`Raise .mesh/STANDARD_VERSION to ${REVISION}, the revision that enables the roster and API access.`)
    .addHelpText('after', examples('meshd upgrade'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        if (!statSync(join(root, '.mesh'), { throwIfNoEntry: false })?.isDirectory()) {
          throw new CommandError(
            EXIT.notFound,
            `${root} has no .mesh folder: \`meshd up\` makes one, at revision ${REVISION}.`,
            'not_found',
          );
        }
        const path = join(root, '.mesh', 'STANDARD_VERSION');
        const before = readRevision(path);
        const isNew = before === undefined || before < REVISION;
        if (isNew) replaceFile(path, `${REVISION}\n`);
        const daemon = isNew ? await findDaemon(root) : undefined;
        if (json)
          return terminal.object({ before: before ?? null, revision: isNew ? REVISION : before, changed: isNew, path });
        terminal.answer(
          isNew
            ? `Raised ${path} from ${before ?? 'none'} to ${REVISION}.`
            : `The project is at revision ${before} already.`,
        );
        if (daemon) terminal.note('The running daemon reads it when it starts: `meshd down && meshd up`.');
      }),
    );
}
