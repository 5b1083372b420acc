import { randomBytes } from 'node:crypto';
import type { DaemonFile } from '../../contract/daemon-file.js';
import type { ProjectList, RunningProject } from '../../contract/projects.js';
import { isProofOf } from '../../lib/daemon-proof.js';
import type { ProjectEntry } from '../../lib/project-entry.js';
import type { HealthAnswer } from './ask-health.js';

/** Where the daemons of this user leave word of themselves. */
export interface Entries {
  write(entry: ProjectEntry): Promise<void>;
  remove(root: string): void;
  list(): Promise<ProjectEntry[]>;
  sweep(entry: ProjectEntry): Promise<void>;
}

export interface RunningProjectsParts {
  /** Undefined for a user without a home: this daemon then knows of itself only. */
  entries: Entries | undefined;
  /** This daemon's own entry, once it listens. */
  own: () => ProjectEntry;
  /** What the daemon at a project's root wrote about itself, for its user alone. */
  readDaemonFile: (root: string) => Promise<DaemonFile | undefined>;
  askHealth: (address: string, nonce: string) => Promise<HealthAnswer>;
  warn: (message: string) => void;
}

/** The daemons of this user that run on this machine, each of which has proven that it is the one its entry speaks of. */
export class RunningProjects {
  private isStopped = false;

  constructor(private readonly parts: RunningProjectsParts) {}

  /** Leaves word of this daemon. Whoever cannot be told loses the link to it, nothing else. */
  async announce(): Promise<void> {
    if (this.isStopped) return;
    try {
      await this.parts.entries?.write(this.parts.own());
    } catch {
      this.parts.warn('other daemons of this user are not told of this one: its entry could not be written');
    }
    // The daemon may have begun to stop while the word was on its way to the disk.
    if (this.isStopped) this.withdraw();
  }

  /** Takes the word back. Nothing is announced afterwards. */
  withdraw(): void {
    this.isStopped = true;
    this.parts.entries?.remove(this.parts.own().root);
  }

  /**
   * Every daemon of this user that proves itself now, by name, this one among them. An entry that nobody stands behind is swept; one whose daemon
   * took the question and was too busy to answer is left out this time.
   */
  async list(): Promise<ProjectList> {
    const own = this.parts.own();
    const entries = (await this.parts.entries?.list()) ?? [];
    const isTold = entries.some(({ root, started_at }) => root === own.root && started_at === own.started_at);
    if (!isTold) await this.announce();
    const others = await Promise.all(entries.filter(({ root }) => root !== own.root).map((entry) => this.find(entry)));
    const projects = [{ ...own, current: true }, ...others.filter((project) => project !== undefined)];
    projects.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.root.localeCompare(b.root, 'en'));
    return { projects, count: projects.length };
  }

  /** The daemon that an entry speaks of; nothing but a nonce is sent before it has proven that it holds its project's secret. */
  private async find(entry: ProjectEntry): Promise<RunningProject | undefined> {
    const { readDaemonFile, askHealth, entries } = this.parts;
    const file = await readDaemonFile(entry.root);
    const nonce = randomBytes(16).toString('base64url');
    const health = file ? await askHealth(file.address, nonce) : 'gone';
    if (health === 'silent') return undefined;
    if (!file || health === 'gone' || !isProofOf(file.secret, nonce, health.proof)) {
      await entries?.sweep(entry);
      return undefined;
    }
    const { address, pid } = file;
    const { project: name = entry.name, version = entry.version, started_at = entry.started_at } = health;
    return { name, root: entry.root, address, pid, version, started_at, current: false };
  }
}
