import { basename } from 'node:path';
import { getServiceCommand, getServiceEnvironment, type ServicePlan } from './service-plan.js';

/** Escapes a word that systemd takes literally: quoted, without specifiers. */
export function unitWord(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/** The command in a unit of meshd; empty when there is none. */
export function readUnitCommand(unit: string): readonly string[] {
  const [, line = ''] = /^ExecStart=:(.*)$/m.exec(unit) ?? [];
  // A word that is not closed ends with the line, so that no part of it is looked at again.
  return [...line.matchAll(/"((?:\\[\s\S]|[^"\\])*)(?:"|\\?$)/g)].map(([, word = '']) =>
    word.replaceAll('%%', '%').replaceAll(/\\(.)/g, '$1'),
  );
}

/** Characters that systemd does not accept in the name of a program, however it is quoted. */
const REFUSED_IN_PROGRAM = /["'\\]/;

/** The command in a form that systemd can start: a program with such a name is started through /usr/bin/env. */
function startable(command: readonly string[]): readonly string[] {
  return REFUSED_IN_PROGRAM.test(command[0] ?? '') ? ['/usr/bin/env', ...command] : command;
}

/**
 * The systemd user unit that runs a project's daemon. It takes nothing away that a daemon of `meshd up` may do: the
 * programs that run members inherit it. In a user unit every filter of system calls or address families implies
 * `NoNewPrivileges`, under which sudo, rootless containers and snaps fail. In a user namespace the daemon could not
 * tell which user owns a connection, and sandboxes would not nest.
 *
 * The leading colon of the command prevents systemd from expanding `$NAME` in a path. Exit 75 (another daemon runs for
 * the project, or its port is taken), 78 (invalid configuration) and 2 (the folder is gone) would recur on every
 * restart. Only the command line receives the stop signal and forwards it: a daemon that receives another one later
 * than a second after the first exits at once. A program that runs members may run out of memory without ending the daemon.
 */
export function systemdUnit(plan: ServicePlan): string {
  const environment = getServiceEnvironment(plan).map(([name, value]) => unitWord(`${name}=${value}`));
  return `[Unit]
Description=meshd for ${basename(plan.root).replaceAll('%', '%%')} (project daemon)
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=:${startable(getServiceCommand(plan)).map(unitWord).join(' ')}
${environment.length > 0 ? `Environment=${environment.join(' ')}\n` : ''}EnvironmentFile=-%E/meshd/environment
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 75 78
KillMode=mixed
TimeoutStopSec=20
OOMPolicy=continue
LimitCORE=0

[Install]
WantedBy=default.target
`;
}
