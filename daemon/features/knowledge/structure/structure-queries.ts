import { CODE_PLACES_MAX } from '../../../contract/code.js';
import type {
  FactTable,
  FoundFact,
  FoundSymbol,
  StructureFile,
  StructureReader,
} from '../../../storage/database/structure-reader.js';
import type { ReferenceKind } from '../../../storage/database/structure-schema.js';
import { moduleFile, sourceOf } from '../project-facts/built-from.js';
import { ASIDE_DISTANCE, entryDistance } from '../project-facts/entry-points.js';
import { type EnvironmentScope, isBelow } from '../project-facts/environment-scope.js';
import { resolveReads } from './environment-reads.js';
import { findLanguage } from './languages.js';
import {
  type Definition,
  factPlace,
  hasContainer,
  importPlace,
  kindRank,
  type Place,
  type Places,
  sortPlaces,
  splitName,
  toDefinition,
  toPlace,
  toPlaces,
} from './places.js';
import { isTypeKind } from './source-text.js';
import { SymbolUses } from './symbol-uses.js';

const DEPENDENTS_MAX = 5_000;
const NEAR_MAX = 5;
/** Kinds of entry points, the most telling first. */
const ENTRY_ORDER = [
  'program (bin)',
  'program',
  'main function',
  'main method',
  'Main method',
  'package main',
  'package module',
  'package exports',
  'library',
];

/**
 * Questions to the structure graph. Names may be qualified (`Class.method`, `module.fn`, `Class::method`, `pkg.Fn`).
 * Every answer describes the graph as it was stored last.
 */
export class StructureQueries {
  private readonly symbols: SymbolUses;

  constructor(private readonly reader: StructureReader) {
    this.symbols = new SymbolUses(reader);
  }

  /** Returns the definitions of a name: with this case if there is one, else with any. */
  definitions(name: string): { total: number; places: Definition[] } {
    const found = this.symbols.find(name);
    return { total: found.length, places: found.slice(0, CODE_PLACES_MAX).map(toDefinition) };
  }

  /** Returns definitions whose name contains every word, best match first. */
  named(words: readonly string[], limit: number): Definition[] {
    return this.reader.symbolsContaining(words, limit).map(toDefinition);
  }

  /** Returns the calls of what `name` names. */
  callers(name: string): Places {
    return this.uses(name, ['call']);
  }

  /** Returns every use of what `name` names: calls, reads, and uses as a type. */
  references(name: string): Places {
    return this.uses(name, ['call', 'read', 'type', 'extend', 'implement']);
  }

  /** Returns where a class is extended or an interface implemented: the classes that do. */
  subclasses(name: string): Places {
    return this.findSubtypes(name, ['extend', 'implement']);
  }

  implementers(name: string): Places {
    return this.findSubtypes(name, ['implement', 'extend']);
  }

  private findSubtypes(name: string, kinds: readonly ReferenceKind[]): Places {
    const found = this.symbols.usesOf(name, kinds);
    return {
      ...toPlaces(found.uses.map((one) => ({ ...toPlace(one), text: one.container || one.name }))),
      byName: found.byName,
    };
  }

  /** Returns what the definitions of `name` call, each name once, at its first line. */
  callees(name: string): Places {
    return this.symbols.callees(name);
  }

  /** Returns the imports of a file, by its path or the end of it, or of a package by its name. */
  importers(path: string): Places {
    const files = this.filesNamed(path);
    const found =
      files.length > 0 ? files.flatMap(({ id }) => this.reader.importsTo(id)) : this.reader.importsWriting(path);
    const unique = [...new Map(found.map((one) => [one.id, one])).values()];
    return { ...toPlaces(sortPlaces(unique.map((one) => importPlace(one)))), byName: false };
  }

  /** Returns the imports of one name that a file defines. */
  importersOf(path: string, name: string): Places {
    const found = this.filesNamed(path)
      .flatMap(({ id }) => this.reader.importsTo(id))
      .filter((one) => one.names.some(([theirs]) => theirs === name));
    return { ...toPlaces(sortPlaces(found.map((one) => importPlace(one)))), byName: false };
  }

  /** Returns the errors that definitions throw themselves. */
  errorsWithin(definitions: readonly Definition[]): Places {
    const all = this.reader
      .facts('errors')
      .filter((one) =>
        definitions.some(
          ({ path, startLine, endLine }) => path === one.path && startLine <= one.line && one.line <= endLine,
        ),
      );
    return { ...toPlaces(all.map((one) => factPlace(one, one.name, one.value))), byName: false };
  }

  /** Returns the files that depend on a file through imports, with how many steps away they are. */
  dependents(path: string): Places {
    const seen = new Set(this.filesNamed(path).map(({ id }) => id));
    let edge = [...seen];
    const places: Place[] = [];
    for (let depth = 1; edge.length > 0 && places.length < DEPENDENTS_MAX; depth += 1) {
      const next: number[] = [];
      for (const one of edge.flatMap((id) => this.reader.importsTo(id))) {
        if (seen.has(one.file)) continue;
        seen.add(one.file);
        next.push(one.file);
        places.push({ ...importPlace(one), depth });
      }
      edge = next;
    }
    return { ...toPlaces(sortPlaces(places)), byName: false };
  }

  /** Returns what a file imports. */
  imports(path: string): Places {
    const found = this.filesNamed(path).flatMap(({ id }) => this.reader.importsOf(id));
    return { ...toPlaces(found.map((one) => importPlace(one))), byName: false };
  }

  /**
   * Returns the reads of the environment, sources first. `text` is the name of the variable, `container` its default.
   */
  environment(): Places {
    return toReadPlaces(this.reads());
  }

  /** Every read of an environment variable that is known by its name. */
  private reads(): FoundFact[] {
    return this.resolved().reads;
  }

  private resolved() {
    return resolveReads(this.reader.facts('environment'), (name) =>
      this.reader.facts('constants', name).filter((one) => one.name === name),
    );
  }

  /** Whether some code reads a variable whose name is not known. */
  readsUnknownVariables(): boolean {
    return this.resolved().isUnknown;
  }

  /**
   * Returns the reads of the environment in sources that the question is about, and the names that only tests, examples
   * and the like read.
   */
  environmentOfSources(scope: EnvironmentScope = EVERYWHERE): Places & { elsewhere: string[] } {
    const all = this.reads().filter(({ path }) => isInScope(path, scope));
    const inSources = all.filter(({ role }) => role === 0);
    if (scope.includesTests) return { ...toReadPlaces(all), elsewhere: [] };
    const known = new Set(inSources.map(({ name }) => name));
    const others = scope.leavesOutTests ? [] : all;
    const elsewhere = new Set(others.map(({ name }) => name).filter((name) => !known.has(name)));
    return { ...toReadPlaces(inSources), elsewhere: [...elsewhere] };
  }

  /** Returns every read of one environment variable, tests and examples included. */
  readsOfVariable(name: string): Places {
    return toReadPlaces(this.reads().filter((one) => one.name === name));
  }

  /**
   * Returns the routes that the project serves, all or those whose path contains `part`. `container` is the handler.
   */
  routes(part = ''): Places {
    const found = this.reader.facts('routes').filter(({ name }) => name.includes(part));
    return {
      ...toPlaces(found.map((one) => factPlace(one, `${one.kind} ${one.name}`, one.value))),
      byName: false,
    };
  }

  /** Returns names of the graph that contain the last part of `name` or begin as it does, the shortest first. */
  near(name: string): string[] {
    return this.reader.namesLike(splitName(name).at(-1) ?? name, NEAR_MAX);
  }

  /** Returns the scripts of the manifests. `container` is the command that they run. */
  scripts(): Places {
    return this.facts('scripts', ({ name, kind, value }) => ({ text: `${getPrefix(kind)}${name}`, container: value }));
  }

  /** Returns the errors that are thrown, raised, returned or defined. `container` is the message. */
  errors(): Places {
    return this.facts('errors', ({ name, value }) => ({ text: name, container: value }));
  }

  /**
   * Returns where the programs and packages of the sources begin: what manifests name first, then what is called as the
   * project is, by one of its `names`. Scripts that only run when they are called by name do not count.
   */
  entryPoints(names: readonly string[] = []): Places {
    const all = this.reader
      .facts('entries')
      .map((one) => factPlace(one, one.name, one.kind))
      .filter(({ role, container }) => role === 0 && ENTRY_ORDER.includes(container))
      .filter(({ path, container }) => !/ function$/.test(container) || entryDistance(path, names) < ASIDE_DISTANCE);
    // A manifest below the root is about a part, and comes after the programs.
    const hasMain = all.some(({ container, path }) => container === 'package main' && !path.includes('/'));
    const isAside = ({ text, container }: Place) =>
      hasMain && container === 'program (bin)' && /^[\w@/.-]+: /.test(text) && !names.includes(getProgramName(text));
    const rank = (one: Place) =>
      ENTRY_ORDER.indexOf(one.container) +
      (isAside(one) ? ENTRY_ORDER.length : 0) +
      (/ (?:function|method)$/.test(one.container) || !one.path.includes('/') ? 0 : ENTRY_ORDER.length);
    const distance = ({ path }: Place) => entryDistance(path, names);
    all.sort((a, b) => rank(a) - rank(b) || distance(a) - distance(b) || (a.path < b.path ? -1 : 1));
    return { ...toPlaces(all.flatMap((one) => [one, ...this.findNamedPlaces(one)])), byName: false };
  }

  /** The file of the project that an entry of a manifest names, or its source, at its function or first symbol. */
  private findNamedPlaces({ path, text, container, role }: Place): Place[] {
    const folder = path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : '';
    const has = (one: string) => this.reader.file(one) !== undefined;
    const [, module, called] = /^[\w.-]+: ([\w.]+):([\w.]+)$/.exec(text) ?? [];
    const named = /(?:^|: )([\w./@-]+)$/.exec(text)?.[1];
    const source =
      module !== undefined
        ? moduleFile(module, folder, has)
        : named !== undefined && /^(?:program \(bin\)|package |library)/.test(container)
          ? sourceOf(named, folder, has, container !== 'program (bin)')
          : undefined;
    const file = source === undefined ? undefined : this.reader.file(source);
    if (!file) return [];
    return [file, ...this.findReexported(file)].map((one) => {
      const symbols = this.reader.symbolsOf(one.id);
      const line = (symbols.find(({ name }) => name === called) ?? symbols[0])?.line ?? 1;
      return { path: one.path, startLine: line, endLine: line, role, text: one.path, container };
    });
  }

  /** The file of the project that another does nothing but pass on. */
  private findReexported(file: StructureFile): StructureFile[] {
    if (file.language !== 'ecmascript' || this.reader.symbolsOf(file.id).length > 0) return [];
    const targets = new Set(this.reader.targetsOf(file.id).map(({ target }) => target));
    const [only] = targets;
    const found = targets.size === 1 && only !== undefined ? this.reader.fileById(only) : undefined;
    return found?.role === 0 ? [found] : [];
  }

  private facts(table: FactTable, say: (fact: FoundFact) => { text: string; container: string }): Places {
    const found = this.reader.facts(table).map((one) => {
      const { text, container } = say(one);
      return factPlace(one, text, container);
    });
    return { ...toPlaces(found), byName: false };
  }

  /** Returns the definitions of a function with its parameters; of a class, those of its constructor. */
  parameters(name: string): { total: number; places: Definition[] } {
    const found = this.symbols.find(name).flatMap((one) => {
      if (!isTypeKind(one.kind) || (one.parameters?.length ?? 0) > 0) return one.parameters ? [one] : [];
      return this.constructorsOf(one);
    });
    // A constructor that is called as its class is found under its own name too.
    const unique = [...new Map(found.map((one) => [one.id, one])).values()];
    const defined = unique.some((one) => !one.isDeclaration)
      ? unique.filter((one) => !one.isDeclaration || one.parameters?.some(({ value }) => value !== undefined))
      : unique;
    return { total: defined.length, places: defined.slice(0, CODE_PLACES_MAX).map(toDefinition) };
  }

  private constructorsOf(type: FoundSymbol): FoundSymbol[] {
    const names = ['constructor', '__init__', 'initialize', '__construct', 'new', type.name];
    return this.reader
      .symbolsOf(type.file)
      .filter((one) => names.includes(one.name) && one.parameters !== undefined && one.id !== type.id)
      .filter((one) => one.container === [type.container, type.name].filter((part) => part !== '').join('.'));
  }

  /** Returns the constants of a name. `text` is the value as it is written. */
  value(name: string): Places {
    const parts = splitName(name);
    const last = parts.at(-1) ?? name;
    const all = this.reader
      .facts('constants', last)
      .filter((one) => hasContainer(one.kind, parts.slice(0, -1), one.path));
    const exact = all.filter((one) => one.name === last);
    const found = (exact.length > 0 ? exact : all).map((one) => factPlace(one, one.value, one.kind));
    return { ...toPlaces(found), byName: false };
  }

  /** Returns the sources that most depends on, by rank over the imports, the first symbol of each as its text. */
  mainParts(limit = 12): Places {
    const files = this.reader
      .allFiles()
      .filter((one) => one.role === 0 && one.rank > 0)
      .slice(0, limit);
    const places = files.map((file) => {
      const symbols = this.reader
        .symbolsOf(file.id)
        .filter((one) => one.container === '' && !one.isDeclaration && one.kind !== 'macro');
      const main = [...symbols].sort(
        (a, b) => Number(b.exported > 0) - Number(a.exported > 0) || kindRank(a) - kindRank(b) || a.line - b.line,
      )[0];
      return {
        path: file.path,
        startLine: main?.line ?? 1,
        endLine: main?.line ?? 1,
        role: 0,
        text: main?.name ?? '',
        container: main?.doc ?? '',
      };
    });
    return { total: places.length, files: places.length, places, byName: false };
  }

  /** Returns the files whose path is `path` or ends with it; also without its ending. Sources first. */
  filesNamed(path: string): StructureFile[] {
    const wanted = path.replace(/^\.?\//, '');
    const exact = this.reader.file(wanted);
    if (exact) return [exact];
    const all = this.reader.allFiles();
    const ending = all.filter((one) => one.path.endsWith(`/${wanted}`));
    if (ending.length > 0 || /\.\w+$/.test(wanted)) return ending;
    return all.filter(
      (one) =>
        one.language !== '' &&
        (one.path.replace(/\.\w+$/, '').endsWith(`/${wanted}`) || one.path.replace(/\.\w+$/, '') === wanted),
    );
  }

  private uses(name: string, kinds: readonly ReferenceKind[]): Places {
    const { uses, byName, perDefinition } = this.symbols.usesOf(name, kinds);
    return { ...toPlaces(uses.map(toPlace)), byName, perDefinition };
  }
}

const EVERYWHERE: EnvironmentScope = { languages: [], without: [], folders: [], includesTests: false };

/** Whether a file is of the languages and folders that a question is about. */
export function isInScope(path: string, { languages, without, folders }: EnvironmentScope): boolean {
  const language = findLanguage(path)?.name ?? '';
  if (without.includes(language) || (languages.length > 0 && !languages.includes(language))) return false;
  return folders.length === 0 || folders.some((folder) => isBelow(path, folder));
}

const toReadPlaces = (facts: readonly FoundFact[]): Places => ({
  ...toPlaces(facts.map((one) => factPlace(one, one.name, one.value))),
  byName: false,
});

/** The name of a program in the text of its entry. */
const getProgramName = (text: string) => (text.split(':')[0] ?? '').toLowerCase();

const getPrefix = (tool: string) =>
  ({ npm: 'npm run ', make: 'make ', tox: 'tox -e ', cargo: 'cargo ', just: 'just ', composer: 'composer ' })[tool] ??
  '';
