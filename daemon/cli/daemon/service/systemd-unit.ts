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
 * The systemd user unit that runs a project's daemon. It is hardened as far as a user unit can be without a user
 * namespace: in one the daemon could not tell which user owns a connection, and the sandboxes of the programs that run
 * members would not nest. What the operator's tools do stays possible: /tmp is the real one (a project may be there)
 * and memory may be executable, which JavaScript requires. WSL2 starts programs of Windows (git-credential-manager.exe,
 * gh.exe) through AF_VSOCK.
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
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_VSOCK
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`;
}
