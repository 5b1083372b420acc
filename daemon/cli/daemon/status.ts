import type { Command } from 'commander';
import type { Health } from '../../contract/system.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { findDaemonProgram, isReplaced, REPLACED } from './installation.js';
import { explainAbsence, findDaemon, readDaemonFile } from './project.js';

/** A duration in its two largest units. */
export function duration(seconds: number): string {
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ];
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

function knowledgeLine({ knowledge }: Health): string {
  const { state, files_done, files_total, passages, message } = knowledge;
  if (state === 'ready') return `${passages} passages of ${files_total} files`;
  if (state === 'indexing') return `indexing, ${files_done} of ${files_total} files`;
  return message ? `${state}: ${message}` : state;
}

function structureLine({ knowledge: { structure } }: Health): string {
  const { state, files_done, files_total, left_out, languages } = structure;
  if (state === 'idle') return 'not ready: read after the index';
  if (state === 'reading') return `not ready: ${files_done} of ${files_total} files read`;
  if (state === 'failed') return 'failed: questions about structure are answered by the text search';
  const read = languages.map(({ language, files }) => `${language} ${files}`).join(', ');
  const left = left_out.map(({ reason, files }) => `${files} ${reason}`).join(', ');
  return `ready, ${files_total} files${read === '' ? '' : ` (${read})`}${left === '' ? '' : `; left out: ${left}`}`;
}

/** Returns the failure of a daemon that runs and does not respond. Rethrows any other error. */
function requireUnreachable(error: unknown): CommandError {
  if (error instanceof CommandError && error.code === 'unreachable') return error;
  throw error;
}

/** Why there is no report, for programs: `not_running`, `refused`, `timed_out` or `broken_off`. */
function absence(root: string, silent: CommandError | undefined): object {
  if (silent) return { running: true, answers: false, ...silent.details };
  return { running: false, reason: readDaemonFile(root) ? 'refused' : 'not_running' };
}

export function addStatus(program: Command, terminal: Terminal, entry: string): void {
  program
    .command('status')
    .summary('show whether the daemon runs, its address and its state')
    .description('Show whether the project’s daemon runs, its address and its state.')
    .addHelpText('after', examples('meshd status', 'meshd status --json'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const daemon = await findDaemon(root).catch((error: unknown) => requireUnreachable(error));
        if (daemon === undefined || daemon instanceof CommandError) {
          terminal.exit = EXIT.unreachable;
          if (json) terminal.object({ root, ...absence(root, daemon) });
          else terminal.answer(daemon?.message ?? explainAbsence(root));
          return;
        }
        const { file, health } = daemon;
        const hasOther = isReplaced(file, () => findDaemonProgram(entry));
        if (json) {
          const { proof: _, ...rest } = health;
          terminal.object({ running: true, address: file.address, root, ...rest, ...(hasOther && { replaced: true }) });
          return;
        }
        const broken = health.members_broken > 0 ? `, ${health.members_broken} broken` : '';
        const waiting =
          health.awaiting_agreement > 0
            ? `, ${health.awaiting_agreement} internal until you approve: \`meshd team ls\``
            : '';
        terminal.table([
          ['Address', file.address],
          ['Project', `${health.project} (${root})`],
          [
            'Daemon',
            `version ${health.version}, pid ${health.pid}, up ${duration(health.uptime_seconds)}, ` +
              `${Math.round(health.rss_bytes / 1e6)} MB`,
          ],
          ['Store', health.store],
          ['Team', `${health.members} members${broken}, ${health.exposed} exposed${waiting}`],
          ['Requests', `${health.requests_live} queued or working`],
          ['Knowledge', knowledgeLine(health)],
          ['Structure', structureLine(health)],
        ]);
        if (hasOther) terminal.note(REPLACED);
      }),
    );
}
