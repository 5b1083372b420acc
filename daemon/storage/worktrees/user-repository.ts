import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { atomicWrite } from '../files/atomic-write.js';
import type { GitEnvironment } from '../git/git-command.js';
import { GitRepository } from '../git/git-repository.js';
import { movesRef, writesSettings } from './agent-commands.js';
import type { GitFolders } from './repository-status.js';

/** Files of the git folder that decide which programs git runs, or what it sees. */
const SETTINGS = [
  'config',
  'config.worktree',
  'info/exclude',
  'info/attributes',
  'info/grafts',
  'objects/info/alternates',
];
const HOOKS = 'hooks';
const WORKTREES = 'worktrees';
/** The settings that a worktree has of its own. */
const OF_WORKTREE = 'config.worktree';
const FILE_MAX_BYTES = 1024 * 1024;
const FILES_MAX = 200;

const NAMES_PROGRAM =
  /^\s*\[(alias|include)|^\s*(hooksPath|fsmonitor|\w*command|pager|editor|askPass|program|helper|textconv|clean|smudge|process|driver|external|path)\s*=/i;

interface StoredFile {
  bytes: Buffer;
  mode: number;
}

interface Snapshot {
  refs: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, StoredFile>;
  /** The names of what git keeps about each worktree. */
  worktrees: ReadonlySet<string>;
}

/** What an agent changed of the user's repository and was put back. */
interface RevertedChanges {
  /** Refs, and files of the git folder. */
  names: string[];
  /** The ref below which what the agent made of them is kept. */
  kept: string;
}

/** Refs of the daemon and of agents do not count as the user's. */
const isUsers = (ref: string) => /^refs\/(?!(meshd|heads\/meshd|remotes|worktree|bisect)\/)/.test(ref);

/**
 * The user's repository while agents work in worktrees of it. Hooks that appear or change meanwhile are put back, and so
 * is what the commands of an agent show to be its doing: settings, branches and tags. What the user does meanwhile is
 * left alone. Whatever is put back is kept on a ref.
 */
export class UserRepository {
  private before: Promise<Snapshot> | undefined;
  private turns = 0;

  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
  ) {}

  /** Must be called before a turn begins to work. */
  async begin(base: GitFolders): Promise<void> {
    this.turns += 1;
    // Shared by turns that overlap, so that none takes what another one did as the user's.
    this.before ??= this.look(base);
    await this.before;
  }

  /** Compares with what was before, once the programs of a turn have ended. `commands`: what they ran of git. */
  async end(base: GitFolders, commands: readonly string[][], key: string): Promise<RevertedChanges | undefined> {
    try {
      const before = await this.before;
      if (!before) return undefined;
      const after = await this.look(base);
      const files = changedFiles(before, after).filter((name) => isOfAgent(name, before, after, commands));
      const refs = changedRefs(before, after).filter((ref) => movesRef(commands, ref));
      if (files.length + refs.length === 0) return undefined;
      return await this.putBack(base, { before, after, files, refs, key });
    } finally {
      this.turns -= 1;
      if (this.turns === 0) this.before = undefined;
    }
  }

  private async look({ commonFolder }: GitFolders): Promise<Snapshot> {
    const repository = await GitRepository.open(this.root, this.environment);
    const listed = (await repository?.output(['for-each-ref', '--format=%(refname) %(objectname)'])) ?? '';
    const refs = listed.split('\n').map((line) => line.split(' ') as [string, string]);
    const list = async (folder: string) =>
      (await readdir(join(commonFolder, folder)).catch(() => []))
        .slice(0, FILES_MAX)
        .map((name) => `${folder}/${name}`);
    const worktrees = await list(WORKTREES);
    const ofWorktrees = worktrees.map((name) => `${name}/${OF_WORKTREE}`);
    const names = [...SETTINGS, ...ofWorktrees, ...(await list(HOOKS))];
    const files = new Map<string, StoredFile>();
    for (const name of names) {
      const path = join(commonFolder, name);
      const found = await lstat(path).catch(() => undefined);
      if (found?.isFile() && found.size <= FILE_MAX_BYTES)
        files.set(name, { bytes: await readFile(path), mode: found.mode & 0o777 });
    }
    return { refs: new Map(refs.filter(([ref]) => isUsers(ref))), files, worktrees: new Set(worktrees) };
  }

  private async putBack(
    { commonFolder }: GitFolders,
    changed: { before: Snapshot; after: Snapshot; files: string[]; refs: string[]; key: string },
  ): Promise<RevertedChanges> {
    const { before, after, files, refs, key } = changed;
    const repository = await GitRepository.open(this.root, this.environment);
    if (!repository) throw new Error('The repository of the project is gone.');
    const kept = `refs/meshd/kept/${key}`;
    const entries: string[] = [];
    for (const name of files.filter((one) => after.files.has(one))) {
      const blob = (await repository.output(['hash-object', '-w', '--no-filters', join(commonFolder, name)])).trim();
      entries.push(`100644 blob ${blob}\t${name.replaceAll('/', '-')}\n`);
    }
    const tree = (await repository.output(['mktree'], { input: entries.join('') })).trim();
    const parents = refs.flatMap((ref) => after.refs.get(ref) ?? []);
    const message = `What a turn changed of the repository:\n\n${[...files, ...refs].join('\n')}\n`;
    const isCommit = async (id: string) => (await repository.run(['cat-file', '-e', `${id}^{commit}`])).code === 0;
    const commits: string[] = [];
    for (const parent of new Set(parents)) if (await isCommit(parent)) commits.push('-p', parent);
    const commit = (await repository.output(['commit-tree', tree, ...commits, '-m', message])).trim();
    await repository.output(['update-ref', kept, commit]);
    for (const name of files) await restoreFile(join(commonFolder, name), before.files.get(name));
    for (const ref of refs) {
      const [was, is = ''] = [before.refs.get(ref), after.refs.get(ref)];
      // Only from the state that was seen, so that a later change of the user stays. An empty one stands for no ref.
      if (was === undefined) await repository.run(['update-ref', '--no-deref', '-d', ref, is]);
      else await repository.run(['update-ref', '--no-deref', ref, was, is]);
    }
    return { names: [...files.map((name) => `.git/${name}`), ...refs], kept };
  }
}

async function restoreFile(path: string, stored: StoredFile | undefined): Promise<void> {
  if (!stored) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  await atomicWrite(path, stored.bytes, stored.mode);
}

function changedFiles(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.files.keys(), ...after.files.keys()]);
  return [...names].filter((name) => {
    // A worktree that was made or removed meanwhile has other settings for that.
    const worktree = name.startsWith(`${WORKTREES}/`) ? dirname(name) : undefined;
    if (worktree !== undefined && !(before.worktrees.has(worktree) && after.worktrees.has(worktree))) return false;
    const [was, is] = [before.files.get(name), after.files.get(name)];
    return was === undefined || is === undefined || was.mode !== is.mode || !was.bytes.equals(is.bytes);
  });
}

function changedRefs(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.refs.keys(), ...after.refs.keys()]);
  return [...names].filter((name) => before.refs.get(name) !== after.refs.get(name));
}

/** Whether a changed file of the git folder is taken to be an agent's doing. */
function isOfAgent(name: string, before: Snapshot, after: Snapshot, commands: readonly string[][]): boolean {
  if (name.startsWith(`${HOOKS}/`)) return true;
  const lines = new Set(before.files.get(name)?.bytes.toString('latin1').split('\n'));
  const added = (after.files.get(name)?.bytes.toString('latin1') ?? '').split('\n').filter((line) => !lines.has(line));
  if (basename(name).startsWith('config') && added.some((line) => NAMES_PROGRAM.test(line))) return true;
  // An agent may choose what is checked out in its worktree.
  if (name.startsWith(`${WORKTREES}/`)) return false;
  return commands.some(writesSettings);
}
