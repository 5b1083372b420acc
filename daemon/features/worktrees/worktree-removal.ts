import {
  WORKTREE_IDLE_DAYS,
  type Worktree,
  type WorktreeList,
  type WorktreeRemoved,
} from '../../contract/work/worktrees.js';
import { MeshError } from '../../lib/errors.js';
import { isoTime } from '../../lib/time/clock.js';
import type { WorktreeChanges, WorktreeGit } from '../../storage/worktrees/worktree-git.js';
import type { Worktrees, WorktreesParts } from './worktrees.js';
import type { WorktreeRow } from './worktrees-store.js';

const SWEEP_EVERY_MS = 60 * 60_000;
const IDLE_MS = WORKTREE_IDLE_DAYS * 24 * 60 * 60_000;

interface RemovalParts
  extends Pick<
    WorktreesParts,
    'store' | 'conversations' | 'transactions' | 'folders' | 'bus' | 'clock' | 'openGit' | 'onFailed'
  > {
  worktrees: Pick<Worktrees, 'isInUse' | 'exclusively' | 'problem'>;
  formatTitle: (conversation: { title: string; member: string | null }) => string;
}

const isChanged = ({ files, head }: WorktreeChanges, { base }: WorktreeRow) => files.length > 0 || head !== base;

/**
 * Lists and removes worktrees. What a removed one had changed is kept on a ref below `refs/meshd/kept/`. One without
 * changes goes after a week without a turn; one with changes only with its conversation, or when the operator says so.
 */
export class WorktreeRemoval {
  private cancelSweep: () => void = () => undefined;

  constructor(private readonly parts: RemovalParts) {}

  /** Returns all worktrees with their sizes and changes. */
  async list(): Promise<WorktreeList> {
    const { store, folders, worktrees } = this.parts;
    const rows = store.list().filter(({ state }) => state === 'ready');
    const found = (await Promise.all(rows.map((row) => this.view(row)))).filter((view) => view !== undefined);
    return {
      worktrees: found,
      count: found.length,
      disk_bytes: found.reduce((sum, { disk_bytes }) => sum + disk_bytes, 0),
      folder: folders?.path ?? null,
      problem: await worktrees.problem(),
    };
  }

  private async view(row: WorktreeRow): Promise<Worktree | undefined> {
    const { conversations, folders, openGit, formatTitle, worktrees } = this.parts;
    const conversation = conversations.find(row.conv);
    if (!conversation || !folders) return undefined;
    const { conv, path, branch, base, base_branch } = row;
    const git = await openGit();
    const [disk_bytes, changes] = await Promise.all([
      folders.diskBytes(conv),
      // Its folder may have been removed by hand.
      git.changes(path, base, row.provided).catch(() => undefined),
    ]);
    return {
      ...{ conv, path, branch, base, base_branch, disk_bytes },
      title: formatTitle(conversation),
      member: conversation.member,
      changed_files: changes?.files.length ?? 0,
      running: worktrees.isInUse(conv),
      created_at: isoTime(row.created_ms),
      used_at: isoTime(row.used_ms),
    };
  }

  /**
   * Removes the worktree of a conversation; its next turn gets a new one. Throws `not_found` without one, `in_flight`
   * while a turn works in it, and `file_changed` when it has changes and `discard` is false. Publishes
   * `conversation.updated`.
   */
  async remove(conv: string, discard: boolean): Promise<WorktreeRemoved> {
    const { store, bus, worktrees } = this.parts;
    const removed = await worktrees.exclusively(conv, async () => {
      const row = store.find(conv);
      if (row?.state !== 'ready') throw new MeshError('not_found', 'This conversation has no worktree of its own.');
      if (worktrees.isInUse(conv)) throw new MeshError('in_flight', 'A turn works in this worktree: stop it first.');
      return this.keepAndRemove(row, (count) => {
        if (discard) return;
        const files = count === 1 ? 'One file of this worktree differs' : `${count} files of this worktree differ`;
        const message = `${files} from where it began: remove it with \`changes=discard\` (\`--discard\`).`;
        throw new MeshError('file_changed', message, { details: { changed_files: count } });
      });
    });
    bus.publish('conversation.updated', { conv });
    return removed;
  }

  /** Removes the worktree of a deleted conversation. Returns the ref that keeps its changes, or null. Never rejects. */
  async forget(conv: string): Promise<string | null> {
    const { store, worktrees } = this.parts;
    return worktrees.exclusively(conv, async () => {
      const row = store.find(conv);
      // One that another conversation works in goes with a later sweep.
      if (!row || worktrees.isInUse(conv)) return null;
      try {
        return (await this.keepAndRemove(row)).kept;
      } catch (error) {
        this.parts.onFailed(error, 'the worktree of a deleted conversation could not be removed');
        return null;
      }
    });
  }

  /** Cleans up what a killed daemon left behind, and looks for idle worktrees from now on. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.cleanUp();
    } catch (error) {
      this.parts.onFailed(error, 'worktrees of the last start could not be cleaned up');
    }
    await this.sweep();
  }

  stop(): void {
    this.cancelSweep();
  }

  /** Removes worktrees of deleted conversations, and those without changes that were not used for a week. */
  async sweep(): Promise<void> {
    const { store, conversations, worktrees, clock, onFailed } = this.parts;
    for (const { conv } of store.list()) {
      try {
        await worktrees.exclusively(conv, async () => {
          const row = store.find(conv);
          if (row?.state !== 'ready' || worktrees.isInUse(conv)) return;
          if (!conversations.find(conv)) await this.keepAndRemove(row);
          else if (clock.now() - row.used_ms >= IDLE_MS) await this.removeUnchanged(row);
        });
      } catch (error) {
        onFailed(error, 'an idle worktree could not be removed');
      }
    }
    this.cancelSweep();
    this.cancelSweep = clock.after(SWEEP_EVERY_MS, () => void this.sweep());
  }

  private async removeUnchanged(row: WorktreeRow): Promise<void> {
    const git = await this.parts.openGit();
    const changes = await git.changes(row.path, row.base, row.provided);
    if (!isChanged(changes, row)) await this.finish(git, row);
  }

  /** Keeps the changes, if there are any and `admit` does not throw, then removes the worktree. */
  private async keepAndRemove(row: WorktreeRow, admit?: (changedFiles: number) => void): Promise<WorktreeRemoved> {
    const { conv, path, provided } = row;
    const { folders } = this.parts;
    const git = await this.parts.openGit();
    const isThere = folders?.isOwn(conv, path) && (await folders.has(conv));
    const changes = isThere ? await git.changes(path, row.base, provided) : undefined;
    let kept: string | null = null;
    if (changes && isChanged(changes, row)) {
      admit?.(changes.files.length);
      kept = `refs/meshd/kept/${conv}-${this.parts.clock.now()}`;
      await git.keep(path, kept, provided, `Worktree of ${conv}, when it was removed`);
    }
    await this.finish(git, row);
    return { conv, changed_files: changes?.files.length ?? 0, kept };
  }

  /** Removes a worktree whose changes are kept. A daemon that is killed meanwhile goes on with it at its next start. */
  private async finish(git: WorktreeGit, row: WorktreeRow): Promise<void> {
    const { store, transactions, folders } = this.parts;
    const { conv, path } = row;
    if (!folders?.isOwn(conv, path)) return this.leave(row);
    await transactions.run((transaction) => store.putRemoving(transaction, conv));
    const branch = store.find(conv)?.branch ?? null;
    const commit = branch === null ? undefined : await git.findBranch(branch);
    if (branch?.startsWith('meshd/') && commit !== undefined) await git.dropBranch(branch, commit);
    await git.remove(path);
    await transactions.run((transaction) => store.drop(transaction, conv));
  }

  private async cleanUp(): Promise<void> {
    const { store, transactions, folders } = this.parts;
    if (!folders) return;
    const rows = store.list();
    if (rows.length === 0 && (await folders.list()).length === 0) return;
    const git = await this.parts.openGit();
    for (const { conv, path, state } of rows) {
      if (!folders.isOwn(conv, path)) await this.takeAlong(git, conv, path);
      const row = store.find(conv);
      if (!row) continue;
      if (state !== 'ready') await this.finish(git, row);
      else if (!(await folders.has(conv))) {
        // Removed by hand: the next turn makes a new one.
        await git.remove(row.path);
        await transactions.run((transaction) => store.drop(transaction, conv));
      }
    }
    for (const conv of await folders.list()) if (!store.find(conv)) await this.adopt(git, conv);
    const known = new Set(store.list().map(({ path }) => path));
    for (const path of await git.listBelow(folders.path)) if (!known.has(path)) await git.remove(path);
  }

  /** Moves a worktree to where this project's are, when the project was moved. Any other one is left where it is. */
  private async takeAlong(git: WorktreeGit, conv: string, from: string): Promise<void> {
    const { store, transactions, folders, onFailed } = this.parts;
    if (!folders) return;
    const to = folders.pathOf(conv);
    let isMoved = false;
    try {
      if (folders.isOfUser(conv, from) && folders.isOwn(conv, to)) {
        await folders.prepare();
        isMoved = await git.moveAlong(from, to);
      }
    } catch (error) {
      onFailed(error, 'a worktree could not be moved along with its project');
    }
    if (isMoved) await transactions.run((transaction) => store.putPath(transaction, conv, to));
    else await this.leave({ conv, path: from });
  }

  /** Forgets a worktree that is elsewhere than this project's: it may be another project's, so it is not touched. */
  private async leave({ conv, path }: Pick<WorktreeRow, 'conv' | 'path'>): Promise<void> {
    const { store, transactions, folders, onFailed } = this.parts;
    await transactions.run((transaction) => store.drop(transaction, conv));
    if (!folders || !(await folders.isThere(path))) return;
    const where = `${path} stays as it is: it is not in ${folders.path}, where the worktrees of this project are.`;
    onFailed(new Error(where), 'the worktree of a conversation is elsewhere and was left alone');
  }

  /** A folder of which the store knows nothing, as after a restore of an older backup: its files are kept on a ref. */
  private async adopt(git: WorktreeGit, conv: string): Promise<void> {
    const { folders, clock } = this.parts;
    const path = folders?.pathOf(conv);
    if (path === undefined) return;
    if (await git.knows(path))
      await git.keep(path, `refs/meshd/kept/${conv}-${clock.now()}`, [], `Worktree of ${conv}, which was not known`);
    await git.remove(path);
  }
}
