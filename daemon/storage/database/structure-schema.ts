/**
 * The tables of the structure graph. `tracked` is 1 for files of git, 0 for others and -1 for files that are gone; the
 * triggers keep it equal to the text index at every moment, so that no reader sees a file that it may not. References
 * of a file have consecutive ids, so that the file needs no index over them.
 */
export const STRUCTURE_SCHEMA = `
CREATE TABLE structure_files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  sha256 TEXT NOT NULL,
  tracked INTEGER NOT NULL,
  language TEXT NOT NULL,
  role INTEGER NOT NULL,
  package TEXT NOT NULL,
  is_module INTEGER NOT NULL,
  left_out TEXT,
  rank REAL NOT NULL DEFAULT 0,
  linked INTEGER NOT NULL DEFAULT 0,
  first_reference INTEGER NOT NULL,
  last_reference INTEGER NOT NULL
);
CREATE INDEX structure_files_package ON structure_files (package);
CREATE TRIGGER structure_file_read AFTER INSERT ON files BEGIN
  UPDATE structure_files SET tracked = new.tracked WHERE path = new.path;
END;
CREATE TRIGGER structure_file_gone AFTER DELETE ON files BEGIN
  UPDATE structure_files SET tracked = -1 WHERE path = old.path;
END;
CREATE TABLE structure_names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE structure_symbols (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  container TEXT NOT NULL,
  signature TEXT NOT NULL,
  doc TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  exported INTEGER NOT NULL,
  declared INTEGER NOT NULL,
  parameters TEXT
);
CREATE INDEX structure_symbols_name ON structure_symbols (name COLLATE NOCASE);
CREATE INDEX structure_symbols_file ON structure_symbols (file, start_line);
CREATE TABLE structure_references (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  name INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  line INTEGER NOT NULL,
  symbol INTEGER,
  qualifier INTEGER
);
CREATE INDEX structure_references_name ON structure_references (name);
CREATE TABLE structure_imports (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  specifier TEXT NOT NULL,
  line INTEGER NOT NULL,
  is_exported INTEGER NOT NULL,
  names TEXT NOT NULL
);
CREATE INDEX structure_imports_file ON structure_imports (file);
CREATE INDEX structure_imports_specifier ON structure_imports (specifier);
CREATE TABLE structure_import_targets (import INTEGER NOT NULL, file INTEGER NOT NULL, target INTEGER NOT NULL);
CREATE INDEX structure_import_targets_file ON structure_import_targets (file);
CREATE INDEX structure_import_targets_target ON structure_import_targets (target);
CREATE TABLE structure_environment (file INTEGER NOT NULL, name TEXT NOT NULL, value TEXT, line INTEGER NOT NULL);
CREATE INDEX structure_environment_file ON structure_environment (file);
CREATE TABLE structure_routes (
  file INTEGER NOT NULL, method TEXT NOT NULL, route TEXT NOT NULL, handler TEXT NOT NULL, line INTEGER NOT NULL
);
CREATE INDEX structure_routes_file ON structure_routes (file);
CREATE TABLE structure_scripts (
  file INTEGER NOT NULL, tool TEXT NOT NULL, name TEXT NOT NULL, command TEXT NOT NULL, line INTEGER NOT NULL
);
CREATE INDEX structure_scripts_file ON structure_scripts (file);
CREATE TABLE structure_errors (
  file INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL, line INTEGER NOT NULL
);
CREATE INDEX structure_errors_file ON structure_errors (file);
CREATE TABLE structure_constants (
  file INTEGER NOT NULL, name TEXT NOT NULL, container TEXT NOT NULL, value TEXT NOT NULL, line INTEGER NOT NULL
);
CREATE INDEX structure_constants_file ON structure_constants (file);
CREATE INDEX structure_constants_name ON structure_constants (name COLLATE NOCASE);
CREATE TABLE structure_entries (file INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL);
CREATE INDEX structure_entries_file ON structure_entries (file);
CREATE TABLE structure_precise (
  file INTEGER NOT NULL, line INTEGER NOT NULL, name TEXT NOT NULL, target INTEGER, target_line INTEGER
);
CREATE INDEX structure_precise_file ON structure_precise (file, line);
CREATE INDEX structure_precise_target ON structure_precise (target);
`;

/** Kinds of a reference, by the number that is stored. */
export const REFERENCE_KINDS = ['call', 'read', 'extend', 'implement', 'type'] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export interface ParameterRow {
  name: string;
  type?: string;
  /** The default as it is written. */
  value?: string;
}

export interface NewSymbol {
  name: string;
  kind: string;
  /** The names around it, joined by dots; empty at the top of a file. */
  container: string;
  signature: string;
  doc: string;
  startLine: number;
  endLine: number;
  isExported: boolean;
  /** Whether it is what the file exports by default. */
  isDefault?: boolean;
  /** Whether it only declares what is defined elsewhere, as a C header does. */
  isDeclaration: boolean;
  parameters?: readonly ParameterRow[];
}

interface NewReference {
  name: string;
  kind: ReferenceKind;
  line: number;
  /** Index of the enclosing symbol among those of the file, or -1. */
  symbol: number;
  /** The type or name before the dot; `?` when there is one that is not known. */
  qualifier: string;
}

export interface NewImport {
  specifier: string;
  line: number;
  /** Whether the file passes on what it imports. */
  isExported: boolean;
  /** Pairs of the name in the other file (`*` for all, `default`) and the name here. */
  names: readonly (readonly [string, string])[];
}

/** What an index that a compiler has made says of a use of a name. */
export interface PreciseUse {
  name: string;
  line: number;
  /** Where it is defined; absent for what another project defines. */
  target?: { path: string; line: number };
}

/** Everything that one file contributes to the graph. */
export interface FileStructure {
  language: string;
  /** 0 for a source, 1 for a test or an example, 2 for third-party code. */
  role: number;
  /** Package, namespace or module that the file says it belongs to. */
  package: string;
  /** Whether the file imports or exports anything, so that its names are its own. */
  isModule: boolean;
  leftOut?: string;
  symbols: readonly NewSymbol[];
  references: readonly NewReference[];
  imports: readonly NewImport[];
  environment: readonly { name: string; value?: string; line: number }[];
  routes: readonly { method: string; route: string; handler: string; line: number }[];
  scripts: readonly { tool: string; name: string; command: string; line: number }[];
  errors: readonly { name: string; kind: string; message: string; line: number }[];
  constants: readonly { name: string; container: string; value: string; line: number }[];
  entries: readonly { name: string; kind: string; line: number }[];
}
