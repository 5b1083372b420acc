import { basename } from 'node:path';
import { commandOf, environmentOf, type ServicePlan } from './service-plan.js';

/** A word that systemd takes literally in a list of words: quoted, and without specifiers. */
export function unitWord(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/** What systemd has in no name of a program, however it is quoted. */
const REFUSED_IN_PROGRAM = /["'\\]/;

/** The command as systemd can start it: a program of such a name is found by another one. */
function startable(command: readonly string[]): readonly string[] {
  return REFUSED_IN_PROGRAM.test(command[0] ?? '') ? ['/usr/bin/env', ...command] : command;
}

/**
 * The systemd user unit that runs a project's daemon. It is hardened as far as a user's own unit is without a user namespace: in one the daemon
 * could no longer tell whose a connection is, and the sandboxes of the programs that run members would not nest. What a person's tools do stays
 * possible: /tmp is the real one (a project may lie there) and memory may be executable, which JavaScript needs.
 *
 * The leading colon of the command keeps systemd from replacing `$NAME` in a path. Exit 75 (another daemon has the project, or its port is taken),
 * 78 (bad configuration) and 2 (the folder is gone) come back however often it is started. Only the command line is asked to end, since it passes
 * that on: a daemon that is told twice ends at once. Of programs that run members one may run out of memory without taking the daemon with it.
 */
export function systemdUnit(plan: ServicePlan): string {
  const environment = environmentOf(plan).map(([name, value]) => unitWord(`${name}=${value}`));
  return `[Unit]
Description=meshd for ${basename(plan.root).replaceAll('%', '%%')} (project daemon)
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=:${startable(commandOf(plan)).map(unitWord).join(' ')}
${environment.length > 0 ? `Environment=${environment.join(' ')}\n` : ''}EnvironmentFile=-%E/meshd/environment
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 75 78
KillMode=mixed
TimeoutStopSec=20
OOMPolicy=continue
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`;
}
