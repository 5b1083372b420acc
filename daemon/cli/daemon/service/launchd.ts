import { join } from 'node:path';
import { type Clock, sleep } from '../../../lib/time/clock.js';
import { launchdPlist, readPlistCommand } from './launchd-plist.js';
import type { ProgramOutput, Programs } from './programs.js';
import { SealedFile, sealedPlist } from './sealed-file.js';
import { noServiceManager, serviceFailed } from './service-errors.js';
import { type ServicePlan, serviceName } from './service-plan.js';
import { type Installed, isEdited, type ServiceState, type Supervisor } from './supervisor.js';

/** Unloaded, not loaded at all, and being unloaded (EINPROGRESS). */
const UNLOADED = new Set<number | undefined>([0, 3, 36]);
/** What launchd answers for a label that it has not let go of: EIO and EALREADY. */
const NOT_YET_LOADABLE = new Set<number | undefined>([5, 37]);
/** Longer than the ExitTimeOut of the property list, after which launchd kills. */
const UNLOAD_LIMIT_MS = 25_000;
const LOAD_LIMIT_MS = 15_000;
const PAUSE_MS = 500;

/** The launchd agents of this user. */
export class Launchd implements Supervisor {
  readonly manager = 'launchd';
  readonly name: string;
  readonly path: string;
  readonly text: string;
  private readonly file: SealedFile;
  private readonly log: string;
  /** The domain of services of a logged-in user. */
  private readonly domain: string;

  constructor(
    plan: ServicePlan,
    home: string,
    uid: number,
    private readonly programs: Programs,
    private readonly clock: Pick<Clock, 'elapsed' | 'after'>,
  ) {
    this.name = serviceName(plan.root);
    this.path = join(home, 'Library', 'LaunchAgents', `${this.name}.plist`);
    this.log = join(home, 'Library', 'Logs', `${this.name}.log`);
    this.text = sealedPlist(launchdPlist(plan, this.name, this.log));
    this.file = new SealedFile(this.path);
    this.domain = `gui/${uid}`;
  }

  get commands(): readonly string[] {
    return [`launchctl enable ${this.target}`, this.startCommand];
  }

  get startCommand(): string {
    return `launchctl bootstrap ${this.domain} "${this.path}"`;
  }

  async require(): Promise<void> {
    const { exit } = await this.programs.run('launchctl', ['print', this.domain]);
    if (exit === 0) return;
    const why =
      exit === undefined
        ? 'launchd is not here: there is no `launchctl` on the PATH'
        : 'launchd knows no session of yours: log in on the screen';
    throw noServiceManager(why);
  }

  async install({ isForced, startsNow }: { isForced: boolean; startsNow: boolean }): Promise<Installed> {
    const changed = this.file.write(this.text, isForced);
    await this.command('enable', this.target);
    const isLoaded = (await this.print()).exit === 0;
    // launchd keeps a loaded service unchanged: a new file is read only when the service is loaded again.
    const restarted = isLoaded && changed && startsNow;
    if (restarted) await this.unload();
    if (startsNow && (changed || !isLoaded)) await this.load();
    return { changed, started: startsNow, restarted };
  }

  async uninstall({ isForced }: { isForced: boolean }): Promise<boolean> {
    if (this.file.getState() === 'absent') return false;
    this.file.requireOurs('removed', isForced);
    if ((await this.print()).exit === 0) await this.unload();
    this.file.remove(isForced);
    return true;
  }

  async status(): Promise<ServiceState> {
    const { exit, out } = await this.print();
    const isLoaded = exit === 0;
    const state = /^[ \t]*state = (.+)$/m.exec(out)?.[1] ?? (isLoaded ? 'loaded' : 'not loaded');
    const pid = Number(/^[ \t]*pid = (\d+)$/m.exec(out)?.[1] ?? 0);
    const lastExit = Number(/^[ \t]*last exit code = (\d+)/m.exec(out)?.[1] ?? 0);
    const fileState = this.file.getState();
    return {
      manager: this.manager,
      name: this.name,
      path: this.path,
      installed: fileState !== 'absent',
      edited: isEdited(fileState),
      enabled: isLoaded,
      active: state === 'running',
      state,
      pid: pid > 0 ? pid : null,
      last_exit: lastExit > 0 ? lastExit : null,
      missing: this.file.findMissing(readPlistCommand),
      outdated: this.isOutdated(),
    };
  }

  isOutdated(): boolean {
    return this.file.isOutdated(this.text);
  }

  logs({ lines, follows }: { lines: number; follows: boolean }): readonly [string, ...string[]] {
    return ['tail', '-n', String(lines), ...(follows ? ['-F'] : []), this.log];
  }

  async lingers(): Promise<boolean | undefined> {
    return undefined;
  }

  private get target(): string {
    return `${this.domain}/${this.name}`;
  }

  private print(): Promise<ProgramOutput> {
    return this.programs.run('launchctl', ['print', this.target]);
  }

  /** Unloads the service and waits until launchd has let go of its label. */
  private async unload(): Promise<void> {
    const args = ['bootout', this.target];
    const said = await this.programs.run('launchctl', args);
    const fail = (err: string) => serviceFailed(`launchctl ${args.join(' ')}`, { ...said, err });
    if (!UNLOADED.has(said.exit)) throw fail(said.err);
    const end = this.clock.elapsed() + UNLOAD_LIMIT_MS;
    while ((await this.print()).exit === 0) {
      if (this.clock.elapsed() >= end) throw fail(`the service has not ended within ${UNLOAD_LIMIT_MS / 1_000} s`);
      await sleep(this.clock, PAUSE_MS);
    }
  }

  /** Loads the service, and with it starts it. A label that was unloaded just now is refused for some seconds. */
  private async load(): Promise<void> {
    const args = ['bootstrap', this.domain, this.path];
    const end = this.clock.elapsed() + LOAD_LIMIT_MS;
    for (;;) {
      const said = await this.programs.run('launchctl', args);
      if (said.exit === 0) return;
      if (!NOT_YET_LOADABLE.has(said.exit) || this.clock.elapsed() >= end)
        throw serviceFailed(`launchctl ${args.join(' ')}`, said);
      await sleep(this.clock, PAUSE_MS);
    }
  }

  private async command(...args: string[]): Promise<void> {
    const said = await this.programs.run('launchctl', args);
    if (said.exit !== 0) throw serviceFailed(`launchctl ${args.join(' ')}`, said);
  }
}
