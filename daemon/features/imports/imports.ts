import type { ImportBody, ImportCandidate, ImportCandidates, Imported, ImportsQuery } from '../../contract/imports.js';
import { IMPORT_FILES_MAX } from '../../contract/imports.js';
import { freeId, nameFromId, requireMemberId } from '../../lib/agents/member-id.js';
import { MeshError } from '../../lib/errors.js';
import { findSecret } from '../../lib/secrets/secrets.js';
import type { StoredTexts } from '../../storage/members/agent-files.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import type { Team } from '../team/team.js';
import { AGENT_FOLDERS, entryFiles, findAgentFolder, formatSource, placeName } from './agent-folders.js';
import { shownValue } from './agent-reading.js';
import type { AgentSources } from './agent-sources.js';
import type { Data, Place } from './foreign-agent.js';
import { ENTRY_FOLDERS } from './foreign-json.js';
import { readMarkdownAgent } from './foreign-markdown.js';
import { type Found, type FoundAgent, isUsable } from './found-agents.js';
import type { ImportRecords } from './import-records.js';
import { hasSameContent, type MemberContent, newMemberText, readMemberContent } from './imported-member.js';
import type { MemberFiles } from './member-files.js';

export interface ImportsParts {
  team: Pick<Team, 'createFile' | 'replaceFile'>;
  members: MemberFiles;
  sources: AgentSources;
  originals: StoredTexts;
  records: ImportRecords;
}

type Roster = { id: string; content: MemberContent }[];

/**
 * Imports agents of other tools as members. Listing never writes. Imported members are written through the team, so
 * that its rules apply and its events are published. They are internal, whatever their source states, and contain no
 * secret. Spec: Team member (local daemon).
 */
export class Imports {
  constructor(private readonly parts: ImportsParts) {}

  /**
   * Lists the agents of other tools in the project, or in the home folder with scope `user`, and their relation to the
   * roster. Throws `bad_request`.
   */
  async list({ scope = 'project', format }: ImportsQuery): Promise<ImportCandidates> {
    const { found, leftOut } = await this.parts.sources.look(scope, format, IMPORT_FILES_MAX);
    const members = await this.parts.members.list();
    const claimed = await this.parts.members.takenIds();
    const candidates: ImportCandidate[] = [];
    for (const one of found) candidates.push(await this.createCandidate(one, members, claimed));
    return { found: candidates, count: candidates.length, left_out: leftOut };
  }

  /**
   * Imports the named files as members, one by one. An item that cannot be imported is skipped with its reason and does
   * not affect the others. Publishes `team.created` for each member. Repeating it skips existing members.
   */
  async import({ items }: ImportBody): Promise<Imported> {
    const imported: Imported['imported'] = [];
    const skipped: Imported['skipped'] = [];
    const members: Roster = await this.parts.members.list();
    for (const item of items) {
      try {
        imported.push({ ...(await this.importOne(item, members)), source: item.source });
      } catch (error) {
        if (!(error instanceof MeshError)) throw error;
        skipped.push({ source: item.source, code: error.code, reason: error.message });
      }
    }
    return { imported, skipped };
  }

  private async importOne(
    { source, entry = null, scope, sha256, id: wanted }: ImportBody['items'][number],
    members: Roster,
  ): Promise<{ id: string; notes: string[] }> {
    const place = getPlace(source, entry, scope);
    const found = place && (await this.parts.sources.find(place));
    if (!found) throw new MeshError('not_found', `No agent of another tool is at ${source}.`);
    if (sha256 !== undefined && sha256 !== found.sha256)
      throw new MeshError('file_changed', 'The file has changed since you looked at it: look again.');
    if (!isUsable(found)) throw new MeshError('bad_request', found.reason);
    if (wanted !== undefined) requireMemberId(wanted);
    const known = wanted === undefined ? memberFrom(members, found.place) : undefined;
    if (known) {
      const isSame = known.content.origin?.sha256 === found.sha256 || hasSameContent(known.content, found);
      throw new MeshError(
        'member_exists',
        `It is \`${known.id}\` already${isSame ? '' : ', and has changed since: pull the change'}.`,
      );
    }
    const id = wanted ?? found.id;
    const text = newMemberText(found, isTight(found));
    await this.parts.team.createFile(id, text, async (ifNotWritten) => {
      // Before the member is announced: who hears of it asks at once whether its source may be read.
      ifNotWritten(() => this.parts.records.forgetHome(id));
      await this.keep(id, found);
    });
    const content = readMemberContent(text);
    if (!isProblem(content)) members.push({ id, content });
    return { id, notes: found.reading.notes };
  }

  /**
   * Keeps the source's bytes by their digest in this machine's state, never in the committed member file. An export
   * returns them while nothing is edited. Without them, it returns the same keys and prompt in its own formatting.
   * Bytes that contain a secret are not kept.
   */
  async keep(id: string, { text, sha256, reading, place }: FoundAgent): Promise<void> {
    if (text !== undefined && reading.secrets.length === 0 && !findSecret(text))
      await this.parts.originals.keep(sha256, text);
    if (place.scope === 'user') await this.parts.records.importedFromHome(id, formatSource(place));
  }

  private async createCandidate(found: Found, members: Roster, claimed: Set<string>): Promise<ImportCandidate> {
    const { place, sha256 } = found;
    const common = {
      source: formatSource(place),
      entry: place.entry,
      format: place.format,
      scope: place.scope,
      sha256,
    };
    if (!isUsable(found)) {
      const name = placeName(place) || place.path;
      return {
        ...common,
        id: '',
        name,
        description: '',
        state: found.state,
        reason: found.reason,
        fields: [],
        notes: [],
      };
    }
    const { reading, agent } = found;
    const prompt = {
      key: promptKey(place, reading.data),
      shown: shownValue(agent.body),
      fate: 'taken' as const,
      to: 'body',
    };
    const shown = {
      name: spoken(reading.keys.name ?? nameFromId(found.id)),
      description: spoken(reading.keys.description ?? ''),
      fields: [...reading.fields, prompt],
      notes: reading.notes,
    };
    const known = memberFrom(members, place);
    if (known) {
      const { origin } = known.content;
      const isSame = origin?.sha256 === sha256 || origin?.ignored === sha256 || hasSameContent(known.content, found);
      return { ...common, id: known.id, ...shown, state: isSame ? 'same' : 'changed' };
    }
    const written =
      place.scope === 'project' && place.entry === null ? await this.parts.records.findWritten(place.path) : undefined;
    // A file written for a member that was deleted since can be imported to restore it.
    if (written?.sha256 === sha256 && members.some(({ id }) => id === written.id))
      return { ...common, id: written.id, ...shown, state: 'same', written_for: written.id };
    const isTaken = claimed.has(found.id);
    const suggested = isTaken ? freeId(found.id, (id) => claimed.has(id)) : undefined;
    claimed.add(suggested ?? found.id);
    return {
      ...common,
      id: found.id,
      ...(suggested !== undefined && { suggested }),
      ...shown,
      state: isTaken ? 'conflict' : 'new',
    };
  }
}

/** Returns the member that was imported from `place`. */
function memberFrom(members: Roster, { format, scope, path, entry }: Place): Roster[number] | undefined {
  return members.find(
    ({ content: { origin } }) =>
      origin?.format === format && origin.scope === scope && origin.path === path && origin.entry === entry,
  );
}

/** Whether the prompt of a Markdown source starts directly after its frontmatter. */
export function isTight({ place, text }: FoundAgent): boolean {
  if (text === undefined || place.format === 'codex') return false;
  const agent = readMarkdownAgent(text);
  return 'isTight' in agent && agent.isTight;
}

/** Returns untrusted text for a response: unchanged, or empty if it contains a secret. */
const spoken = (text: unknown) => (findSecret(String(text)) ? '' : String(text));

/** Returns the key of the prompt in the source with these keys. */
export const promptKey = ({ format, entry }: Place, { permissions }: Data) =>
  entry !== null
    ? ENTRY_FOLDERS[permissions === undefined ? 'agent' : 'agents']
    : format === 'codex'
      ? 'developer_instructions'
      : 'body';

/** Parses a source of the API. Returns undefined when agents cannot be at that path. */
function getPlace(
  source: string,
  entry: string | null,
  scope: ImportBody['items'][number]['scope'],
): Place | undefined {
  const isHome = source.startsWith('~/');
  const place = {
    scope: scope ?? (isHome ? ('user' as const) : ('project' as const)),
    path: isHome ? source.slice(2) : source,
  };
  if (isHome && place.scope !== 'user') return undefined;
  if (entry !== null || entryFiles(place.scope).includes(place.path)) return { ...place, format: 'opencode', entry };
  const format = AGENT_FOLDERS.map((one) => one.format).find(
    (one) => findAgentFolder({ ...place, format: one }) !== undefined,
  );
  return format && { ...place, format, entry };
}
