import type { FoundReference, FoundSymbol, StructureReader } from '../../../../storage/database/structure-reader.js';
import { isTypeKind, UNKNOWN } from '../source-text.js';
import { FileScopes } from './file-scopes.js';
import {
  BY_FOLDER,
  COMMON,
  containers,
  FOREIGN,
  folder,
  IMPLICIT_SELF,
  isInternal,
  isOne,
  isOwnImpl,
  lastPart,
  NONE,
  named,
  OPEN,
  REACH,
  type Resolved,
  SUBTYPE_DEPTH,
  stem,
  sure,
  withDefinitions,
} from './resolution-rules.js';

/**
 * Finds which definitions a use of a name means. Without types: by imports, packages and what is known of receivers.
 */
export class Resolution {
  private readonly scopes: FileScopes;
  private readonly known = new Map<string, Resolved>();
  private readonly classes = new Map<string, readonly FoundSymbol[]>();
  /** Whether an index of a compiler says anything; read when first needed. */
  private hasPrecise: boolean | undefined;

  constructor(private readonly reader: StructureReader) {
    this.scopes = new FileScopes(reader);
  }

  /** Returns those of `candidates`, which are all symbols of the name, that a use may mean. */
  resolve(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved {
    const precise = this.precise(use, candidates);
    if (precise) return precise;
    const key = `${use.name} ${use.file} ${use.qualifier} ${use.container}`;
    let found = this.known.get(key);
    if (!found) {
      const same = candidates.filter((one) => one.language === use.language && !isOwnImpl(one));
      found = same.length === 0 ? NONE : use.qualifier === '' ? this.plain(use, same) : this.qualified(use, same);
      this.known.set(key, found);
    }
    return found;
  }

  /**
   * What an index of a compiler says; undefined when it does not say it, or says a place where no such name is defined.
   */
  private precise(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved | undefined {
    this.hasPrecise ??= this.reader.hasPrecise();
    const targets = this.hasPrecise ? this.reader.preciseTargets(use.file, use.line, use.name) : [];
    if (targets.length === 0) return undefined;
    const found = targets.flatMap((target) => {
      const inside = candidates.filter(
        (one) => one.file === target?.file && one.line <= target.line && target.line <= one.endLine,
      );
      // The innermost definition of the name.
      return inside.sort((a, b) => b.line - a.line).slice(0, 1);
    });
    if (found.length > 0) return sure(found);
    return targets.every((target) => target === undefined) ? FOREIGN : undefined;
  }

  private plain(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved {
    const own = this.inScope(use, candidates);
    if (own.length > 0) return sure(own);
    const imported = this.imported(use, candidates);
    if (imported) return imported;
    const inherited = this.ofOwnClass(use, candidates);
    if (inherited.length > 0) return sure(inherited);
    const top = candidates.filter((one) => one.container === '' || isTypeKind(one.kind) || this.isModuleMember(one));
    const beside = this.ofPackage(use.file, top);
    if (beside.length > 0) return sure(beside);
    const included = this.included(use, top);
    if (included) return included;
    const file = this.scopes.file(use.file);
    const open = OPEN.has(use.language) || (use.language === 'ecmascript' && file?.isModule === false);
    const others = open
      ? top.filter(
          (one) =>
            one.exported > 0 && (use.language !== 'ecmascript' || this.scopes.file(one.file)?.isModule === false),
        )
      : [];
    return isOne(others) ? sure(others) : named(others);
  }

  /** Names of namespaces and modules in a file are used without the name of their container. */
  private isModuleMember(one: FoundSymbol): boolean {
    return one.language === 'cpp' && one.kind !== 'method' && one.kind !== 'field';
  }

  /** The definitions of the same file that are visible at a use without anything before it. */
  private inScope(use: FoundReference, candidates: readonly FoundSymbol[]): FoundSymbol[] {
    const here = candidates.filter((one) => one.file === use.file && one.kind !== 'method' && one.kind !== 'field');
    const inner = here.filter(
      (one) =>
        one.container !== '' && (use.container === one.container || use.container.startsWith(`${one.container}.`)),
    );
    if (inner.length > 0) return inner;
    const top = here.filter((one) => one.container === '' || isTypeKind(one.kind) || this.isModuleMember(one));
    return use.language === 'cpp' ? withDefinitions(top, candidates, (one) => one.exported > 0) : top;
  }

  /** What the file imports under the name; undefined when it imports nothing of that name. */
  private imported(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved | undefined {
    for (const one of this.scopes.importsOf(use.file)) {
      const pair = one.names.find(
        ([theirs, ours]) => (theirs === use.name && theirs !== '*') || (theirs === 'default' && ours === use.name),
      );
      if (!pair) continue;
      const found = this.scopes.exported(one.targets, pair[0], candidates);
      if (found.length > 0) return sure(found);
      const near = candidates.filter(
        (candidate) =>
          one.targets.includes(candidate.file) && candidate.kind !== 'method' && candidate.kind !== 'field',
      );
      if (near.length > 0) return sure(near);
      // An import of another project means nothing here; one of this project that was not found may mean any.
      if (one.targets.length === 0)
        return isInternal(one.specifier, use.language)
          ? named(candidates.filter((other) => other.container === ''))
          : NONE;
    }
    return undefined;
  }

  private ofOwnClass(use: FoundReference, candidates: readonly FoundSymbol[]): FoundSymbol[] {
    if (!IMPLICIT_SELF.has(use.language) || use.container === '') return [];
    // The containers of a use inside of a method are its class, then those around that.
    const around = use.container.split('.').reverse();
    for (const name of around) {
      const found = this.ofClass(name, candidates, use.file);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The members that a class has of its own, else those of the nearest class above it. */
  private ofClass(name: string, candidates: readonly FoundSymbol[], file: number): FoundSymbol[] {
    let level = [name];
    const seen = new Set(level);
    for (let depth = 0; depth < SUBTYPE_DEPTH && level.length > 0; depth += 1) {
      const own = candidates.filter((one) => level.includes(lastPart(one.container)));
      if (own.length > 0) return this.nearestOf(own, file);
      level = level.flatMap((one) => this.supertypes(one)).filter((one) => !seen.has(one) && seen.add(one));
    }
    return [];
  }

  /** Where several files have a class of one name: those of the same file, else of imported ones, else all. */
  private nearestOf(found: readonly FoundSymbol[], file: number): FoundSymbol[] {
    if (new Set(found.map((one) => one.file)).size < 2) return [...found];
    const here = found.filter((one) => one.file === file);
    if (here.length > 0) return here[0]?.language === 'cpp' ? [...found] : here;
    const reach = this.scopes.reachable(file, 1);
    const near = found.filter((one) => reach.has(one.file));
    return near.length > 0 && near[0]?.language !== 'cpp' ? near : [...found];
  }

  private ofPackage(file: number, candidates: readonly FoundSymbol[]): FoundSymbol[] {
    const own = this.scopes.file(file);
    if (!own) return [];
    return candidates.filter((one) => {
      const other = one.file === file ? own : this.scopes.file(one.file);
      if (!other) return false;
      if (BY_FOLDER.has(own.language))
        return (
          folder(own.path) === folder(other.path) ||
          (own.language === 'java' && own.package !== '' && own.package === other.package)
        );
      return own.package !== '' && own.package === other.package;
    });
  }

  /** The symbols visible through wildcard imports, such as includes of headers. */
  private included(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved | undefined {
    const all = this.scopes
      .importsOf(use.file)
      .filter((one) => one.names.some(([theirs, ours]) => theirs === '*' && ours === '*'));
    const reach = new Set(
      all.flatMap(({ targets }) =>
        targets.flatMap((target) => [...this.scopes.reachable(target, use.language === 'cpp' ? SUBTYPE_DEPTH : 1)]),
      ),
    );
    const found = candidates.filter((one) => reach.has(one.file) && one.exported > 0);
    if (found.length === 0) return undefined;
    return sure(withDefinitions(found, candidates, (one) => one.exported > 0));
  }

  private qualified(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved {
    const { qualifier, file } = use;
    // One capital is the name of a type parameter.
    if (qualifier === UNKNOWN || /^[A-Z]$/.test(qualifier)) return this.ofUnknown(use, candidates);
    const members = this.ofClass(qualifier, candidates, file);
    if (members.length > 0) {
      const below = this.findSubclassMembers(qualifier, candidates, members);
      return {
        symbols: [...members, ...below],
        byName: below.length > 0 || new Set(members.map((one) => one.file)).size > 2,
      };
    }
    const module = this.ofModule(use, candidates);
    if (module) return module;
    const heirs = this.findSubclassMembers(qualifier, candidates, []);
    if (heirs.length > 0) return named(heirs);
    // A type of another project has no members here.
    return /^[A-Z]/.test(qualifier) && this.typesNamed(qualifier).length === 0 ? NONE : this.ofUnknown(use, candidates);
  }

  /** The members of classes below `name`, which a call on a value of that type may reach. */
  private findSubclassMembers(
    name: string,
    candidates: readonly FoundSymbol[],
    except: readonly FoundSymbol[],
  ): FoundSymbol[] {
    return candidates.filter((one) => {
      if (except.includes(one) || one.container === '') return false;
      return this.isSubtype(lastPart(one.container), name, SUBTYPE_DEPTH);
    });
  }

  private isSubtype(name: string, of: string, depth: number): boolean {
    return (
      depth > 0 &&
      this.supertypes(name).some((one) => one === of || (one !== name && this.isSubtype(one, of, depth - 1)))
    );
  }

  /** What a module, package or namespace exports that the qualifier names. */
  private ofModule(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved | undefined {
    for (const one of this.scopes.importsOf(use.file)) {
      const pair = one.names.find(
        ([theirs, ours]) => ours === use.qualifier || theirs === use.qualifier || lastPart(ours) === use.qualifier,
      );
      if (!pair) continue;
      if (one.targets.length === 0) return isInternal(one.specifier, use.language) ? undefined : FOREIGN;
      const found = this.scopes.exported(one.targets, use.name, candidates);
      if (found.length > 0) return sure(found);
      const inside = candidates.filter(
        (candidate) => one.targets.includes(candidate.file) && candidate.kind !== 'field',
      );
      if (inside.length > 0) return sure(inside);
    }
    if (use.language !== 'rust' && use.language !== 'python') return undefined;
    const inFile = candidates.filter((one) => one.container === '' && stem(one.path) === use.qualifier);
    return inFile.length > 0 ? sure(inFile) : undefined;
  }

  /** Members that an object of unknown type may have: those of files that are within reach. */
  private ofUnknown(use: FoundReference, candidates: readonly FoundSymbol[]): Resolved {
    if (COMMON.has(use.name)) return NONE;
    const members = candidates.filter(
      (one) => one.container !== '' && (one.kind === 'method' || one.kind === 'field' || one.language === 'rust'),
    );
    const near = this.ofPackage(use.file, members);
    const reach = this.scopes.reachable(use.file, REACH);
    const reached = members.filter((one) => reach.has(one.file) || near.includes(one));
    const isOpen = OPEN.has(use.language) || use.language === 'python';
    const found = reached.length > 0 ? reached : isOpen || containers(members) === 1 ? members : [];
    return containers(found) === 1 && containers(members) === 1 ? sure(found) : named(found);
  }

  /** The names that the classes called `name` extend or implement. */
  private supertypes(name: string): string[] {
    const types = this.typesNamed(name);
    return [...new Set(types.flatMap((one) => this.heritage(one)))];
  }

  private readonly heritages = new Map<number, string[]>();

  private heritage(type: FoundSymbol): string[] {
    let found = this.heritages.get(type.id);
    if (!found) {
      found = this.reader
        .referencesWithin(type.file, type.line, type.endLine)
        .filter((one) => (one.kind === 'extend' || one.kind === 'implement') && one.symbol === type.id)
        .map((one) => one.name);
      this.heritages.set(type.id, found);
    }
    return found;
  }

  private typesNamed(name: string): readonly FoundSymbol[] {
    let found = this.classes.get(name);
    if (!found) {
      found = this.reader
        .symbols(name, 200)
        .filter((one) => one.name === name && (isTypeKind(one.kind) || one.kind === 'module'));
      this.classes.set(name, found);
    }
    return found;
  }
}
