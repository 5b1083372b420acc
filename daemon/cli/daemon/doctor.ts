import type { Command } from 'commander';
import type { DoctorCheck } from '../../contract/system.js';
import { action, examples } from '../action.js';
import { EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { about, type Finding } from './doctor/check.js';
import { askDaemon } from './doctor/daemon-checks.js';
import { checkGit, checkNode, checkProgram, checkTracked } from './doctor/installation-checks.js';
import { checkProxy, checkWatches } from './doctor/machine-checks.js';
import { checkLocalNetwork, checkSqlite } from './doctor/module-checks.js';
import {
  checkClock,
  checkDisk,
  checkFolders,
  checkIgnored,
  checkModes,
  checkRevision,
} from './doctor/project-checks.js';
import { findSupervisor } from './service/find-supervisor.js';
import { Programs } from './service/programs.js';
import { OUTDATED } from './service.js';

/** Says so when the service may start an earlier meshd, which does not know a store that this one has used. */
function checkService(root: string, entry: string, environment: Terminal['environment']): Finding[] {
  const { warn } = about('service', 'Service');
  try {
    const supervisor = findSupervisor(root, entry, environment, new Programs(environment.variables ?? {}));
    return supervisor.isOutdated() ? [warn(`it is ${OUTDATED}`, 'meshd service install')] : [];
  } catch {
    // There are no services here.
    return [];
  }
}

interface RepairedProblem {
  id: string;
  did: string;
}

/** The checks that need no daemon. */
function runLocalChecks(root: string, entry: string, environment: Terminal['environment']): Finding[] {
  const { variables = {} } = environment;
  return [
    checkNode(process.version),
    checkProgram(entry),
    checkSqlite(entry),
    checkLocalNetwork(entry),
    checkFolders(root),
    checkModes(root),
    checkIgnored(root),
    checkTracked(root, variables),
    checkGit(root, variables),
    checkRevision(root),
    checkDisk(root),
    checkClock(root, Date.now()),
    checkWatches(),
    checkProxy(variables),
    ...checkService(root, entry, environment),
  ];
}

/**
 * Merges the local checks with the daemon's report, each check once. The local finding takes precedence, except that
 * the daemon's finding replaces an `ok` for the revision and the clock.
 */
async function examine(
  root: string,
  entry: string,
  environment: Terminal['environment'],
): Promise<{ findings: Finding[]; isRunning: boolean }> {
  const local = runLocalChecks(root, entry, environment);
  const asked = await askDaemon(root, entry);
  // The running daemon has more precise data on its revision and its clock than the files.
  const told = asked.findings.filter(
    ({ id }) => id === 'revision' || id === 'clock' || !local.some((one) => one.id === id),
  );
  const own = local.map((one) => (one.state === 'ok' ? (told.find(({ id }) => id === one.id) ?? one) : one));
  const ids = new Set(own.map(({ id }) => id));
  return { findings: [...own, ...told.filter(({ id }) => !ids.has(id))], isRunning: asked.isRunning };
}

/** Applies the fixes that lose no data. Returns what was done. */
function mendAll(findings: readonly Finding[]): RepairedProblem[] {
  return findings.flatMap(({ id, mend }) => (mend ? [{ id, did: mend() }] : []));
}

function getExitCode(findings: readonly DoctorCheck[], isRunning: boolean): number {
  const failed = findings.filter(({ state }) => state === 'fail');
  if (failed.length === 0) return EXIT.ok;
  return !isRunning && failed.every(({ id }) => id === 'daemon') ? EXIT.unreachable : EXIT.failed;
}

/** Adds `meshd doctor`: reports common problems, each in one sentence with the command that fixes it. Contract: CLI. */
export function addDoctor(program: Command, terminal: Terminal, entry: string): void {
  program
    .command('doctor')
    .summary('check installation and project, and print fixes')
    .description(
      'Check the installation, the project, the machine and the daemon. Prints each problem with the command ' +
        'that fixes it. Changes nothing without --fix.',
    )
    .option('--fix', 'fix what is safe: modes of secrets, .mesh/.gitignore, files of a killed daemon')
    .addHelpText(
      'after',
      examples(
        'meshd doctor',
        'meshd doctor --fix',
        'meshd doctor --json | jq -r \'.checks[] | select(.state != "ok").fix\'',
      ),
    )
    .action(
      action<{ fix?: boolean }, []>(terminal, async ({ root, json, fix }) => {
        let { findings, isRunning } = await examine(root, entry, terminal.environment);
        const mended = fix ? mendAll(findings) : [];
        if (mended.length > 0) ({ findings, isRunning } = await examine(root, entry, terminal.environment));
        const checks: DoctorCheck[] = findings.map(({ mend: _, ...check }) => check);
        terminal.exit = getExitCode(checks, isRunning);
        if (json) return terminal.object({ ok: terminal.exit === EXIT.ok, root, checks, ...(fix && { mended }) });
        const { green, yellow, red } = terminal.colours;
        const marks = { ok: green('✓'), warn: yellow('!'), fail: red('✗') };
        for (const { title, state, found, fix: cure } of checks) {
          terminal.answer(`${marks[state]} ${title}: ${printable(found)}`);
          if (cure && state !== 'ok') terminal.answer(`    → ${printable(cure)}`);
        }
        for (const { did } of mended) terminal.answer(`${marks.ok} Fixed: ${printable(did)}`);
        const isMendable = !fix && findings.some(({ mend }) => mend !== undefined);
        if (isMendable) terminal.note('`meshd doctor --fix` fixes some of it.');
      }),
    );
}
