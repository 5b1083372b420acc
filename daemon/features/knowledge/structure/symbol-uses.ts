import type { FoundReference, FoundSymbol, StructureReader } from '../../../storage/database/structure-reader.js';
import type { ReferenceKind } from '../../../storage/database/structure-schema.js';
import { Resolution } from './graph/resolution.js';
import { hasContainer, kindRank, type Places, splitName, toPlace, toPlaces } from './places.js';

const USES_MAX = 20_000;

/** Finds the symbols that a name stands for, and what uses them. */
export class SymbolUses {
  constructor(private readonly reader: StructureReader) {}

  /** Returns what the definitions of `name` call, each name once, at its first line. */
  callees(name: string): Places {
    const resolution = new Resolution(this.reader);
    const seen = new Set<string>();
    let byName = false;
    const places = this.find(name)
      .filter(isCallable)
      .flatMap((definition) =>
        this.reader
          .referencesWithin(definition.file, definition.line, definition.endLine)
          .filter((use) => use.kind === 'call' && use.symbol !== 0)
          .filter((use) => isWithin(use, definition))
          .flatMap((use) => {
            const { symbols, byName: isNamed } = resolution.resolve(
              use,
              this.reader.symbols(use.name).filter((one) => one.name === use.name),
            );
            const owner = symbols[0]?.container || (/^[\w$]+$/.test(use.qualifier) ? use.qualifier : '');
            const text = owner === '' ? use.name : `${owner}.${use.name}`;
            if (seen.has(text) || symbols.length === 0) return [];
            seen.add(text);
            byName ||= isNamed;
            return [{ ...toPlace(use), text }];
          }),
      );
    return { ...toPlaces(places), byName };
  }

  /**
   * Returns the uses of these kinds of what `name` names, sources first. Where none is known to mean it, those of the
   * same name on a receiver whose type is not known: it must not be said that nobody uses it.
   */
  usesOf(name: string, kinds: readonly ReferenceKind[]) {
    const wanted = this.find(name);
    if (wanted.length === 0) return this.usesOfForeign(name, kinds);
    const ids = new Map(wanted.map((one) => [one.id, `${one.path}:${one.line}`]));
    const perDefinition = new Map<string, number>();
    const uses: FoundReference[] = [];
    const unresolved: FoundReference[] = [];
    let byName = false;
    for (const plain of new Set(wanted.map((one) => one.name))) {
      const candidates = this.reader.symbols(plain).filter((one) => one.name === plain);
      const resolution = new Resolution(this.reader);
      const all = [...this.reader.references(plain, USES_MAX), ...this.defaultUses(wanted, plain)];
      for (const use of all) {
        if (!kinds.includes(use.kind)) continue;
        const { symbols, byName: isNamed, isForeign } = resolution.resolve({ ...use, name: use.name }, candidates);
        if (symbols.length === 0 && use.qualifier !== '' && !isForeign) unresolved.push(use);
        const meant = new Set(symbols.map(({ id }) => ids.get(id)).filter((place) => place !== undefined));
        if (meant.size === 0 || isOwnDefinition(use, wanted)) continue;
        for (const place of meant) perDefinition.set(place, (perDefinition.get(place) ?? 0) + 1);
        uses.push(use);
        byName ||= isNamed;
      }
    }
    const known = uses.length > 0 ? uses : unresolved;
    const unique = [...new Map(known.map((one) => [`${one.path}:${one.line}`, one])).values()];
    return { uses: sortUses(unique), byName: byName || (uses.length === 0 && unresolved.length > 0), perDefinition };
  }

  /** Uses of a name that the project does not define, such as one of a library: by name, and by the name before it. */
  private usesOfForeign(name: string, kinds: readonly ReferenceKind[]) {
    const parts = splitName(name);
    const owner = parts.at(-2);
    const last = parts.at(-1) ?? name;
    const uses = this.reader
      .references(last, USES_MAX)
      .filter((use) => use.name === last && kinds.includes(use.kind))
      .filter((use) => owner === undefined || splitName(use.qualifier).at(-1) === owner);
    const unique = [...new Map(uses.map((one) => [`${one.path}:${one.line}`, one])).values()];
    return { uses: sortUses(unique), byName: unique.length > 0, perDefinition: new Map<string, number>() };
  }

  /** Uses of a default export under the name that another file gave it. */
  private defaultUses(wanted: readonly FoundSymbol[], plain: string): FoundReference[] {
    return wanted
      .filter((one) => one.exported === 2)
      .flatMap((one) => this.reader.importsTo(one.file))
      .flatMap((one) => {
        const local = one.names.find(([theirs, ours]) => theirs === 'default' && ours !== plain)?.[1];
        if (local === undefined) return [];
        const uses = this.reader
          .referencesWithin(one.file, 1, Number.MAX_SAFE_INTEGER)
          .filter((use) => use.name === local && use.qualifier === '');
        // Under its own name the import is found again, as what the file imports by default.
        return uses.map((use) => ({ ...use, name: plain, qualifier: local }));
      });
  }

  /** The symbols that a name, qualified or not, stands for. Declarations only where there is no definition. */
  find(name: string): FoundSymbol[] {
    const parts = splitName(name);
    const written = parts.at(-1) ?? name;
    // The mark at the end of a method of Ruby is taken for that of the question.
    const last =
      [written, `${written}?`, `${written}!`].find((one) => this.reader.symbols(one, 1).length > 0) ?? written;
    const all = this.reader.symbols(last).filter((one) => hasContainer(one.container, parts.slice(0, -1), one.path));
    const exact = all.filter((one) => one.name === last);
    const found = exact.length > 0 ? exact : all;
    const defined = found.filter((one) => !one.isDeclaration);
    const meant = defined.length > 0 ? defined : found;
    return [...meant].sort(
      (a, b) =>
        a.role - b.role || kindRank(a) - kindRank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
    );
  }
}

const isCallable = ({ kind }: FoundSymbol) => !/^(?:variable|constant|field|module)$/.test(kind);

const isWithin = (use: FoundReference, { container, name }: FoundSymbol) => {
  const own = [container, name].filter((part) => part !== '').join('.');
  return use.container === own || use.container.startsWith(`${own}.`);
};

/** A definition is no use of itself, nor is what stands in its own heading. */
const isOwnDefinition = (use: FoundReference, wanted: readonly FoundSymbol[]) =>
  use.kind === 'read' && wanted.some((one) => one.file === use.file && one.line === use.line);

const sortUses = (uses: FoundReference[]) =>
  uses.sort((a, b) => a.role - b.role || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
