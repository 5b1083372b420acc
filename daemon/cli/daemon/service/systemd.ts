import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { ProgramOutput, Programs } from './programs.js';
import { SealedFile, sealedUnit } from './sealed-file.js';
import { noServiceManager, serviceFailed } from './service-errors.js';
import { type ServicePlan, serviceName } from './service-plan.js';
import { type Installed, isEdited, type ServiceState, type Supervisor } from './supervisor.js';
import { readUnitCommand, systemdUnit } from './systemd-unit.js';

const PROPERTIES = ['ActiveState', 'SubState', 'UnitFileState', 'MainPID', 'ExecMainStatus'];

/** The systemd units of this user. */
export class Systemd implements Supervisor {
  readonly manager = 'systemd';
  readonly name: string;
  readonly path: string;
  readonly text: string;
  private readonly file: SealedFile;

  constructor(
    plan: ServicePlan,
    unitsFolder: string,
    private readonly programs: Programs,
  ) {
    this.name = `${serviceName(plan.root)}.service`;
    this.path = join(unitsFolder, this.name);
    this.text = sealedUnit(systemdUnit(plan));
    this.file = new SealedFile(this.path);
  }

  get commands(): readonly string[] {
    return ['systemctl --user daemon-reload', `systemctl --user enable --now ${this.name}`];
  }

  get startCommand(): string {
    return `systemctl --user start ${this.name}`;
  }

  async require(): Promise<void> {
    const { exit, err } = await this.ask('show', '--property=Version');
    if (exit === 0) return;
    const why =
      exit === undefined
        ? 'systemd is not here: there is no `systemctl` on the PATH'
        : `The systemd of your user does not answer (${err.trim().split('\n')[0] || `exit ${exit}`}): log in on ` +
          'the machine itself, not through su';
    throw noServiceManager(why);
  }

  async install({ isForced, startsNow }: { isForced: boolean; startsNow: boolean }): Promise<Installed> {
    const changed = this.file.write(this.text, isForced);
    await this.command('daemon-reload');
    await this.command('enable', ...(startsNow ? ['--now'] : []), this.name);
    return { changed, started: startsNow, restarted: false };
  }

  async uninstall({ isForced }: { isForced: boolean }): Promise<boolean> {
    if (this.file.getState() === 'absent') return false;
    this.file.requireOurs('removed', isForced);
    await this.command('disable', '--now', this.name);
    this.file.remove(isForced);
    await this.command('daemon-reload');
    // Fails harmlessly when the unit is not marked as failed.
    await this.ask('reset-failed', this.name);
    return true;
  }

  async status(): Promise<ServiceState> {
    const { out } = await this.command('show', `--property=${PROPERTIES.join(',')}`, this.name);
    const found = new Map(
      out.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const state = this.file.getState();
    const exit = Number(found.get('ExecMainStatus') ?? 0);
    const pid = Number(found.get('MainPID') ?? 0);
    const active = found.get('ActiveState') ?? 'unknown';
    return {
      manager: this.manager,
      name: this.name,
      path: this.path,
      installed: state !== 'absent',
      edited: isEdited(state),
      enabled: found.get('UnitFileState') === 'enabled',
      active: active === 'active',
      state: [active, found.get('SubState')].filter(Boolean).join(', '),
      pid: pid > 0 ? pid : null,
      last_exit: exit > 0 ? exit : null,
      missing: this.file.findMissing(readUnitCommand),
      outdated: this.isOutdated(),
    };
  }

  isOutdated(): boolean {
    return this.file.isOutdated(this.text);
  }

  logs({ lines, follows }: { lines: number; follows: boolean }): readonly [string, ...string[]] {
    const follow = follows ? ['--follow'] : [];
    return ['journalctl', '--user', `--unit=${this.name}`, '--output=cat', '--no-pager', `--lines=${lines}`, ...follow];
  }

  async lingers(): Promise<boolean | undefined> {
    const { exit, out } = await this.programs.run('loginctl', ['show-user', userInfo().username, '--property=Linger']);
    const said = /^Linger=(yes|no)$/m.exec(out)?.[1];
    // A user unknown to the login manager does not linger.
    return exit === undefined ? undefined : said === 'yes';
  }

  private ask(...args: string[]): Promise<ProgramOutput> {
    return this.programs.run('systemctl', ['--user', ...args]);
  }

  private async command(...args: string[]): Promise<ProgramOutput> {
    const said = await this.ask(...args);
    if (said.exit === 0) return said;
    throw serviceFailed(`systemctl --user ${args.join(' ')}`, said);
  }
}
