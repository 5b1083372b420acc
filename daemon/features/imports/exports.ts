import type { AgentFormat, ExportBody, Exported, ExportedList } from '../../contract/imports.js';
import { sha256Hex } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
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
    const { exported } = await this.prepare(id, format, new Set());
    return exported;
  }

  /**
   * The members named by `ids`, or all, in the words of `format`; with `write` puts the files that are new, or that this daemon wrote and that
   * changed, in their places, and with `replace` also those that are somebody else's. Broken members are passed over unless they are named. Throws
   * `not_found`, `bad_request`; files written before stay. Repeating it is safe.
   */
  async export({ format, ids, write = false, replace = false }: ExportBody): Promise<ExportedList> {
    const taken = new Set<string>();
    const files: Exported[] = [];
    for (const id of ids ?? (await this.parts.members.readableIds())) {
      const { exported, isInTheWay } = await this.prepare(id, format, taken);
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

  private async prepare(id: string, format: AgentFormat, taken: Set<string>): Promise<{ exported: Exported; isInTheWay: boolean }> {
    const { content: member } = await this.parts.members.get(id);
    const wanted = exportPlace(format, id, member.origin);
    // Two members of one source: the second gets a file of its own.
    const place: Place = wanted.entry === null && taken.has(wanted.path) ? exportPlace(format, id, undefined) : wanted;
    if (taken.has(place.path) && place.entry === null) {
      throw new MeshError('bad_request', `Two members would both be written to ${place.path}: export them one at a time.`, {
        details: { path: 'ids' },
      });
    }
    taken.add(place.path);
    const current = await this.parts.project.read(place.path);
    const isReturning = member.origin?.format === format && place.path === wanted.path;
    const original = isReturning && member.origin ? await this.originalOf(member.origin.sha256, current) : undefined;
    const { content, losses } = writeAgent(id, member, place, original, current?.kind === 'text' ? current.text : undefined);
    const isUntouched =
      isReturning && member.origin?.redacted === true && current?.revision === member.origin.sha256 && isAsImported(member);
    const isInTheWay = current !== undefined && current.kind !== 'text';
    return {
      exported: {
        id,
        format,
        path: place.path,
        content,
        state: isUntouched ? 'same' : await this.stateOf(place.path, current, content),
        written: false,
        losses: isInTheWay ? [...losses, { key: 'file', why: `Not written: ${current.problem.reason}` }] : losses,
      },
      isInTheWay,
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
