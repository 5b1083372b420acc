import { MeshError } from '../../lib/errors.js';
import { requireMemberId } from '../../lib/member-id.js';
import { isProblem } from '../../storage/frontmatter.js';
import type { Team } from '../team/team.js';
import type { TeamStore } from '../team/team-store.js';
import { type MemberContent, readMemberContent } from './imported-member.js';

/** The text of a member file, what it says, and the revision that an edit of it has to name. */
export interface MemberText {
  id: string;
  text: string;
  revision: string;
  content: MemberContent;
}

/** The roster's files as they stand on disk, with the keys that only imports and exports look at. */
export class MemberFiles {
  constructor(
    private readonly team: Pick<Team, 'list'>,
    private readonly store: Pick<TeamStore, 'read'>,
  ) {}

  /** Every member whose file can be read, in roster order. */
  async list(): Promise<MemberText[]> {
    const { members } = await this.team.list();
    const texts = await Promise.all(members.map(({ id }) => this.find(id)));
    return texts.filter((text) => text !== undefined);
  }

  async readableIds(): Promise<string[]> {
    return (await this.list()).map(({ id }) => id);
  }

  /** The ids that are taken, those of broken members among them. */
  async takenIds(): Promise<Set<string>> {
    return new Set((await this.team.list()).members.map(({ id }) => id));
  }

  /** Throws `not_found`, and `bad_request` for a member whose file cannot be read. */
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

  /** Undefined when there is none, or its file cannot be read. */
  async find(id: string): Promise<MemberText | undefined> {
    const state = await this.store.read(id);
    if (state?.kind !== 'text') return undefined;
    const content = readMemberContent(state.text);
    return isProblem(content) ? undefined : { id, text: state.text, revision: state.revision, content };
  }
}
