import type { StructureStatus } from '../../../contract/system.js';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { PassageDatabase } from '../../../storage/database/passage-database.js';
import type { ProjectFiles } from '../../../storage/project-files.js';
import { readableText, splitLines } from '../passages/file-worth.js';
import { emptyStructure, GrammarBroken, mayHaveStructure, readStructure } from './file-structure.js';
import { ImportResolver } from './imports/import-resolver.js';
import { PathIndex } from './imports/path-index.js';
import { readConfig } from './imports/project-config.js';
import { findLanguage, nameLanguages } from './languages.js';
import { computeRanks } from './page-rank.js';
import { NotProtobuf } from './scip/protobuf-fields.js';
import { linkScip } from './scip/scip-links.js';
import type { Parsing } from './syntax-parser.js';

const SLICE_MS = 25;
/** Written into the stored digest of the paths: must be raised when the way imports are resolved changes. */
const LINKS_VERSION = 1;
/** What compilers say of the project, in the format SCIP; whoever makes it puts it there, tracked or not. */
const SCIP_FILE = 'index.scip';
/** Written into the stored stamp of that file: must be raised when more of it is read. */
const SCIP_VERSION = 2;
const SCIP_MAX_BYTES = 64 * 1024 * 1024;

/** Keeps the structure graph in step with the text index, as a second pass over the files that it read. */
export class Structuring {
  private state: StructureStatus['state'] = 'idle';
  private done = 0;
  private total = 0;
  private leftOut: StructureStatus['left_out'] = [];
  private languages: StructureStatus['languages'] = [];
  private isStale = true;

  constructor(
    private readonly files: Pick<ProjectFiles, 'read' | 'stampOf'>,
    private readonly database: PassageDatabase,
    private readonly clock: Clock,
  ) {}

  get status(): StructureStatus {
    const { state, done, total, leftOut, languages } = this;
    return { state, files_done: done, files_total: total, left_out: leftOut, languages };
  }

  /** Whether the text index has changed since the last pass began. */
  get isPending(): boolean {
    return this.isStale;
  }

  /** Records that the text index has changed. */
  markStale(): void {
    this.isStale = true;
  }

  fail(): void {
    this.state = 'failed';
  }

  /** Whether a file waits that a grammar has to parse: only then is a parser worth its memory. */
  get needsParser(): boolean {
    return this.database.structure.stale().changed.some(({ path }) => findLanguage(path) !== undefined);
  }

  /**
   * Brings the graph up to date in slices of about 25 ms. Each file is stored in one transaction with the digest that
   * it was read from, so that a pass which is cut off goes on where it ended.
   */
  *update(parser: Parsing): Generator<void, void, void> {
    this.isStale = false;
    if (this.state !== 'ready') this.state = 'reading';
    const { structure } = this.database;
    const { changed, gone } = structure.stale();
    const known = new Map(structure.files().map(({ path, sha256 }) => [path, sha256]));
    const toRead = changed.filter(({ path }) => mayHaveStructure(path));
    this.total = known.size + toRead.filter(({ path }) => !known.has(path)).length;
    this.done = this.total - toRead.length;
    this.database.together(() => {
      for (const path of gone) structure.remove(path);
    });
    yield;
    let unread = 0;
    for (const { path } of toRead) {
      if (!(yield* this.readOne(path, known.get(path), parser))) unread += 1;
      this.done += 1;
    }
    yield* this.linkImports();
    yield* this.readScip();
    const broken = unread === 0 ? [] : [{ reason: 'its grammar fails', files: unread }];
    this.leftOut = [...structure.countLeftOut(), ...broken];
    this.languages = nameLanguages(structure.countLanguages());
    this.state = 'ready';
  }

  /** Returns false, and stores nothing, when the file's grammar fails; the next pass tries it again. */
  private *readOne(path: string, before: string | undefined, parser: Parsing): Generator<void, boolean, void> {
    const bytes = this.files.read(path)?.bytes;
    const sha256 = bytes === undefined ? '' : sha256Hex(bytes);
    if (bytes !== undefined && sha256 === before) return true;
    try {
      const found = bytes === undefined ? emptyStructure(path) : yield* readStructure(path, bytes, parser);
      this.database.structure.put(path, sha256, found);
    } catch (error) {
      if (error instanceof GrammarBroken) return false;
      this.database.structure.forgetNames();
      throw error;
    }
    yield;
    return true;
  }

  /** Resolves the imports of the files that were read, or all when a path or a manifest has changed. */
  private *linkImports(): Generator<void, void, void> {
    const { structure } = this.database;
    const files = structure.files();
    const config = readConfig(this.database.paths(), (path) => this.readText(path));
    const digest = sha256Hex(JSON.stringify([LINKS_VERSION, files.map(({ id, path }) => [id, path]), config]));
    this.database.together(() => {
      if (this.database.meta('structure_paths') === digest) return;
      structure.unlink();
      this.database.setMeta('structure_paths', digest);
    });
    const open = structure.unlinked();
    if (open.length === 0) return;
    yield;
    const ids = new Map(files.map(({ path, id }) => [path, id]));
    const resolver = new ImportResolver(new PathIndex(ids.keys()), config, groupByPackage(files));
    for (let next = 0; next < open.length; ) {
      next = this.linkSlice(open, next, resolver, ids);
      yield;
    }
    const ranks = computeRanks(structure.edges());
    this.database.together(() => structure.setRanks(ranks));
  }

  private linkSlice(
    open: readonly { id: number; path: string; language: string }[],
    from: number,
    resolver: ImportResolver,
    ids: ReadonlyMap<string, number>,
  ): number {
    const started = this.clock.elapsed();
    const { structure } = this.database;
    let next = from;
    this.database.together(() => {
      while (next < open.length && (next === from || this.clock.elapsed() - started < SLICE_MS)) {
        const { id, path, language } = open[next] as { id: number; path: string; language: string };
        const targets = structure.importsOf(id).flatMap((one) =>
          resolver
            .resolve({ path, specifier: one.specifier, language, names: one.names.map(([theirs]) => theirs) })
            .flatMap((target) => {
              const found = ids.get(target);
              return found === undefined ? [] : [{ import: one.id, target: found }];
            }),
        );
        structure.link(id, targets);
        next += 1;
      }
    });
    return next;
  }

  /**
   * Stores what the SCIP index of the project says, once it has changed. It is preferred to the rules of the graph, and
   * forgotten of a file that changes after it. One that is too large or no index says nothing.
   */
  private *readScip(): Generator<void, void, void> {
    const found = this.files.stampOf(SCIP_FILE);
    const stamp = found === undefined ? '' : `${SCIP_VERSION} ${found}`;
    if ((this.database.meta('scip') ?? '') === stamp) return;
    const { structure } = this.database;
    const forget = () => this.database.together(() => structure.forgetPrecise());
    forget();
    yield;
    const bytes = stamp === '' ? undefined : this.files.read(SCIP_FILE, SCIP_MAX_BYTES)?.bytes;
    const known = new Set(structure.files().map(({ path }) => path));
    const linesOf = (path: string) => {
      const text = known.has(path) ? this.readText(path) : undefined;
      return text === undefined ? undefined : splitLines(text);
    };
    try {
      for (const found of bytes ? linkScip(bytes, linesOf) : []) {
        if (found) this.database.together(() => structure.putPrecise(found.path, found.uses));
        yield;
      }
    } catch (error) {
      if (!(error instanceof NotProtobuf)) throw error;
      forget();
    }
    this.database.together(() => this.database.setMeta('scip', stamp));
  }

  private readText(path: string): string | undefined {
    const bytes = this.files.read(path)?.bytes;
    return bytes && readableText(bytes);
  }
}

function groupByPackage(files: readonly { path: string; package: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { path, package: name } of files) {
    if (name === '') continue;
    const list = groups.get(name);
    if (list) list.push(path);
    else groups.set(name, [path]);
  }
  return groups;
}
