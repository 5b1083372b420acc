import { randomBytes } from 'node:crypto';
import type { DaemonFile } from '../../contract/daemon-file.js';
import type { ProjectList, RunningProject } from '../../contract/projects.js';
import { isValidProof } from '../../lib/crypto/daemon-proof.js';
import type { ProjectEntry } from '../../lib/project-entry.js';
import type { HealthAnswer } from './ask-health.js';

/** Entries by which the daemons of this user find each other. */
interface Entries {
  write(entry: ProjectEntry): Promise<void>;
  remove(root: string): void;
  list(): Promise<ProjectEntry[]>;
  sweep(entry: ProjectEntry): Promise<void>;
}

/** Another daemon of this user that has proven its identity, with the secret by which its operator is known to it. */
export interface ProvenProject {
  project: RunningProject;
  secret: string;
}

interface RunningProjectsParts {
  /** Undefined for a user without a home directory. This daemon then lists only itself. */
  entries: Entries | undefined;
  /** This daemon's own entry, available once it listens. */
  own: () => ProjectEntry;
  /** Reads the file that the daemon at a project's root wrote about itself, readable by its user only. */
  readDaemonFile: (root: string) => Promise<DaemonFile | undefined>;
  /** Returns the words that run the command line in a shell. */
  findCommand: () => Promise<readonly string[]>;
  askHealth: (address: string, nonce: string) => Promise<HealthAnswer>;
  warn: (message: string) => void;
}

/** The daemons of this user that run on this machine. Each has proven that it is the daemon of its entry. */
export class RunningProjects {
  private isStopped = false;

  constructor(private readonly parts: RunningProjectsParts) {}

  /** Writes this daemon's entry. When that fails, other daemons do not list this one; nothing else is affected. */
  async announce(): Promise<void> {
    if (this.isStopped) return;
    try {
      await this.parts.entries?.write(this.parts.own());
    } catch {
      this.parts.warn('other daemons of this user are not told of this one: its entry could not be written');
    }
    // The daemon may have begun to stop during the write.
    if (this.isStopped) this.withdraw();
  }

  /** Removes this daemon's entry. Nothing is announced afterwards. */
  withdraw(): void {
    this.isStopped = true;
    this.parts.entries?.remove(this.parts.own().root);
  }

  /**
   * Lists every daemon of this user that currently proves its identity, by name, including this one. An entry without a
   * running daemon is removed. A daemon that is too busy to respond is omitted and its entry kept.
   */
  async list(): Promise<ProjectList> {
    const own = this.parts.own();
    const others = (await this.listOthers()).map(({ project }) => project);
    const projects = [{ ...own, current: true }, ...others];
    projects.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.root.localeCompare(b.root, 'en'));
    return { projects, count: projects.length, command: await this.parts.findCommand() };
  }

  /** Like `list`, without this daemon and in no order. */
  async listOthers(): Promise<ProvenProject[]> {
    const own = this.parts.own();
    const entries = (await this.parts.entries?.list()) ?? [];
    const isTold = entries.some(({ root, started_at }) => root === own.root && started_at === own.started_at);
    if (!isTold) await this.announce();
    const others = await Promise.all(entries.filter(({ root }) => root !== own.root).map((entry) => this.find(entry)));
    return others.filter((project) => project !== undefined);
  }

  /**
   * Returns the daemon of an entry. Only a nonce is sent to it before it has proven that it holds its project's secret.
   */
  private async find(entry: ProjectEntry): Promise<ProvenProject | undefined> {
    const { readDaemonFile, askHealth, entries } = this.parts;
    const file = await readDaemonFile(entry.root);
    const nonce = randomBytes(16).toString('base64url');
    const health = file ? await askHealth(file.address, nonce) : 'gone';
    if (health === 'silent') return undefined;
    if (!file || health === 'gone' || !isValidProof(file.secret, nonce, health.proof)) {
      await entries?.sweep(entry);
      return undefined;
    }
    const { address, pid } = file;
    const { project: name = entry.name, version = entry.version, started_at = entry.started_at } = health;
    const project = { name, root: entry.root, address, pid, version, started_at, current: false };
    return { project, secret: file.secret };
  }
}
