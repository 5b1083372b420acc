import type {
  FoundImport,
  FoundSymbol,
  StructureFile,
  StructureReader,
} from '../../../../storage/database/structure-reader.js';

const DEPTH_MAX = 6;
const REACHED_MAX = 2_000;
const CACHED_MAX = 5_000;

interface ScopedImport extends FoundImport {
  /** The files of the project that it means. */
  targets: readonly number[];
}

/** What files see of each other through their imports. Holds for one question, since it remembers what it read. */
export class FileScopes {
  private readonly imports = new Map<number, readonly ScopedImport[]>();
  private readonly files = new Map<number, StructureFile | undefined>();
  private readonly reached = new Map<string, ReadonlySet<number>>();

  constructor(private readonly reader: StructureReader) {}

  file(id: number): StructureFile | undefined {
    if (!this.files.has(id)) this.files.set(id, this.reader.fileById(id));
    return this.files.get(id);
  }

  importsOf(id: number): readonly ScopedImport[] {
    let found = this.imports.get(id);
    if (!found) {
      const targets = new Map<number, number[]>();
      for (const one of this.reader.targetsOf(id))
        targets.set(one.import, [...(targets.get(one.import) ?? []), one.target]);
      found = this.reader.importsOf(id).map((one) => ({ ...one, targets: targets.get(one.id) ?? [] }));
      if (this.imports.size >= CACHED_MAX) this.imports.clear();
      this.imports.set(id, found);
    }
    return found;
  }

  /** Returns the files that `id` imports, directly and through up to `depth` others, with itself. */
  reachable(id: number, depth: number): ReadonlySet<number> {
    const key = `${id} ${depth}`;
    const known = this.reached.get(key);
    if (known) return known;
    const seen = new Set([id]);
    let edge = [id];
    for (let step = 0; step < depth && seen.size < REACHED_MAX; step += 1) {
      edge = edge
        .flatMap((file) => this.importsOf(file).flatMap(({ targets }) => targets))
        .filter((file) => !seen.has(file) && seen.add(file));
    }
    this.reached.set(key, seen);
    return seen;
  }

  /**
   * Returns those of `candidates` that the files `targets` define, or pass on from others, as `name`. `default` stands
   * for what a file exports by default.
   */
  exported(
    targets: readonly number[],
    name: string,
    candidates: readonly FoundSymbol[],
    depth = DEPTH_MAX,
  ): FoundSymbol[] {
    const isDefault = name === 'default';
    return targets.flatMap((target) => {
      const own = candidates.filter(
        (one) => one.file === target && one.container === '' && (isDefault ? one.exported === 2 : one.name === name),
      );
      if (own.length > 0 || depth === 0) return own;
      return this.importsOf(target).flatMap((one) => {
        if (one.targets.length === 0) return [];
        const pair = one.names.find(([, ours]) => ours === name);
        const next = pair
          ? pair[0]
          : one.names.some(([theirs, ours]) => theirs === '*' && ours === '*')
            ? name
            : undefined;
        if (next === undefined || next === '*') return [];
        return this.exported(one.targets, next, candidates, depth - 1);
      });
    });
  }
}
