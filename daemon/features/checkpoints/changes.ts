import {
  CHANGED_FILES_MAX,
  CHANGES_BASE,
  CHECKPOINT_START,
  type ChangedFile,
  type Changes,
  type ChangesQuery,
  type FileDiff,
  type FileDiffQuery,
  PATCH_MAX_CHARS,
  WORKING_FILES,
} from '../../contract/work/changes.js';
import { MeshError } from '../../lib/errors.js';
import type { GitRepository } from '../../storage/git/git-repository.js';
import { comparePatch, compareTrees, type TreeChange } from '../../storage/git/tree-comparison.js';
import type { WorkingTrees } from '../../storage/git/working-trees.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Checkpoints } from './checkpoints.js';
import { findGenerated } from './generated-files.js';

const CONTEXT_LINES = 3;
/** The states that a conversation without a checkpoint has, too. */
const ALWAYS_THERE: readonly string[] = [CHANGES_BASE, CHECKPOINT_START, WORKING_FILES];

interface ChangesParts {
  conversations: Pick<Conversations, 'row'>;
  checkpoints: Checkpoints;
  hasCheckpoint: (conv: string) => boolean;
  trees: WorkingTrees;
}

/** The two states that are compared, as trees of a repository. */
interface Comparison {
  repository: GitRepository;
  from: string;
  to: string;
}

/** Compares states of a conversation's files. Nothing of the repository or the folder changes. Contract: Changes. */
export class ConversationChanges {
  constructor(private readonly parts: ChangesParts) {}

  /**
   * Returns the files that differ. `problem` when nothing can be compared. Throws `not_found` for an unknown
   * conversation or checkpoint.
   */
  async list(conv: string, { from = CHANGES_BASE, to = WORKING_FILES }: ChangesQuery): Promise<Changes> {
    const compared = await this.compare(conv, from, to);
    const none = { files: [], count: 0, left_out: 0, additions: 0, deletions: 0 };
    if ('problem' in compared) return { conv, from, to, ...none, ...compared };
    const { repository } = compared;
    const changes = await compareTrees(repository, compared.from, compared.to, { renames: true });
    const listed = changes.slice(0, CHANGED_FILES_MAX);
    const generated = await findGenerated(
      repository,
      listed.map(({ path }) => path),
    );
    return {
      ...{ conv, from, to, files: listed.map((change) => toView(change, generated)), problem: null },
      ...{ count: changes.length, left_out: changes.length - listed.length },
      additions: changes.reduce((sum, { additions }) => sum + additions, 0),
      deletions: changes.reduce((sum, { deletions }) => sum + deletions, 0),
    };
  }

  /** Returns the change of one file. Throws `not_found` when it did not change between the two states. */
  async file(conv: string, query: FileDiffQuery): Promise<FileDiff> {
    const { path, from = CHANGES_BASE, to = WORKING_FILES, whitespace, context = CONTEXT_LINES } = query;
    const compared = await this.compare(conv, from, to);
    if ('problem' in compared) throw new MeshError('not_found', compared.problem ?? noChange(path, from, to));
    const { repository } = compared;
    const changes = await compareTrees(repository, compared.from, compared.to, { renames: true });
    const change = changes.find((one) => one.path === path);
    if (!change) throw new MeshError('not_found', noChange(path, from, to));
    const options = { context, ignoresWhitespace: whitespace === 'ignore' };
    const hasPatch = !change.isBinary && !change.isSubmodule;
    const [generated, patch] = await Promise.all([
      findGenerated(repository, [path]),
      hasPatch ? comparePatch(repository, compared.from, compared.to, change, options) : '',
    ]);
    return { file: toView(change, generated), from, to, ...cutPatch(patch) };
  }

  /**
   * Finds the trees of two states. `problem` is null when no turn has been able to change a file yet. Throws
   * `not_found`.
   */
  async compare(
    conv: string,
    from: string = CHANGES_BASE,
    to: string = WORKING_FILES,
  ): Promise<Comparison | { problem: string | null }> {
    const { conversations, checkpoints, trees, hasCheckpoint } = this.parts;
    conversations.row(conv);
    const find = async (folder: string) => {
      const repository = await trees.open(folder);
      if (!repository) return { problem: await trees.findProblem(folder) };
      if (!hasCheckpoint(conv) && [from, to].every((name) => ALWAYS_THERE.includes(name))) return { problem: null };
      const treeOf = async (name: string) =>
        name === WORKING_FILES ? (await trees.takeOpened(repository)).tree : checkpoints.treeOf(conv, name, repository);
      return { repository, from: await treeOf(from), to: await treeOf(to) };
    };
    // Only the files as they are now wait for what is done in the folder.
    return from === WORKING_FILES || to === WORKING_FILES
      ? checkpoints.inFolder(conv, find)
      : find(checkpoints.folderOf(conv));
  }
}

const noChange = (path: string, from: string, to: string) =>
  `\`${path.slice(0, 200)}\` does not differ between ${from} and ${to}.`;

function toView({ path, oldPath, status, ...change }: TreeChange, generated: ReadonlySet<string>): ChangedFile {
  const { additions, deletions, isBinary, isSubmodule } = change;
  const binary = isBinary || isSubmodule;
  return { path, old_path: oldPath, status, additions, deletions, binary, generated: generated.has(path) };
}

/** Cuts a patch after the last whole line that fits. */
function cutPatch(patch: string): { patch: string; cut: boolean } {
  if (patch.length <= PATCH_MAX_CHARS) return { patch, cut: false };
  return { patch: patch.slice(0, patch.lastIndexOf('\n', PATCH_MAX_CHARS - 1) + 1), cut: true };
}
