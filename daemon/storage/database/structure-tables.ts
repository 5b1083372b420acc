import type SQLite from 'better-sqlite3';
import { Statements } from './statements.js';
import { type FileStructure, type NewSymbol, type PreciseUse, REFERENCE_KINDS } from './structure-schema.js';

const OF_FILE = [
  'symbols',
  'imports',
  'import_targets',
  'environment',
  'routes',
  'scripts',
  'errors',
  'constants',
  'entries',
  'precise',
];
const NAMES_CACHED_MAX = 200_000;

/** Writes the structure graph. Each call of `put` is to run in one transaction with nothing else of that file. */
export class StructureTables {
  private readonly statements: Statements;
  private readonly names = new Map<string, number>();

  constructor(private readonly sqlite: SQLite.Database) {
    this.statements = new Statements(sqlite);
  }

  /** Returns the files whose content is not in the graph, and those of the graph that are gone. */
  stale(): { changed: { path: string; sha256: string; size: number }[]; gone: string[] } {
    const changed = this.sql(`
      SELECT f.path, f.sha256, f.size FROM files f LEFT JOIN structure_files s ON s.path = f.path
      WHERE s.sha256 IS NULL OR s.sha256 <> f.sha256 ORDER BY f.tracked DESC, f.worth DESC, f.path`).all() as {
      path: string;
      sha256: string;
      size: number;
    }[];
    const gone = this.sql('SELECT path FROM structure_files WHERE tracked < 0').all() as { path: string }[];
    return { changed, gone: gone.map(({ path }) => path) };
  }

  /** Replaces what is stored of `path`. The id of its row stays, since imports of other files point to it. */
  put(path: string, sha256: string, structure: FileStructure): void {
    this.sqlite.transaction(() => {
      const file = this.fileId(path);
      this.clear(file);
      const symbols = this.putSymbols(file, structure.symbols);
      const references = this.putReferences(file, structure, symbols);
      this.putFacts(file, structure);
      this.sql(`UPDATE structure_files SET sha256 = ?, language = ?, role = ?, package = ?, is_module = ?, left_out = ?,
        first_reference = ?, last_reference = ?, linked = 0 WHERE id = ?`).run(
        sha256,
        structure.language,
        structure.role,
        structure.package,
        structure.isModule ? 1 : 0,
        structure.leftOut ?? null,
        ...references,
        file,
      );
    })();
  }

  remove(path: string): void {
    this.sqlite.transaction(() => {
      const known = this.sql('SELECT id FROM structure_files WHERE path = ?').get(path) as { id: number } | undefined;
      if (!known) return;
      this.clear(known.id);
      this.sql('DELETE FROM structure_import_targets WHERE target = ?').run(known.id);
      this.sql('DELETE FROM structure_files WHERE id = ?').run(known.id);
    })();
  }

  /** Forgets what an index of a compiler said of all files. */
  forgetPrecise(): void {
    this.sql('DELETE FROM structure_precise').run();
  }

  /** Stores what the uses in a file of the graph mean; those whose definition is in no file of it are left out. */
  putPrecise(path: string, uses: readonly PreciseUse[]): void {
    const idOf = this.sql('SELECT id FROM structure_files WHERE path = ? AND tracked >= 0').pluck();
    const file = idOf.get(path) as number | undefined;
    if (file === undefined) return;
    const add = this.sql('INSERT INTO structure_precise VALUES (?, ?, ?, ?, ?)');
    for (const { name, line, target } of uses) {
      const id = target && (idOf.get(target.path) as number | undefined);
      if (target === undefined || id !== undefined) add.run(file, line, name, id ?? null, target?.line ?? null);
    }
  }

  /** Forgets which files all imports mean. */
  unlink(): void {
    this.sql('DELETE FROM structure_import_targets').run();
    this.sql('UPDATE structure_files SET linked = 0').run();
  }

  /** Returns the files whose imports are not resolved. */
  unlinked(): { id: number; path: string; language: string }[] {
    return this.sql('SELECT id, path, language FROM structure_files WHERE linked = 0 ORDER BY id').all() as {
      id: number;
      path: string;
      language: string;
    }[];
  }

  importsOf(file: number): { id: number; specifier: string; names: readonly (readonly [string, string])[] }[] {
    const rows = this.sql('SELECT id, specifier, names FROM structure_imports WHERE file = ? ORDER BY id').all(file);
    return (rows as { id: number; specifier: string; names: string }[]).map((row) => ({
      ...row,
      names: JSON.parse(row.names),
    }));
  }

  /** Stores the files that the imports of a file mean. */
  link(file: number, targets: readonly { import: number; target: number }[]): void {
    const add = this.sql('INSERT INTO structure_import_targets VALUES (?, ?, ?)');
    for (const one of targets) add.run(one.import, file, one.target);
    this.sql('UPDATE structure_files SET linked = 1 WHERE id = ?').run(file);
  }

  files(): { id: number; path: string; sha256: string; package: string; leftOut: string | null }[] {
    return this.sql(
      'SELECT id, path, sha256, package, left_out AS leftOut FROM structure_files WHERE tracked >= 0 ORDER BY id',
    ).all() as { id: number; path: string; sha256: string; package: string; leftOut: string | null }[];
  }

  /** Returns how many files were left out, by reason. */
  countLeftOut(): { reason: string; files: number }[] {
    return this.sql(`SELECT left_out AS reason, count(*) AS files FROM structure_files
      WHERE tracked >= 0 AND left_out IS NOT NULL GROUP BY left_out ORDER BY files DESC, reason`).all() as {
      reason: string;
      files: number;
    }[];
  }

  /** Returns how many files were read in each language, most first. */
  countLanguages(): { language: string; files: number }[] {
    return this.sql(`SELECT language, count(*) AS files FROM structure_files
      WHERE tracked >= 0 AND left_out IS NULL GROUP BY language ORDER BY files DESC, language`).all() as {
      language: string;
      files: number;
    }[];
  }

  /** Returns which source imports which file. */
  edges(): { file: number; target: number }[] {
    return this.sql(`SELECT DISTINCT t.file, t.target FROM structure_import_targets t JOIN structure_files f ON f.id = t.file
      WHERE f.role = 0 AND t.file <> t.target`).all() as {
      file: number;
      target: number;
    }[];
  }

  setRanks(ranks: ReadonlyMap<number, number>): void {
    const set = this.sql('UPDATE structure_files SET rank = ? WHERE id = ?');
    this.sql('UPDATE structure_files SET rank = 0 WHERE rank <> 0').run();
    for (const [file, rank] of ranks) set.run(rank, file);
  }

  private fileId(path: string): number {
    const known = this.sql('SELECT id FROM structure_files WHERE path = ?').get(path) as { id: number } | undefined;
    if (known) return known.id;
    return Number(
      this.sql(`INSERT INTO structure_files (path, sha256, tracked, language, role, package, is_module, first_reference, last_reference)
        VALUES (?, '', coalesce((SELECT tracked FROM files WHERE path = ?), -1), '', 0, '', 0, 0, -1)`).run(path, path)
        .lastInsertRowid,
    );
  }

  private clear(file: number): void {
    this.sql(`DELETE FROM structure_references WHERE id BETWEEN (SELECT first_reference FROM structure_files WHERE id = ?)
      AND (SELECT last_reference FROM structure_files WHERE id = ?)`).run(file, file);
    for (const table of OF_FILE) this.sql(`DELETE FROM structure_${table} WHERE file = ?`).run(file);
    // Lines that another file was said to mean are no longer those.
    this.sql('DELETE FROM structure_precise WHERE target = ?').run(file);
  }

  private putSymbols(file: number, symbols: readonly NewSymbol[]): number[] {
    const add = this.sql(`INSERT INTO structure_symbols
      (file, name, kind, container, signature, doc, start_line, end_line, exported, declared, parameters)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    return symbols.map((one) =>
      Number(
        add.run(
          file,
          one.name,
          one.kind,
          one.container,
          one.signature,
          one.doc,
          one.startLine,
          one.endLine,
          one.isDefault ? 2 : one.isExported ? 1 : 0,
          one.isDeclaration ? 1 : 0,
          one.parameters ? JSON.stringify(one.parameters) : null,
        ).lastInsertRowid,
      ),
    );
  }

  /** Stores the references of a file and returns the first and the last of their ids. */
  private putReferences(file: number, { references }: FileStructure, symbols: readonly number[]): [number, number] {
    const add = this.sql(
      'INSERT INTO structure_references (id, file, name, kind, line, symbol, qualifier) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    const { last } = this.sql('SELECT coalesce(max(id), 0) AS last FROM structure_references').get() as {
      last: number;
    };
    references.forEach((one, index) => {
      add.run(
        last + 1 + index,
        file,
        this.nameId(one.name),
        REFERENCE_KINDS.indexOf(one.kind),
        one.line,
        symbols[one.symbol] ?? null,
        one.qualifier === '' ? null : this.nameId(one.qualifier),
      );
    });
    return [last + 1, last + references.length];
  }

  private putFacts(file: number, structure: FileStructure): void {
    const add = (table: string, rows: readonly (readonly unknown[])[], columns: number) => {
      const statement = this.sql(`INSERT INTO structure_${table} VALUES (?${', ?'.repeat(columns)})`);
      for (const row of rows) statement.run(file, ...row);
    };
    const { environment, routes, scripts, errors, constants, entries, imports } = structure;
    const importing = this.sql(
      'INSERT INTO structure_imports (file, specifier, line, is_exported, names) VALUES (?, ?, ?, ?, ?)',
    );
    for (const one of imports)
      importing.run(file, one.specifier, one.line, one.isExported ? 1 : 0, JSON.stringify(one.names));
    add(
      'environment',
      environment.map((one) => [one.name, one.value ?? null, one.line]),
      3,
    );
    add(
      'routes',
      routes.map((one) => [one.method, one.route, one.handler, one.line]),
      4,
    );
    add(
      'scripts',
      scripts.map((one) => [one.tool, one.name, one.command, one.line]),
      4,
    );
    add(
      'errors',
      errors.map((one) => [one.name, one.kind, one.message, one.line]),
      4,
    );
    add(
      'constants',
      constants.map((one) => [one.name, one.container, one.value, one.line]),
      4,
    );
    add(
      'entries',
      entries.map((one) => [one.name, one.kind, one.line]),
      3,
    );
  }

  private nameId(name: string): number {
    let id = this.names.get(name);
    if (id === undefined) {
      const known = this.sql('SELECT id FROM structure_names WHERE name = ?').get(name) as { id: number } | undefined;
      id = known?.id ?? Number(this.sql('INSERT INTO structure_names (name) VALUES (?)').run(name).lastInsertRowid);
      // A transaction that is rolled back takes its names with it, and is followed by a restart of the pass.
      if (this.names.size >= NAMES_CACHED_MAX) this.names.clear();
      this.names.set(name, id);
    }
    return id;
  }

  /** Forgets ids that a transaction which failed may have taken back. */
  forgetNames(): void {
    this.names.clear();
  }

  private sql(text: string): SQLite.Statement {
    return this.statements.of(text);
  }
}
