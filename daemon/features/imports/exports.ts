import type { AgentFormat, ExportBody, Exported, ExportedList } from '../../contract/imports.js';
import { sha256Hex } from '../../lib/digests.js';
import type { AgentFiles, KeptTexts } from '../../storage/agent-files.js';
import type { FileState } from '../../storage/markdown-folder.js';
import { exportPlace } from './agent-folders.js';
import { writeAgent } from './agent-text.js';
import type { Place } from './foreign-agent.js';
import type { ImportRecords } from './import-records.js';
import { isAsImported } from './imported-member.js';
import type { MemberFiles } from './member-files.js';

export interface ExportsParts {
  members: MemberFiles;
  project: AgentFiles;
  originals: KeptTexts;
  records: ImportRecords;
}

/**
 * Members as files of other tools. Nothing is written unless asked for, never outside the project, never through a link, and never over a file that
 * this daemon did not write unless that too is asked for. Spec: Team member (local daemon).
 */
export class Exports {
  constructor(private readonly parts: ExportsParts) {}

  /** One member in the words of `format`; writes nothing. Throws `not_found`, and `bad_request` for a broken member. */
  async get(id: string, format: AgentFormat): Promise<Exported> {
    const { exported } = await this.prepare(id, format, new Map());
    return exported;
  }

  /**
   * The members named by `ids`, or all, in the words of `format`; with `write` puts the files that are new, or that this daemon wrote and that
   * changed, in their places, and with `replace` also those that are somebody else's. Broken members are passed over unless they are named. Throws
   * `not_found`, `bad_request`; files written before stay. Repeating it is safe.
   */
  async export({ format, ids, write = false, replace = false }: ExportBody): Promise<ExportedList> {
    const chosen = [...new Set(ids ?? (await this.parts.members.readableIds()))];
    const owners = await this.ownersOf(chosen, format);
    const files: Exported[] = [];
    for (const id of chosen) {
      const { exported, isInTheWay } = await this.prepare(id, format, owners);
      const mayWrite = exported.state === 'new' || exported.state === 'changed' || (exported.state === 'foreign' && replace && !isInTheWay);
      if (write && mayWrite) {
        await this.parts.project.write(exported.path, exported.content);
        await this.parts.records.wrote(exported.path, sha256Hex(exported.content));
        exported.written = true;
      }
      files.push(exported);
    }
    return { files, count: files.length };
  }

  /** Whose file each path is: what a member was imported from is that member's before it is anybody's new file. */
  private async ownersOf(ids: readonly string[], format: AgentFormat): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    for (const id of ids) {
      const { origin } = (await this.parts.members.get(id)).content;
      const { path, entry } = exportPlace(format, id, origin);
      if (origin?.format === format && entry === null && !owners.has(path)) owners.set(path, id);
    }
    return owners;
  }

  private async prepare(
    id: string,
    format: AgentFormat,
    owners: Map<string, string>,
  ): Promise<{ exported: Exported; isInTheWay: boolean }> {
    const { content: member } = await this.parts.members.get(id);
    const wanted = exportPlace(format, id, member.origin);
    const isTaken = ({ path, entry }: Place) => entry === null && (owners.get(path) ?? id) !== id;
    // Two members of one source: the second gets a file of its own.
    const place: Place = isTaken(wanted) ? exportPlace(format, id, undefined) : wanted;
    const other = isTaken(place) ? owners.get(place.path) : undefined;
    if (place.entry === null && other === undefined) owners.set(place.path, id);
    const current = await this.parts.project.read(place.path);
    const isReturning = member.origin?.format === format && place.path === wanted.path;
    const original = isReturning && member.origin ? await this.originalOf(member.origin.sha256, current) : undefined;
    const { content, losses } = writeAgent(id, member, place, original, current?.kind === 'text' ? current.text : undefined);
    const isUntouched =
      isReturning && member.origin?.redacted === true && current?.revision === member.origin.sha256 && isAsImported(member);
    const problem =
      other !== undefined
        ? `\`${other}\` goes there`
        : current !== undefined && current.kind !== 'text'
          ? current.problem.reason
          : undefined;
    return {
      exported: {
        id,
        format,
        path: place.path,
        content,
        state: other !== undefined ? 'foreign' : isUntouched ? 'same' : await this.stateOf(place.path, current, content),
        written: false,
        losses: problem === undefined ? losses : [...losses, { key: 'file', why: `Not written: ${problem}` }],
      },
      isInTheWay: problem !== undefined,
    };
  }

  /** The source's bytes as they were imported: kept here, or still standing in their place when the state of this machine was lost. */
  private async originalOf(sha256: string, current: FileState | undefined): Promise<string | undefined> {
    const kept = await this.parts.originals.find(sha256);
    if (kept !== undefined) return kept;
    return current?.kind === 'text' && current.revision === sha256 ? current.text : undefined;
  }

  private async stateOf(path: string, current: FileState | undefined, content: string): Promise<Exported['state']> {
    if (!current) return 'new';
    if (current.kind === 'text' && current.text === content) return 'same';
    return (await this.parts.records.isOurs(path, current.revision)) ? 'changed' : 'foreign';
  }
}
