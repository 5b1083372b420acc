import type { FileCommitState, MemberHistory, MemberRevision, RosterHistory } from '../../contract/team.js';
import { MeshError } from '../../lib/errors.js';
import { isoTime } from '../../lib/time/clock.js';
import type { GitFileHistory } from '../../storage/git/git-file-history.js';
import { isBlob } from '../../storage/git/git-output.js';
import type { Team } from './team.js';
import type { TeamStore } from './team-store.js';

const COMMITS = 100;

/** The Git history of member files. Read-only: an old version is restored by a normal edit. */
export class MembersHistory {
  constructor(
    private readonly team: Pick<Team, 'list' | 'get'>,
    private readonly store: Pick<TeamStore, 'read' | 'pathOf'>,
    private readonly git: Pick<GitFileHistory, 'isThere' | 'commits' | 'textAt' | 'blobs'>,
  ) {}

  /** Compares every member's file with HEAD. Throws the same errors as `Team.list`. */
  async roster(): Promise<RosterHistory> {
    const { members } = await this.team.list();
    const [repository, blobs] = await Promise.all([this.git.isThere(), this.blobs()]);
    const commitStates = await Promise.all(
      members.map(async ({ id }) => ({ id, standing: await this.getCommitState(id, blobs) })),
    );
    return { repository, members: commitStates, count: commitStates.length };
  }

  /** Returns the newest commits of a member's file. Throws the same errors as `Team.get`. */
  async of(id: string, limit = COMMITS): Promise<MemberHistory> {
    await this.team.get(id);
    const path = this.store.pathOf(id);
    const [repository, commits, blobs] = await Promise.all([
      this.git.isThere(),
      this.git.commits(path, limit + 1),
      this.blobs(),
    ]);
    const shown = commits
      .slice(0, limit)
      .map(({ hash, at, author, subject }) => ({ commit: hash, at: isoTime(at), author, subject }));
    const commitState = await this.getCommitState(id, blobs);
    return {
      id,
      path,
      repository,
      standing: commitState,
      commits: shown,
      count: shown.length,
      has_more: commits.length > limit,
    };
  }

  /**
   * Returns the file in one commit and in its parent. Throws the same errors as `Team.get`, and `not_found` when
   * neither contains the file.
   */
  async revision(id: string, commit: string): Promise<MemberRevision> {
    await this.team.get(id);
    const path = this.store.pathOf(id);
    const [text, before] = await Promise.all([this.git.textAt(commit, path), this.git.textAt(`${commit}^`, path)]);
    if (text === null && before === null)
      throw new MeshError('not_found', `Commit \`${commit.slice(0, 12)}\` holds no readable ${path}.`);
    return { id, commit, text, before };
  }

  private blobs(): Promise<ReadonlyMap<string, string>> {
    const path = this.store.pathOf('x');
    return this.git.blobs(path.slice(0, path.lastIndexOf('/')));
  }

  private async getCommitState(id: string, blobs: ReadonlyMap<string, string>): Promise<FileCommitState> {
    const blob = blobs.get(this.store.pathOf(id));
    if (blob === undefined) return 'uncommitted';
    const state = await this.store.read(id);
    return state?.kind === 'text' && isBlob(blob, Buffer.from(state.text)) ? 'committed' : 'changed';
  }
}
