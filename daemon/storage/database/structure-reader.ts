import type SQLite from 'better-sqlite3';
import { Statements } from './statements.js';
import { type ParameterRow, REFERENCE_KINDS, type ReferenceKind } from './structure-schema.js';

/** A row that says in which file and line it is. */
interface Placed {
  file: number;
  path: string;
  /** 0 for a source, 1 for a test or an example, 2 for third-party code. */
  role: number;
  line: number;
}

export interface FoundSymbol extends Placed {
  id: number;
  name: string;
  kind: string;
  container: string;
  signature: string;
  doc: string;
  endLine: number;
  /** 0 for a name of its file alone, 1 for an exported one, 2 for the file's default export. */
  exported: number;
  isDeclaration: boolean;
  parameters: readonly ParameterRow[] | undefined;
  language: string;
}

export interface FoundReference extends Placed {
  name: string;
  kind: ReferenceKind;
  qualifier: string;
  language: string;
  /** The name of the enclosing symbol with those around it; empty at the top of a file. */
  container: string;
  /** The enclosing symbol, 0 for none. */
  symbol: number;
}

export interface FoundImport extends Placed {
  id: number;
  specifier: string;
  isExported: boolean;
  names: readonly (readonly [string, string])[];
}

export interface StructureFile {
  id: number;
  path: string;
  role: number;
  language: string;
  package: string;
  isModule: boolean;
  rank: number;
}

export interface FoundFact extends Placed {
  name: string;
  /** Method of a route, tool of a script, kind of an error or entry point, container of a constant. */
  kind: string;
  /** Handler, command, message, default or value. */
  value: string;
}

export type FactTable = 'environment' | 'routes' | 'scripts' | 'errors' | 'constants' | 'entries';

/** The columns of each table that stand for name, kind and value. */
const FACTS: Readonly<Record<FactTable, readonly [string, string, string]>> = {
  environment: ['t.name', "''", "coalesce(t.value, '')"],
  routes: ['t.route', 't.method', 't.handler'],
  scripts: ['t.name', 't.tool', 't.command'],
  errors: ['t.name', 't.kind', 't.message'],
  constants: ['t.name', 't.container', 't.value'],
  entries: ['t.name', 't.kind', "''"],
};

const FILE = 'f.id AS file, f.path, f.role';
const SYMBOL = `${FILE}, f.language, s.id, s.name, s.kind, s.container, s.signature, s.doc, s.start_line AS line,
  s.end_line AS endLine, s.exported, s.declared, s.parameters`;
const REFERENCE = `${FILE}, f.language, n.name, r.kind, r.line, coalesce(q.name, '') AS qualifier, coalesce(r.symbol, 0) AS symbol,
  CASE WHEN s.id IS NULL THEN '' WHEN s.container = '' THEN s.name ELSE s.container || '.' || s.name END AS container`;
const FACTS_MAX = 20_000;

type Row = Record<string, unknown>;

/** Reads the structure graph: that of all files, or of those that git tracks. */
export class StructureReader {
  private readonly statements: Statements;
  private readonly least: 0 | 1;

  constructor(sqlite: SQLite.Database, scope: 'all' | 'tracked') {
    this.statements = new Statements(sqlite);
    this.least = scope === 'tracked' ? 1 : 0;
  }

  /** Returns the symbols of a name without regard to case, sources first. */
  symbols(name: string, limit = 2_000): FoundSymbol[] {
    return this.all(
      `SELECT ${SYMBOL} FROM structure_symbols s JOIN structure_files f ON f.id = s.file
        WHERE s.name = ? COLLATE NOCASE AND f.tracked >= ? ORDER BY f.role, f.path, s.start_line LIMIT ?`,
      name,
      this.least,
      limit,
    ).map(toSymbol);
  }

  /** Returns names of symbols that contain `part` or share its first four letters, the shortest first. */
  namesLike(part: string, limit: number): string[] {
    const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');
    return this.all(
      `SELECT DISTINCT s.name FROM structure_symbols s JOIN structure_files f ON f.id = s.file
        WHERE (s.name LIKE ? ESCAPE '\\' OR s.name LIKE ? ESCAPE '\\') AND f.tracked >= ?
        ORDER BY length(s.name), s.name LIMIT ?`,
      `%${literal(part)}%`,
      `${literal(part.slice(0, 4))}%`,
      this.least,
      limit,
    ).map((row) => row['name'] as string);
  }

  /**
   * Returns symbols whose name contains every one of `words` in any case: exact names first, then those that begin with
   * the first word; sources before tests, short names before long ones.
   */
  symbolsContaining(words: readonly string[], limit: number): FoundSymbol[] {
    const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');
    const [first = ''] = words;
    return this.all(
      `SELECT ${SYMBOL} FROM structure_symbols s JOIN structure_files f ON f.id = s.file
        WHERE ${words.map(() => "s.name LIKE ? ESCAPE '\\'").join(' AND ')} AND f.tracked >= ?
        ORDER BY s.name = ? COLLATE NOCASE DESC, s.name LIKE ? ESCAPE '\\' DESC, f.role, s.declared, length(s.name),
          s.name, f.path, s.start_line LIMIT ?`,
      ...words.map((word) => `%${literal(word)}%`),
      this.least,
      first,
      `${literal(first)}%`,
      limit,
    ).map(toSymbol);
  }

  /** Returns the symbols of a file, in order. */
  symbolsOf(file: number): FoundSymbol[] {
    return this.all(
      `SELECT ${SYMBOL} FROM structure_symbols s JOIN structure_files f ON f.id = s.file
        WHERE s.file = ? AND f.tracked >= ? ORDER BY s.start_line, s.id`,
      file,
      this.least,
    ).map(toSymbol);
  }

  /** Returns the uses of a name, sources first. */
  references(name: string, limit: number): FoundReference[] {
    return this.all(
      `SELECT ${REFERENCE} FROM structure_names n JOIN structure_references r ON r.name = n.id
        JOIN structure_files f ON f.id = r.file LEFT JOIN structure_names q ON q.id = r.qualifier
        LEFT JOIN structure_symbols s ON s.id = r.symbol
        WHERE n.name = ? AND f.tracked >= ? ORDER BY f.role, f.path, r.line LIMIT ?`,
      name,
      this.least,
      limit,
    ).map(toReference);
  }

  /** Returns the uses of other names between two lines of a file, in order. */
  referencesWithin(file: number, start: number, end: number): FoundReference[] {
    return this.all(
      `SELECT ${REFERENCE} FROM structure_files f JOIN structure_references r ON r.id BETWEEN f.first_reference AND f.last_reference
        JOIN structure_names n ON n.id = r.name LEFT JOIN structure_names q ON q.id = r.qualifier
        LEFT JOIN structure_symbols s ON s.id = r.symbol
        WHERE f.id = ? AND f.tracked >= ? AND r.line BETWEEN ? AND ? ORDER BY r.line, r.id`,
      file,
      this.least,
      start,
      end,
    ).map(toReference);
  }

  file(path: string): StructureFile | undefined {
    return this.files('f.path = ?', path)[0];
  }

  fileById(id: number): StructureFile | undefined {
    return this.files('f.id = ?', id)[0];
  }

  /** Returns every file, the one with the highest rank first. */
  allFiles(): StructureFile[] {
    return this.files('1 = ?', 1);
  }

  filesOfPackage(name: string): StructureFile[] {
    return this.files('f.package = ?', name);
  }

  private files(condition: string, value: string | number): StructureFile[] {
    return this.all(
      `SELECT f.id, f.path, f.role, f.language, f.package, f.is_module, f.rank FROM structure_files f
        WHERE ${condition} AND f.tracked >= ? ORDER BY f.rank DESC, f.path`,
      value,
      this.least,
    ).map((row) => ({ ...row, isModule: row['is_module'] === 1 }) as unknown as StructureFile);
  }

  /** Returns the imports that a file writes, in order. */
  importsOf(file: number): FoundImport[] {
    return this.imports('i.file = ?', file);
  }

  /** Returns the imports that mean `file`, sources first. */
  importsTo(file: number): FoundImport[] {
    return this.imports('i.id IN (SELECT import FROM structure_import_targets WHERE target = ?)', file);
  }

  /** Returns the imports that write exactly `specifier`, or something below it. */
  importsWriting(specifier: string): FoundImport[] {
    const below = ['/', '.', '::', '\\'].map((separator) => `${specifier}${separator}`);
    const found = [...this.imports('i.specifier = ?', specifier), ...below.flatMap((start) => this.importsFrom(start))];
    return found.sort((a, b) => a.role - b.role || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  }

  private importsFrom(start: string): FoundImport[] {
    return this.all(
      `SELECT ${FILE}, i.id, i.specifier, i.line, i.is_exported, i.names FROM structure_imports i JOIN structure_files f ON f.id = i.file
        WHERE i.specifier >= ? AND i.specifier < ? AND f.tracked >= ?`,
      start,
      `${start}\u{10ffff}`,
      this.least,
    ).map(toImport);
  }

  private imports(condition: string, value: string | number): FoundImport[] {
    return this.all(
      `SELECT ${FILE}, i.id, i.specifier, i.line, i.is_exported, i.names FROM structure_imports i JOIN structure_files f ON f.id = i.file
        WHERE ${condition} AND f.tracked >= ? ORDER BY f.role, f.path, i.line`,
      value,
      this.least,
    ).map(toImport);
  }

  /** Returns the files that each import of a file means, as pairs of import and file. */
  targetsOf(file: number): { import: number; target: number }[] {
    return this.all(
      `SELECT t.import, t.target FROM structure_import_targets t JOIN structure_files f ON f.id = t.target
        WHERE t.file = ? AND f.tracked >= ?`,
      file,
      this.least,
    ) as unknown as { import: number; target: number }[];
  }

  /** Whether an index of a compiler says anything of the project. */
  hasPrecise(): boolean {
    return this.all('SELECT 1 FROM structure_precise LIMIT 1').length > 0;
  }

  /**
   * Returns where the uses of a name on a line are defined, as an index of a compiler says; `undefined` in the list
   * stands for another project. Empty when no index says it.
   */
  preciseTargets(file: number, line: number, name: string): ({ file: number; line: number } | undefined)[] {
    return this.all(
      `SELECT p.target AS file, p.target_line AS line FROM structure_precise p
        LEFT JOIN structure_files f ON f.id = p.target
        WHERE p.file = ? AND p.line = ? AND p.name = ? AND (p.target IS NULL OR f.tracked >= ?)`,
      file,
      line,
      name,
      this.least,
    ).map((row) => (row['file'] === null ? undefined : (row as unknown as { file: number; line: number })));
  }

  /** Returns the rows of a table, sources first. With `name`, only those of the name without regard to case. */
  facts(table: FactTable, name?: string): FoundFact[] {
    const [named, kind, value] = FACTS[table];
    return this.all(
      `SELECT ${FILE}, t.line, ${named} AS name, ${kind} AS kind, ${value} AS value
        FROM structure_${table} t JOIN structure_files f ON f.id = t.file
        WHERE f.tracked >= ? ${name === undefined ? '' : `AND ${named} = ? COLLATE NOCASE`} ORDER BY f.role, f.path, t.line LIMIT ${FACTS_MAX}`,
      this.least,
      ...(name === undefined ? [] : [name]),
    ) as unknown as FoundFact[];
  }

  private all(text: string, ...values: unknown[]): Row[] {
    return this.statements.of(text).all(...values) as Row[];
  }
}

const toSymbol = (row: Row): FoundSymbol =>
  ({
    ...row,
    isDeclaration: row['declared'] === 1,
    parameters: row['parameters'] === null ? undefined : JSON.parse(row['parameters'] as string),
  }) as unknown as FoundSymbol;

const toReference = (row: Row): FoundReference =>
  ({ ...row, kind: REFERENCE_KINDS[row['kind'] as number] }) as unknown as FoundReference;

const toImport = (row: Row): FoundImport =>
  ({
    ...row,
    isExported: row['is_exported'] === 1,
    names: JSON.parse(row['names'] as string),
  }) as unknown as FoundImport;
