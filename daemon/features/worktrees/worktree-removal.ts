import {
  WORKTREE_IDLE_DAYS,
  type Worktree,
  type WorktreeList,
  type WorktreeRemoved,
} from '../../contract/work/worktrees.js';
import { MeshError } from '../../lib/errors.js';
import { isoTime } from '../../lib/time/clock.js';
import { named } from '../../storage/git/place-update.js';
import type { WorktreeFolders } from '../../storage/worktrees/worktree-folders.js';
import type { WorktreeChanges, WorktreeGit } from '../../storage/worktrees/worktree-git.js';
import type { ForgottenPlace } from '../conversations/turn-change.js';
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

const DELETED = 'Deleted conversation';
const STAYS = 'a worktree stays, because repositories in it would be lost with it';

/** What would be lost with a worktree, or kept on a ref: files that differ, and repositories in it. */
interface Found {
  /** Whether its folder is there. */
  isThere: boolean;
  changes?: WorktreeChanges | undefined;
  repositories: string[];
}

/** Throws `file_changed`, with the numbers for the operator, when there is anything. */
function requireNothing({ changes, repositories }: Found): void {
  const count = changes?.files.length ?? 0;
  const sentences: string[] = [];
  if (changes && (count > 0 || repositories.length === 0)) {
    const files = count === 1 ? 'One file of this worktree differs' : `${count} files of this worktree differ`;
    sentences.push(`${files} from where it began`);
  }
  if (repositories.length > 0)
    sentences.push(`Repositories in this worktree are not kept when it is removed (${named(repositories)})`);
  if (sentences.length === 0) return;
  const message = `${sentences.join('. ')}: remove it with \`changes=discard\` (\`--discard\`).`;
  throw new MeshError('file_changed', message, { details: { changed_files: count, repositories } });
}

/** The project's own folder of worktrees, and git in the project. */
interface OwnPlace {
  folders: WorktreeFolders;
  git: WorktreeGit;
}

const isChanged = ({ files, head }: WorktreeChanges, { base }: WorktreeRow) => files.length > 0 || head !== base;

/**
 * Lists and removes worktrees. What a removed one had changed is kept on a ref below `refs/meshd/kept/`. One without
 * changes goes after a week without a turn; one with changes only with its conversation, or when the operator says so.
 * One in which there are repositories, which no ref keeps, goes only when the operator says so.
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
    if (!folders) return undefined;
    const conversation = conversations.find(row.conv);
    const { conv, path, branch, base, base_branch } = row;
    const git = await openGit();
    const [disk_bytes, changes, repositories] = await Promise.all([
      folders.diskBytes(conv),
      // Its folder may have been removed by hand.
      git.changes(path, base, row.provided).catch(() => undefined),
      git.findRepositories(path, row.provided).catch(() => []),
    ]);
    return {
      ...{ conv, path, branch, base, base_branch, disk_bytes },
      title: conversation ? formatTitle(conversation) : DELETED,
      member: conversation?.member ?? null,
      changed_files: changes?.files.length ?? 0,
      repositories,
      running: worktrees.isInUse(conv),
      created_at: isoTime(row.created_ms),
      used_at: isoTime(row.used_ms),
    };
  }

  /**
   * Removes the worktree of a conversation; its next turn gets a new one. Throws `not_found` without one, `in_flight`
   * while a turn works in it, and `file_changed` when it has changes, or repositories in it, and `discard` is false.
   * Publishes `conversation.updated`.
   */
  async remove(conv: string, discard: boolean): Promise<WorktreeRemoved> {
    const { store, bus, worktrees } = this.parts;
    const removed = await worktrees.exclusively(conv, async () => {
      const row = store.find(conv);
      if (row?.state !== 'ready') throw new MeshError('not_found', 'This conversation has no worktree of its own.');
      if (worktrees.isInUse(conv)) throw new MeshError('in_flight', 'A turn works in this worktree: stop it first.');
      const found = await this.look(row);
      if (!discard) requireNothing(found);
      return this.keepAndRemove(row, found);
    });
    bus.publish('conversation.updated', { conv });
    return removed;
  }

  /**
   * Removes the worktree of a deleted conversation, unless there are repositories in it. Returns the ref that keeps its
   * changes, or null, and the folder that stays. Never rejects.
   */
  async forget(conv: string): Promise<ForgottenPlace> {
    const { store, worktrees, onFailed } = this.parts;
    return worktrees.exclusively(conv, async () => {
      const row = store.find(conv);
      // One that another conversation works in goes with a later sweep.
      if (!row || worktrees.isInUse(conv)) return { kept: null };
      try {
        const found = await this.look(row);
        if (found.repositories.length === 0) return { kept: (await this.keepAndRemove(row, found)).kept };
        onFailed(new Error(`${row.path} stays with ${named(found.repositories)}.`), STAYS);
        return { kept: null, left: row.path };
      } catch (error) {
        onFailed(error, 'the worktree of a deleted conversation could not be removed');
        return { kept: null };
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
          const isForgotten = !conversations.find(conv);
          if (!isForgotten && clock.now() - row.used_ms < IDLE_MS) return;
          const found = await this.look(row);
          if (found.repositories.length > 0) return;
          if (isForgotten) await this.keepAndRemove(row, found);
          else if (found.isThere && !found.changes) await this.finish(row);
        });
      } catch (error) {
        onFailed(error, 'an idle worktree could not be removed');
      }
    }
    this.cancelSweep();
    this.cancelSweep = clock.after(SWEEP_EVERY_MS, () => void this.sweep());
  }

  /** Looks at what there is in a worktree. Nothing, when its folder is not there. */
  private async look(row: WorktreeRow): Promise<Found> {
    const { conv, path, base, provided } = row;
    const { folders, openGit } = this.parts;
    if (!(folders?.isOwn(conv, path) && (await folders.has(conv)))) return { isThere: false, repositories: [] };
    const git = await openGit();
    const changes = await git.changes(path, base, provided);
    const repositories = await git.findRepositories(path, provided);
    return { isThere: true, changes: isChanged(changes, row) ? changes : undefined, repositories };
  }

  /** Keeps the changes, if there are any, then removes the worktree. */
  private async keepAndRemove(row: WorktreeRow, { changes }: Found): Promise<WorktreeRemoved> {
    const { conv, path, provided } = row;
    const { clock, openGit } = this.parts;
    let kept: string | null = null;
    if (changes) {
      kept = `refs/meshd/kept/${conv}-${clock.now()}`;
      await (await openGit()).keep(path, kept, provided, `Worktree of ${conv}, when it was removed`);
    }
    const left = await this.finish(row);
    return { conv, changed_files: changes?.files.length ?? 0, kept: kept ?? left };
  }

  /**
   * Removes a worktree whose changes are kept, with its branch. Returns the branch's ref when it stays. A daemon that
   * is killed meanwhile goes on with it at its next start.
   */
  private async finish(row: WorktreeRow): Promise<string | null> {
    const { store, transactions, folders, openGit } = this.parts;
    const { conv, path } = row;
    if (!folders?.isOwn(conv, path)) {
      await this.leave(row);
      return null;
    }
    const git = await openGit();
    await transactions.run((transaction) => store.putRemoving(transaction, conv));
    const left = await this.dropBranch(git, store.find(conv) ?? row);
    await git.remove(path);
    await transactions.run((transaction) => store.drop(transaction, conv));
    return left;
  }

  /**
   * Removes the branch that a worktree was given, unless it alone has commits: those of a HEAD that left the branch, or
   * of a folder removed by hand, are on no kept ref. Returns the branch's ref when it stays.
   */
  private async dropBranch(git: WorktreeGit, { branch, base }: WorktreeRow): Promise<string | null> {
    if (!branch?.startsWith('meshd/')) return null;
    const commit = await git.findBranch(branch);
    if (commit === undefined) return null;
    if (commit !== base && !(await git.isHeldElsewhere(commit, branch))) return `refs/heads/${branch}`;
    await git.dropBranch(branch, commit);
    return null;
  }

  private async cleanUp(): Promise<void> {
    const { store, transactions, folders } = this.parts;
    if (!folders) return;
    const rows = store.list();
    if (rows.length === 0 && (await folders.list()).length === 0) return;
    const git = await this.parts.openGit();
    const place: OwnPlace = { folders, git };
    for (const { conv, path, state } of rows) {
      if (!folders.isOwn(conv, path)) await this.takeAlong(place, conv, path);
      const row = store.find(conv);
      if (!row) continue;
      if (state !== 'ready') await this.finish(row);
      else if (!(await folders.has(conv))) {
        // Removed by hand: the next turn makes a new one.
        await git.remove(row.path);
        await transactions.run((transaction) => store.drop(transaction, conv));
      }
    }
    const known = new Set<string>();
    for (const conv of await folders.list())
      if (!store.find(conv) && !(await this.adopt(place, conv))) known.add(folders.pathOf(conv));
    for (const { path } of store.list()) known.add(path);
    for (const path of await git.listBelow(folders.path)) if (!known.has(path)) await git.remove(path);
  }

  /** Moves a worktree to where this project's are, when the project was moved. Any other one is left where it is. */
  private async takeAlong({ folders, git }: OwnPlace, conv: string, from: string): Promise<void> {
    const { store, transactions, onFailed } = this.parts;
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

  /**
   * Removes a folder of which the store knows nothing, as after a restore of an older backup: its files are kept on a
   * ref. Returns false when it stays, because there are repositories in it.
   */
  private async adopt({ folders, git }: OwnPlace, conv: string): Promise<boolean> {
    const { clock, onFailed } = this.parts;
    const path = folders.pathOf(conv);
    if (await git.knows(path)) {
      const repositories = await git.findRepositories(path, []);
      if (repositories.length > 0) {
        onFailed(new Error(`${path} stays with ${named(repositories)}.`), STAYS);
        return false;
      }
      await git.keep(path, `refs/meshd/kept/${conv}-${clock.now()}`, [], `Worktree of ${conv}, which was not known`);
    }
    await git.remove(path);
    return true;
  }
}
