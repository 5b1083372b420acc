import { isDeepStrictEqual } from 'node:util';
import type { Drift, DriftBody, DriftList, FieldFate, PullPreview } from '../../contract/imports.js';
import type { Problem } from '../../contract/team.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import { formatSource, isAgentPlace } from './agent-folders.js';
import { readAgent, shownValue } from './agent-reading.js';
import { writeKeys } from './agent-writing.js';
import type { Data, Place, SharedKeys } from './foreign-agent.js';
import { readMarkdownAgent } from './foreign-markdown.js';
import { readTomlAgent } from './foreign-toml.js';
import { FORMATS } from './formats.js';
import { type Found, type FoundAgent, isUsable } from './found-agents.js';
import {
  GONE,
  hasSameContent,
  ignoringMemberText,
  isAsImported,
  type MemberContent,
  type Origin,
  pulledMemberText,
  vendorIn,
} from './imported-member.js';
import { type Imports, type ImportsParts, isTight, promptKey } from './imports.js';
import { withoutSecretLines } from './inline-secrets.js';
import type { MemberText } from './member-files.js';

/** An imported member whose source has changed. */
interface Moved {
  member: MemberText;
  origin: Origin;
  /** Undefined when the source is gone. */
  found: Found | undefined;
}

interface LastReading {
  data: Data;
  keys: SharedKeys;
  bodySha256: string;
  /** Whether the member still equals this reading. */
  isTheMember: boolean;
}

/** Detects imported members whose sources changed, and pulls or ignores the change. Detection never writes. */
export class ImportDrift {
  constructor(
    private readonly parts: ImportsParts,
    private readonly imports: Pick<Imports, 'keep'>,
  ) {}

  /** Lists every imported member whose source changed or is gone, except changes that the operator ignored. */
  async list(): Promise<DriftList> {
    const drifted: Drift[] = [];
    for (const member of await this.parts.members.list()) {
      const moved = await this.findMoved(member);
      if (moved && moved.origin.ignored !== stateName(moved.found)) drifted.push(await this.describe(moved));
    }
    return { drifted, count: drifted.length };
  }

  /**
   * Pulls the source's change into the member, or ignores it from then on. Returns the remaining drift. Keys that the
   * source does not govern are preserved. Throws `not_found` when the source did not change, `bad_request` when it
   * cannot be pulled, and `file_changed`. Publishes `team.updated`.
   */
  async settle(id: string, action: DriftBody['action']): Promise<DriftList> {
    const moved = await this.requireMoved(id);
    const { member } = moved;
    const text = requireText(
      action === 'pull'
        ? await this.pulled(moved)
        : ignoringMemberText(member.text, member.content, stateName(moved.found)),
    );
    await this.parts.team.replaceFile(id, text, member.revision);
    if (action === 'pull') await this.imports.keep(id, moved.found as FoundAgent);
    return this.list();
  }

  /**
   * Returns the member file as it would be after a pull; writes nothing. Throws `not_found` when the source did not
   * change, and `bad_request` when it cannot be pulled.
   */
  async preview(id: string): Promise<PullPreview> {
    const moved = await this.requireMoved(id);
    const { text } = moved.member;
    return { id, text: withoutSecretLines(text), pulled: withoutSecretLines(requireText(await this.pulled(moved))) };
  }

  private async requireMoved(id: string): Promise<Moved> {
    const moved = await this.findMoved(await this.parts.members.get(id));
    if (moved) return moved;
    throw new MeshError(
      'not_found',
      `The source of \`${id}\` is as it was imported, or \`${id}\` was not imported: there is nothing to pull.`,
    );
  }

  private async pulled({ member, origin, found }: Moved): Promise<ReturnType<typeof pulledMemberText>> {
    if (!found)
      throw new MeshError(
        'bad_request',
        `${formatSource(origin)} is gone, so there is nothing to pull: ignore it, or put the file back.`,
      );
    if (!isUsable(found))
      throw new MeshError('bad_request', `${formatSource(origin)} cannot be pulled: ${found.reason}`);
    const before = (await this.lastReading(member.content, origin)).keys;
    return pulledMemberText(member.text, member.content, before, found, isTight(found));
  }

  /** Identifies the state of a member's source. Undefined while there is nothing to pull or to ignore. Never writes. */
  async getDriftState(member: MemberText): Promise<string | undefined> {
    const moved = await this.findMoved(member);
    const driftState = moved && stateName(moved.found);
    return moved?.origin.ignored === driftState ? undefined : driftState;
  }

  private async findMoved(member: MemberText): Promise<Moved | undefined> {
    const { origin } = member.content;
    if (!origin || !(await this.mayLookAt(member.id, origin))) return undefined;
    const found = await this.parts.sources.find(origin);
    if (found && (found.sha256 === origin.sha256 || hasSameContent(member.content, found))) return undefined;
    return { member, origin, found };
  }

  /**
   * Whether the origin may be read. The origin in a member file does not suffice to read the home folder: this machine
   * must have imported the member from there.
   */
  async mayLookAt(id: string, origin: Origin): Promise<boolean> {
    if (!isAgentPlace(origin) || !this.parts.sources.reaches(origin.scope)) return false;
    return origin.scope === 'project' || this.parts.records.isFromHome(id, formatSource(origin));
  }

  private async describe({ member, origin, found }: Moved): Promise<Drift> {
    const before = await this.lastReading(member.content, origin);
    return {
      id: member.id,
      source: formatSource(origin),
      format: origin.format,
      state: found ? 'changed' : 'gone',
      member_edited: !before.isTheMember,
      fields: found ? listChanges(before, origin, found) : [],
    };
  }

  /**
   * Returns what the source contained when this machine last read or wrote it: from the kept bytes, else from the
   * member file; and whether the member still equals that.
   */
  private async lastReading(member: MemberContent, origin: Origin): Promise<LastReading> {
    const format = FORMATS[origin.format];
    const data = writeKeys(format, member.keys, vendorIn(member.all, origin.format));
    const written = origin.scope === 'project' ? await this.parts.records.findWritten(origin.path) : undefined;
    for (const sha256 of [written?.sha256, origin.sha256]) {
      const kept = sha256 === undefined || origin.entry !== null ? undefined : await this.parts.originals.find(sha256);
      const agent =
        kept === undefined ? undefined : origin.format === 'codex' ? readTomlAgent(kept) : readMarkdownAgent(kept);
      if (!agent || isProblem(agent)) continue;
      const reading = readAgent(format, agent);
      const isTheMember = agent.body === member.body && isDeepStrictEqual(reading.data, data);
      return { data: reading.data, keys: reading.keys, bodySha256: sha256Hex(agent.body), isTheMember };
    }
    const isTheMember = isAsImported(member);
    return { data, keys: isTheMember ? member.keys : {}, bodySha256: origin.body_sha256, isTheMember };
  }
}

function listChanges({ data: before, bodySha256 }: LastReading, origin: Origin, found: Found): FieldFate[] {
  if (!isUsable(found)) return [{ key: 'file', shown: '', fate: 'unused', note: found.reason }];
  const { data: after, fields } = found.reading;
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const isBodyNew = sha256Hex(found.agent.body) !== bodySha256;
  return [
    ...fields.filter(({ key }) => !isDeepStrictEqual(before[key], after[key])),
    ...removed.map((key): FieldFate => ({ key, shown: '', fate: 'taken', note: 'It is gone from the source.' })),
    ...(isBodyNew
      ? [
          {
            key: promptKey(origin as Place, after),
            shown: shownValue(found.agent.body),
            fate: 'taken' as const,
            to: 'body',
          },
        ]
      : []),
  ];
}

/** Identifies the state of a source for `ignored`. */
const stateName = (found: Found | undefined) => found?.sha256 ?? GONE;

function requireText(text: string | Problem): string {
  if (typeof text === 'string') return text;
  throw new MeshError('bad_request', `The member file cannot be edited at line ${text.line}: ${text.reason}`, {
    details: { path: 'id', problem: text },
  });
}
