import {
  AGENT_FORMATS,
  type AgentFormat,
  type ExportBody,
  type Exported,
  type ExportedList,
  type Leftover,
} from '../../contract/imports.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { findSecret } from '../../lib/secrets/secrets.js';
import type { AgentFiles, StoredTexts } from '../../storage/members/agent-files.js';
import type { FileState } from '../../storage/members/markdown-folder.js';
import { entryFiles, exportPlace } from './agent-folders.js';
import { writeAgent } from './agent-text.js';
import type { Place } from './foreign-agent.js';
import type { ImportRecords } from './import-records.js';
import { isAsImported } from './imported-member.js';
import { withoutSecretLines } from './inline-secrets.js';
import type { MemberFiles } from './member-files.js';

interface ExportsParts {
  members: MemberFiles;
  project: AgentFiles;
  originals: StoredTexts;
  records: ImportRecords;
}

/**
 * Writes members as files of other tools. Writes only on request, never outside the project, never through a symbolic
 * link, and over files that this daemon did not write only on explicit request. Spec: Team member (local daemon).
 */
export class Exports {
  constructor(private readonly parts: ExportsParts) {}

  /** Returns one member in `format`; writes nothing. Throws `not_found`, and `bad_request` for a broken member. */
  async get(id: string, format: AgentFormat): Promise<Exported> {
    const { exported } = await this.prepare(id, format, await this.findOwners(format));
    return shownExport(exported);
  }

  /**
   * Exports the members in `ids`, or all, in `format`; without it, in the formats they were written in before. `write`
   * writes files that are new, or that this daemon wrote and that changed. `replace` also overwrites files of others,
   * for all members or those it names. Unchanged files are not touched, so repeated exports keep the other tools in
   * sync.
   *
   * Files written for deleted members are listed as leftovers. `prune` removes those that are unmodified. Skips broken
   * members unless they are named. Throws `not_found` and `bad_request`; files written before the error remain.
   * Idempotent.
   */
  async export({ format, ids, write = false, replace = false, prune = false }: ExportBody): Promise<ExportedList> {
    const files: Exported[] = [];
    const formats = format === undefined ? AGENT_FORMATS : [format];
    for (const one of formats) {
      const chosen =
        format === undefined
          ? await this.writtenIds(one, ids)
          : [...new Set(ids ?? (await this.parts.members.readableIds()))];
      const owners = await this.findOwners(one);
      for (const id of chosen) files.push(shownExport(await this.exportOne(id, one, owners, { write, replace })));
    }
    const leftovers = ids === undefined || prune ? await this.findLeftovers(formats, write && prune) : [];
    return { files, count: files.length, leftovers };
  }

  private async exportOne(
    id: string,
    format: AgentFormat,
    owners: Map<string, string>,
    { write, replace }: { write: boolean; replace: boolean | readonly string[] },
  ): Promise<Exported> {
    const { exported, isInTheWay } = await this.prepare(id, format, owners);
    const { state, path, content } = exported;
    const mayReplace = typeof replace === 'boolean' ? replace : replace.includes(id);
    const mayWrite = state === 'new' || state === 'changed' || (state === 'foreign' && mayReplace && !isInTheWay);
    if (!write || !mayWrite) return exported;
    const { project, records, originals } = this.parts;
    const sha256 = sha256Hex(content);
    const created = state === 'new' || (await records.findWritten(path))?.created === true;
    await project.write(path, content);
    await records.wrote({ path, sha256, id, format, created });
    // The baseline against which later edits of the file are compared.
    if (!findSecret(content)) await originals.keep(sha256, content);
    return { ...exported, written: true };
  }

  /** Returns the members for which files of `format` were written and still exist. */
  private async writtenIds(format: AgentFormat, ids: readonly string[] | undefined): Promise<string[]> {
    const readable = new Set(await this.parts.members.readableIds());
    const found: string[] = [];
    for (const one of await this.parts.records.listWritten()) {
      const isMeant = one.format === format && readable.has(one.id) && (ids === undefined || ids.includes(one.id));
      if (isMeant && (await this.parts.project.read(one.path))) found.push(one.id);
    }
    return [...new Set(found)];
  }

  /** Returns the unmodified files that were written for members deleted since. Removes them when `isRemoving`. */
  private async findLeftovers(formats: readonly AgentFormat[], isRemoving: boolean): Promise<Leftover[]> {
    const taken = await this.parts.members.takenIds();
    const leftovers: Leftover[] = [];
    for (const { path, sha256, id, format, created } of await this.parts.records.listWritten()) {
      // A file of several agents never belongs to one member.
      if (taken.has(id) || !created || !formats.includes(format) || entryFiles('project').includes(path)) continue;
      if ((await this.parts.project.read(path))?.revision !== sha256) continue;
      if (isRemoving) {
        await this.parts.project.remove(path);
        await this.parts.records.forget(path);
      }
      leftovers.push({ id, format, path, removed: isRemoving });
    }
    return leftovers;
  }

  /** Maps each path to the member that owns it. The member imported from a file owns it before any other member. */
  private async findOwners(format: AgentFormat): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    for (const {
      id,
      content: { origin },
    } of await this.parts.members.list()) {
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
    // When two members have the same source, the second gets its own file.
    const place: Place = isTaken(wanted) ? exportPlace(format, id, undefined) : wanted;
    const other = isTaken(place) ? owners.get(place.path) : undefined;
    if (other === undefined) owners.set(place.path, id);
    const current = await this.parts.project.read(place.path);
    const isReturning = member.origin?.format === format && place.path === wanted.path;
    const original = isReturning && member.origin ? await this.findOriginal(member.origin.sha256, current) : undefined;
    const { content, losses } = writeAgent(
      id,
      member,
      place,
      original,
      current?.kind === 'text' ? current.text : undefined,
    );
    const isUntouched =
      isReturning &&
      member.origin?.redacted === true &&
      current?.revision === member.origin.sha256 &&
      isAsImported(member);
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
        current: current?.kind === 'text' ? current.text : null,
        state:
          other !== undefined ? 'foreign' : isUntouched ? 'same' : await this.getState(place.path, current, content),
        written: false,
        losses: problem === undefined ? losses : [...losses, { key: 'file', why: `Not written: ${problem}` }],
      },
      isInTheWay: problem !== undefined,
    };
  }

  /**
   * Returns the source's bytes as imported: the kept copy, or the unchanged file when this machine's state was lost.
   */
  private async findOriginal(sha256: string, current: FileState | undefined): Promise<string | undefined> {
    const kept = await this.parts.originals.find(sha256);
    if (kept !== undefined) return kept;
    return current?.kind === 'text' && current.revision === sha256 ? current.text : undefined;
  }

  private async getState(path: string, current: FileState | undefined, content: string): Promise<Exported['state']> {
    if (!current) return 'new';
    if (current.kind === 'text' && current.text === content) return 'same';
    return (await this.parts.records.isOurs(path, current.revision)) ? 'changed' : 'foreign';
  }
}

/**
 * Redacts an export for a response: a file shared with other agents may hold secrets, which must not leave the disk.
 */
function shownExport(exported: Exported): Exported {
  const { content, current, losses } = exported;
  if (!findSecret(content) && !(current !== null && findSecret(current))) return exported;
  return {
    ...exported,
    content: withoutSecretLines(content),
    current: current === null ? null : withoutSecretLines(current),
    losses: losses.some(({ key }) => key === 'secrets')
      ? losses
      : [
          ...losses,
          {
            key: 'secrets',
            why: 'Lines of the file that hold a secret are not shown here; on disk they stay as they are.',
          },
        ],
  };
}
