import { readdir } from 'node:fs/promises';
import type { RemovedMember } from '../../contract/team.js';
import { isMemberId } from '../../lib/agents/member-id.js';
import { MeshError, systemCode } from '../../lib/errors.js';
import { inState } from '../../private/private-names.js';
import { ensureDirectory } from '../files/atomic-write.js';
import { MarkdownFolder } from './markdown-folder.js';

const NAME = /^(?<id>[a-z0-9-]+)-(?<day>\d{4}-\d\d-\d\d)T(?<time>\d\d-\d\d-\d\d)-(?<ms>\d{3})Z\.md$/;

/** The texts of members that were removed, in the daemon's state folder: one file each, named by id and time. */
export class RemovedMembers {
  private readonly folder: string;

  constructor(state: string) {
    this.folder = inState(state, 'removed-members');
  }

  /** Keeps a text durably. Returns its path, relative to the project. */
  async keep(id: string, text: string, nowMs: number): Promise<string> {
    await ensureDirectory(this.folder, 0o700);
    const time = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
    const name = `${id}-${time}.md`;
    await this.files.write(name, text, 0o600);
    return `.mesh/state/removed-members/${name}`;
  }

  /** Returns the members that were removed since then, each once and the last first. */
  async list(sinceMs: number): Promise<RemovedMember[]> {
    const since = new Date(sinceMs).toISOString();
    const last = new Map<string, RemovedMember>();
    for (const { id, removed_at } of await this.entries())
      if (removed_at >= since && removed_at > (last.get(id)?.removed_at ?? '')) last.set(id, { id, removed_at });
    return [...last.values()].sort((a, b) => (a.removed_at < b.removed_at ? 1 : -1));
  }

  /** Returns the text that `id` had when it was last removed; undefined when none is kept or it cannot be read. */
  async read(id: string): Promise<string | undefined> {
    const last = (await this.entries())
      .filter((entry) => entry.id === id)
      .sort(byTime)
      .at(-1);
    const state = last && (await this.files.read(last.name));
    return state?.kind === 'text' ? state.text : undefined;
  }

  private get files(): MarkdownFolder {
    return new MarkdownFolder(this.folder, [], () => undefined);
  }

  private async entries() {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return [];
      throw new MeshError('internal', `The folder ${this.folder} cannot be read (${systemCode(error)}).`);
    });
    return names.flatMap((name) => {
      const { id, day, time, ms } = NAME.exec(name)?.groups ?? {};
      if (id === undefined || !isMemberId(id) || time === undefined) return [];
      return { name, id, removed_at: `${day}T${time.replaceAll('-', ':')}.${ms}Z` };
    });
  }
}

const byTime = (a: RemovedMember, b: RemovedMember) => (a.removed_at < b.removed_at ? -1 : 1);
