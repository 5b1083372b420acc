import type { MessageAccepted } from '../../contract/conversations.js';
import {
  MERGE_METHODS,
  type Merged,
  type MergePreview,
  type NewMerge,
  type ResolveConflicts,
} from '../../contract/work/reviews.js';
import type { Bus } from '../../events/bus.js';
import { KeyedMutex } from '../../lib/async/keyed-mutex.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import { zeroSeparated } from '../../storage/git/git-output.js';
import type { GitRepository } from '../../storage/git/git-repository.js';
import {
  canMergeTrees,
  commitTree,
  getIdentity,
  isAncestor,
  mergeTrees,
  rebaseCommits,
} from '../../storage/git/merge-commits.js';
import { named, newLockName, PlaceUpdate } from '../../storage/git/place-update.js';
import { findBranchUser, findUnfinished } from '../../storage/git/unfinished.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { MergeMoves } from './merge-moves.js';
import { findOverlaps, type OtherWork } from './overlaps.js';
import { findTip, type Tip } from './tips.js';
import type { Work, Worktree } from './work.js';

const BRANCHES_MAX = 100;
const CONFLICTS_NAMED = 50;
const NOT_A_MERGE = { ahead: 0, behind: 0, files: 0, conflicts: [], methods: [], overlaps: [], checked_out: false };

type Method = NewMerge['method'];

interface MergesParts {
  conversations: Pick<Conversations, 'get' | 'row'>;
  messages: Pick<Messages, 'say'>;
  work: Work;
  moves: Pick<MergeMoves, 'run' | 'finish'>;
  /** The worktrees of all conversations, the newest first. */
  listWorktrees: () => readonly Worktree[];
  /** Runs `work` while no turn begins or ends in the worktree that belongs to a conversation. */
  exclusively: <T>(owner: string, work: () => Promise<T>) => Promise<T>;
  /** Whether a turn works in the worktree that belongs to a conversation. */
  isInUse: (owner: string) => boolean;
  /** The commands that open a pull request; null when that is not possible. */
  pullRequest: (repository: GitRepository, plan: PullRequestPlan) => Promise<string[] | null>;
  bus: Pick<Bus, 'publish'>;
}

export interface PullRequestPlan {
  branch: string;
  into: string;
  title: string;
}

/** What is to be merged, and into what. */
interface Plan {
  repository: GitRepository;
  worktree: Worktree;
  tip: Tip;
  into: string;
  head: string;
  title: string;
}

/** Merges what conversations changed in their worktrees. Contract: Merge. */
export class Merges {
  private readonly locks = new KeyedMutex();

  constructor(private readonly parts: MergesParts) {}

  /** Resolves when what was begun has ended. */
  stop(): Promise<void> {
    return this.locks.idle();
  }

  /** Throws `not_found`, and `bad_request` for a branch that does not exist. Changes nothing. */
  async preview(conv: string, into: string | undefined): Promise<MergePreview> {
    const { work, conversations } = this.parts;
    const { title } = conversations.get(conv);
    const worktree = work.findWorktree(conv);
    const repository = await work.open(conv);
    const empty = { conv, into: into ?? '', branches: [], head: '', ...NOT_A_MERGE, pull_request: null };
    if (!repository) return { ...empty, problem: 'The project is not in a git repository, or git is not installed.' };
    if (!worktree) {
      const problem = 'This conversation works in the project folder itself: its changes are there already.';
      return { ...empty, problem };
    }
    if (!(await canMergeTrees(repository)))
      return { ...empty, problem: 'Merging needs git 2.38 or newer: install a newer git.' };
    const branches = await this.branches(repository, worktree);
    const target = into ?? this.defaultBranch(worktree, branches);
    if (target === undefined) return { ...empty, problem: 'There is no branch to merge into.' };
    const head = await this.requireBranch(repository, target);
    const tip = await findTip(work, conv, repository, title);
    return this.previewOf({ repository, worktree, tip, into: target, head, title }, conv, branches);
  }

  /**
   * Merges. Nothing is changed when it throws: `file_changed` when the branch has moved since the preview, files that
   * would change have changes that are not committed, a rebase or conflict waits in the worktree, or the branch is
   * rebased or bisected in another folder, `bad_request` for a method that is not possible and for files whose filter
   * is not run, `in_flight` while a turn or another git works there, `not_found`.
   */
  async merge(conv: string, { into, head, method, message }: NewMerge): Promise<Merged> {
    const { work, moves, exclusively, bus, conversations } = this.parts;
    const { title } = conversations.get(conv);
    const worktree = this.requireWorktree(conv);
    return this.locks.runExclusive('merge', () =>
      exclusively(worktree.conv, async () => {
        await moves.finish(worktree.conv);
        const repository = await this.requireRepository(conv);
        this.requireIdle(worktree);
        await requireFinished(repository);
        if ((await this.requireBranch(repository, into)) !== head)
          throw new MeshError('file_changed', `\`${into}\` has moved since: look at the merge again.`);
        const user = await findBranchUser(repository, into);
        if (user) throw new MeshError('file_changed', tellUsed(into, user));
        const tip = await findTip(work, conv, repository, title);
        const plan: Plan = { repository, worktree, tip, into, head, title };
        requireFiltered(await findUnfiltered(plan));
        const commit = await this.commitBy(method, plan, message?.trim() || defaultMessage(plan));
        const place = (await findPlace(repository, into)) ?? null;
        await moves.run({
          ...{ conv: worktree.conv, branch: into, before_commit: head, after_commit: commit, place },
          ...{ worktree: worktree.path, tip: tip.commit, head: tip.head, lock_name: newLockName() },
        });
        bus.publish('conversation.updated', { conv });
        return { conv, into, method, before: head, commit, undo: undoCommand(place, into, head, commit) };
      }),
    );
  }

  /** Hands the conflicts to the member. Throws `not_found`, `bad_request` without conflicts, and like a message. */
  async resolve(conv: string, { into }: ResolveConflicts): Promise<MessageAccepted> {
    const { conflicts, problem } = await this.preview(conv, into);
    if (conflicts.length === 0)
      throw new MeshError('bad_request', problem ?? `Merging into \`${into}\` has no conflicts.`);
    const listed = conflicts.slice(0, CONFLICTS_NAMED).map((path) => `- \`${path}\``);
    if (conflicts.length > CONFLICTS_NAMED) listed.push(`- and ${conflicts.length - CONFLICTS_NAMED} more`);
    const text = [
      `Your changes conflict with the branch \`${into}\` in these files:\n\n${listed.join('\n')}`,
      `Merge \`${into}\` into your working folder with \`git merge ${into}\`, after you have committed your own changes ` +
        'there. Resolve each conflict so that both sides keep their meaning, run the checks, and commit the merge. Do ' +
        `not change the branch \`${into}\` itself.`,
    ].join('\n\n');
    return this.parts.messages.say(conv, { text });
  }

  /**
   * What a pull request of the conversation would consist of. Throws like `preview`, `bad_request` without one,
   * `in_flight` while a turn works there, and `file_changed` while a rebase or conflict waits in the worktree.
   */
  async plan(conv: string, into: string): Promise<{ plan: Plan; commands: string[] }> {
    const { work, conversations, pullRequest } = this.parts;
    const { title } = conversations.get(conv);
    const worktree = this.requireWorktree(conv);
    const repository = await this.requireRepository(conv);
    this.requireIdle(worktree);
    await requireFinished(repository);
    const head = await this.requireBranch(repository, into);
    const tip = await findTip(work, conv, repository, title);
    // Files of the agent's own commits are as its git filtered them; what meshd would add is not.
    requireFiltered(tip.unfiltered);
    const plan: Plan = { repository, worktree, tip, into, head, title };
    const branch = worktree.branch;
    const commands = branch === null ? null : await pullRequest(repository, { branch, into, title });
    if (!commands)
      throw new MeshError(
        'bad_request',
        'No pull request can be opened: that needs the program `gh`, a branch with changes, and a remote `origin` on ' +
          'a host that `gh` knows.',
      );
    return { plan, commands };
  }

  private async previewOf(plan: Plan, conv: string, branches: string[]): Promise<MergePreview> {
    const { repository, worktree, tip, into, head, title } = plan;
    const count = async (range: string) => Number(await repository.output(['rev-list', '--count', range]));
    const [ahead, behind] = [await count(`${head}..${tip.commit}`), await count(`${tip.commit}..${head}`)];
    const base = (await repository.run(['merge-base', head, tip.commit])).stdout.trim();
    const facts = { conv, into, branches, head, ahead, behind };
    if (base === '') {
      const problem = `\`${into}\` and this conversation have no common history.`;
      return { ...NOT_A_MERGE, ...facts, pull_request: null, problem };
    }
    const changed = await repository.output(['diff', '--name-only', '--no-renames', '-z', base, tip.commit]);
    const unfinished = await findUnfinished(repository);
    // Which conflicts there are is known only once the member has ended it.
    const merged = unfinished === undefined ? await mergeTrees(repository, head, tip.commit) : undefined;
    const conflicts = merged && 'conflicts' in merged ? merged.conflicts : [];
    const tree = merged && 'tree' in merged ? merged.tree : undefined;
    const place = await findPlace(repository, into);
    const problem = await this.problemOf(plan, { ahead, place, tree, unfinished });
    const methods: Method[] = [];
    for (const method of problem === null ? MERGE_METHODS : [])
      if (await this.isPossible(method, plan, conflicts)) methods.push(method);
    const isWaiting = this.isBusy(worktree);
    const { branch } = worktree;
    const commands =
      branch === null || ahead === 0 || tip.unfiltered.length > 0 || unfinished !== undefined
        ? null
        : await this.parts.pullRequest(repository, { branch, into, title });
    return {
      ...facts,
      files: zeroSeparated(changed).length,
      conflicts,
      methods: isWaiting ? [] : methods,
      overlaps: await findOverlaps(repository, tip.commit, await this.otherWork(worktree)),
      checked_out: place !== undefined,
      problem,
      pull_request: commands && { commands },
    };
  }

  private async problemOf(
    plan: Plan,
    facts: { ahead: number; place: string | undefined; tree: string | undefined; unfinished: string | undefined },
  ): Promise<string | null> {
    const { ahead, place, tree, unfinished } = facts;
    if (this.isBusy(plan.worktree)) return 'A turn works in this conversation: wait until it has ended, or stop it.';
    if (unfinished !== undefined) return tellUnfinished(unfinished);
    const unfiltered = await findUnfiltered(plan);
    if (unfiltered.length > 0) return tellUnfiltered(unfiltered);
    if (ahead === 0) return `There is nothing to merge: \`${plan.into}\` has all of it.`;
    const user = await findBranchUser(plan.repository, plan.into);
    if (user) return tellUsed(plan.into, user);
    return place === undefined || tree === undefined ? null : this.findDirt(place, plan.head, tree);
  }

  /** Why the files of the folder in which the branch is checked out cannot change; null when they can. */
  private async findDirt(folder: string, before: string, after: string): Promise<string | null> {
    const repository = await this.parts.work.openAt(folder);
    if (!repository) return `The folder ${folder} cannot be opened as a working tree of git.`;
    try {
      await PlaceUpdate.requireClean(repository, before, after);
      return null;
    } catch (error) {
      if (error instanceof MeshError) return error.message;
      throw error;
    }
  }

  private async isPossible(method: Method, plan: Plan, conflicts: readonly string[]): Promise<boolean> {
    const { repository, head, tip } = plan;
    if (method === 'fast_forward') return isAncestor(repository, head, tip.commit);
    if (method !== 'rebase') return conflicts.length === 0;
    if (await isAncestor(repository, head, tip.commit)) return true;
    const identity = getIdentity(repository);
    return 'commit' in (await rebaseCommits(repository, head, tip.commit, identity));
  }

  /** Creates the commit to which the branch moves. Throws `bad_request` when the method is not possible. */
  private async commitBy(method: Method, plan: Plan, message: string): Promise<string> {
    const { repository, head, tip, into } = plan;
    const impossible = (why: string) =>
      new MeshError('bad_request', `The method \`${method}\` is not possible: ${why}`, { details: { path: 'method' } });
    if (await isAncestor(repository, tip.commit, head))
      throw new MeshError('bad_request', `There is nothing to merge: \`${into}\` has all of it.`);
    if (method === 'fast_forward') {
      if (await isAncestor(repository, head, tip.commit)) return tip.commit;
      throw impossible(`\`${into}\` has commits that this conversation lacks.`);
    }
    const identity = getIdentity(repository);
    if (method === 'rebase') {
      if (await isAncestor(repository, head, tip.commit)) return tip.commit;
      const done = await rebaseCommits(repository, head, tip.commit, identity);
      if ('commit' in done) return done.commit;
      throw impossible('problem' in done ? done.problem : `there are conflicts in ${done.conflicts.join(', ')}.`);
    }
    const merged = await mergeTrees(repository, head, tip.commit).catch((error: unknown) => {
      throw impossible(getErrorMessage(error));
    });
    if ('conflicts' in merged) throw impossible(`there are conflicts in ${merged.conflicts.join(', ')}.`);
    const parents = method === 'merge' ? [head, tip.commit] : [head];
    return commitTree(repository, merged.tree, parents, message, identity);
  }

  private async otherWork({ conv: own }: Worktree): Promise<OtherWork[]> {
    const { work, listWorktrees, conversations } = this.parts;
    const others: OtherWork[] = [];
    for (const { conv } of listWorktrees()) {
      if (conv === own || others.length >= 10) continue;
      try {
        const repository = await work.open(conv);
        if (!repository) continue;
        const head = (await repository.output(['rev-parse', '--verify', 'HEAD'])).trim();
        const { tree } = await work.snapshot(conv, repository);
        others.push({ conv, title: conversations.get(conv).title, head, tree });
      } catch {
        // A worktree that is just being made or removed has nothing to compare.
      }
    }
    return others;
  }

  private requireWorktree(conv: string): Worktree {
    this.parts.conversations.row(conv);
    const worktree = this.parts.work.findWorktree(conv);
    if (worktree) return worktree;
    throw new MeshError(
      'bad_request',
      'This conversation works in the project folder itself: its changes are there already.',
    );
  }

  private async requireRepository(conv: string): Promise<GitRepository> {
    const repository = await this.parts.work.open(conv);
    if (!repository) throw new MeshError('bad_request', 'Its worktree cannot be opened by git any more.');
    if (!(await canMergeTrees(repository)))
      throw new MeshError('bad_request', 'Merging needs git 2.38 or newer: install a newer git.');
    return repository;
  }

  private isBusy({ conv }: Worktree): boolean {
    return this.parts.isInUse(conv) || this.parts.conversations.get(conv).running !== null;
  }

  private requireIdle(worktree: Worktree): void {
    if (this.isBusy(worktree))
      throw new MeshError('in_flight', 'A turn works in this conversation: wait until it has ended, or stop it.');
  }

  private async branches(repository: GitRepository, { branch }: Worktree): Promise<string[]> {
    const args = ['for-each-ref', '--sort=-committerdate', `--count=${BRANCHES_MAX + 1}`, '--format=%(refname)'];
    const listed = await repository.output([...args, 'refs/heads/']);
    return listed
      .split('\n')
      .map((name) => name.slice('refs/heads/'.length))
      .filter((name) => name !== '' && name !== branch)
      .slice(0, BRANCHES_MAX);
  }

  private defaultBranch({ base_branch }: Worktree, branches: readonly string[]): string | undefined {
    if (base_branch !== null && branches.includes(base_branch)) return base_branch;
    return branches.find((name) => !name.startsWith('meshd/')) ?? branches[0];
  }

  private async requireBranch(repository: GitRepository, branch: string): Promise<string> {
    const name = `refs/heads/${branch}`;
    const shown = await repository.run(['show-ref', '--verify', '--hash', name]);
    if (shown.code === 0) return shown.stdout.trim();
    throw new MeshError('bad_request', `There is no branch ${JSON.stringify(branch.slice(0, 80))}.`, {
      details: { path: 'into' },
    });
  }
}

const defaultMessage = ({ title, tip }: Plan) =>
  `${title.replace(/\s+/g, ' ').trim()}\n\n${tip.subjects.join('\n')}`.trim();

/** The files of a merge whose filter is not run, in order. */
async function findUnfiltered({ repository, tip, head }: Plan): Promise<string[]> {
  const args = ['diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', `${head}...${tip.commit}`];
  // It fails without a common history, and then nothing can be merged.
  const { stdout } = await repository.run(args);
  const committed = await repository.findUnfiltered(zeroSeparated(stdout));
  return [...new Set([...tip.unfiltered, ...committed])].sort();
}

const tellUnfiltered = (paths: readonly string[]) =>
  `The repository's own configuration has a filter for ${named(paths)}, which meshd does not run: merge with git ` +
  'yourself.';

function requireFiltered(paths: readonly string[]): void {
  if (paths.length === 0) return;
  throw new MeshError('bad_request', tellUnfiltered(paths), { details: { paths: paths.slice(0, 100) } });
}

const tellUnfinished = (what: string) =>
  `${what} in the folder of this conversation: let the member end it (\`git status\` there says how).`;

async function requireFinished(repository: GitRepository): Promise<void> {
  const what = await findUnfinished(repository);
  if (what !== undefined) throw new MeshError('file_changed', tellUnfinished(what));
}

const tellUsed = (branch: string, { what, folder }: { what: string; folder: string }) =>
  `The branch \`${branch}\` is being ${what} in ${folder}: end that first.`;

/** The working tree in which a branch is checked out. */
async function findPlace(repository: GitRepository, branch: string): Promise<string | undefined> {
  const listed = (await repository.output(['worktree', 'list', '--porcelain', '-z'])).split('\0\0');
  for (const entry of listed) {
    const lines = entry.split('\0');
    const folder = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    const isGone = lines.some((line) => line.startsWith('prunable'));
    if (folder !== undefined && !isGone && lines.includes(`branch refs/heads/${branch}`)) return folder;
  }
  return undefined;
}

/** The command that takes a merge back, also in the files when the branch is checked out. */
function undoCommand(place: string | null, into: string, before: string, commit: string): string {
  return place === null
    ? `git update-ref refs/heads/${into} ${before} ${commit}`
    : `git -C ${quoted(place)} reset --keep ${before}`;
}

const quoted = (word: string) => (/^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
