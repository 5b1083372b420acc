import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Restored } from '../../contract/backups.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { convertFailure } from './backup-failure.js';
import { findDaemon } from './project.js';

export async function refuseWhileRunning(root: string): Promise<void> {
  const daemon = await findDaemon(root).catch((error: unknown) => {
    // Another program listens on the port of a killed daemon. The lock of the database shows whether a daemon runs
    // nevertheless.
    if (error instanceof CommandError && error.code === 'forbidden') return undefined;
    throw error;
  });
  if (daemon)
    throw new CommandError(
      EXIT.conflict,
      `The daemon runs (pid ${daemon.file.pid}): stop it first, with \`meshd down\`.`,
      'in_flight',
    );
}

function sentence({ backup, files }: Restored): string {
  if (!backup) return 'What the last restore had put aside is in place again.';
  const { project, made_at, credentials } = backup;
  return (
    `Restored ${files} ${files === 1 ? 'file' : 'files'} of ${printable(project)} as of ` +
    `${printable(made_at)}${credentials ? ', tokens and keys among them' : ''}.`
  );
}

export function addRestore(program: Command, terminal: Terminal): void {
  program
    .command('restore')
    .summary('put a backup in place')
    .description(
      'Put what `meshd backup` wrote in the place of .mesh, while no daemon runs. The whole file is checked ' +
        'before anything is touched; what was there is put aside in .mesh/state, and --undo puts it back. A ' +
        'restore that is cut off is finished by the next `meshd up` or restore. Tokens and keys stay as they are ' +
        'unless the backup holds some. What was revoked, spent or deleted since the backup was made is as it ' +
        'was then.',
    )
    .argument('[file]', 'a file that `meshd backup` wrote')
    .option('--undo', 'put back what the last restore has put aside')
    .addHelpText('after', examples('meshd down && meshd restore ~/lamp.tar.gz && meshd up', 'meshd restore --undo'))
    .action(
      action<{ undo?: boolean }, [string | undefined]>(terminal, async ({ root, json, undo = false }, file) => {
        if (undo === (file !== undefined))
          throw new CommandError(
            EXIT.usage,
            'Name the backup to restore, or --undo the last restore: one of the two.',
            'usage',
          );
        if (file !== undefined && !statSync(resolve(file), { throwIfNoEntry: false }))
          throw new CommandError(EXIT.notFound, `${file} is not there.`, 'not_found');
        await refuseWhileRunning(root);
        const { restoreBackup, undoRestore } = await import('../../backup/backups.js');
        const order = {
          root,
          environment: terminal.environment.variables ?? {},
          nowMs: Date.now(),
          onStep: (step: string) => terminal.note(step),
        };
        const restored = await convertFailure(
          file === undefined ? undoRestore(order) : restoreBackup(resolve(file), order),
        );
        terminal.note(`What was there is in ${relative(root, restored.aside)}: \`meshd restore --undo\` puts it back.`);
        if (json) terminal.object(restored);
        else terminal.answer(sentence(restored));
      }),
    );
}
