import { requireMemberId } from '../../lib/agents/member-id.js';
import { MeshError } from '../../lib/errors.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import type { Team } from '../team/team.js';
import type { TeamStore } from '../team/team-store.js';
import { type MemberContent, readMemberContent } from './imported-member.js';

/** The text of a member file, its parsed content, and the revision that an edit must name. */
export interface MemberText {
  id: string;
  text: string;
  revision: string;
  content: MemberContent;
}

/** The roster's files on disk, including the keys that only imports and exports use. */
export class MemberFiles {
  constructor(
    private readonly team: Pick<Team, 'list'>,
    private readonly store: Pick<TeamStore, 'read'>,
  ) {}

  /** Returns every member whose file can be parsed, in roster order. */
  async list(): Promise<MemberText[]> {
    const { members } = await this.team.list();
    const texts = await Promise.all(members.map(({ id }) => this.find(id)));
    return texts.filter((text) => text !== undefined);
  }

  async readableIds(): Promise<string[]> {
    return (await this.list()).map(({ id }) => id);
  }

  /** Returns all ids in use, including those of broken members. */
  async takenIds(): Promise<Set<string>> {
    return new Set((await this.team.list()).members.map(({ id }) => id));
  }

  /** Throws `not_found`, and `bad_request` for a member whose file cannot be parsed. */
  async get(id: string): Promise<MemberText> {
    requireMemberId(id);
    const found = await this.find(id);
    if (found) return found;
    if ((await this.takenIds()).has(id)) {
      throw new MeshError(
        'bad_request',
        `The file of \`${id}\` is broken: mend it first (\`meshd team ls\` says where).`,
        {
          details: { path: 'id' },
        },
      );
    }
    throw new MeshError('not_found', `There is no member \`${id}\`.`);
  }

  /** Returns undefined when the member does not exist or its file cannot be parsed. */
  async find(id: string): Promise<MemberText | undefined> {
    const state = await this.store.read(id);
    if (state?.kind !== 'text') return undefined;
    const content = readMemberContent(state.text);
    return isProblem(content) ? undefined : { id, text: state.text, revision: state.revision, content };
  }
}
