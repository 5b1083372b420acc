import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PassageDatabase } from '../../storage/database/passage-database.js';
import type { FileStructure, NewSymbol } from '../../storage/database/structure-schema.js';
import { temporaryFolder } from '../temporary-folder.js';

/** A file that exports the symbol, on its first line. */
export const symbol = (name: string, parts: Partial<NewSymbol> = {}): NewSymbol => ({
  ...{ name, kind: 'function', container: '', signature: `${name}()`, doc: '', startLine: 1, endLine: 1 },
  ...{ isExported: true, isDeclaration: false },
  ...parts,
});

export const structureOf = (parts: Partial<FileStructure> = {}): FileStructure => ({
  ...{ language: 'typescript', role: 0, package: '', isModule: true, symbols: [], references: [], imports: [] },
  ...{ environment: [], routes: [], scripts: [], errors: [], constants: [], entries: [] },
  ...parts,
});

/** The text index and the structure graph of a fresh project, to which files are added. */
export function openGraph() {
  const database = PassageDatabase.open(join(temporaryFolder(), 'k.db'));
  onTestFinished(() => database.close());
  /** Puts a file of this content into the text index. */
  const index = (path: string, { sha256 = path, tracked = true, worth = 1, size = 3 } = {}) =>
    database.put({ path, size, mtimeMs: 1, sha256, settled: true, tracked, worth, isText: true }, []);
  /** Adds a file to both, and returns its id in the graph. */
  const add = (path: string, parts: Partial<FileStructure> = {}, tracked = true): number => {
    index(path, { tracked });
    database.structure.put(path, path, structureOf(parts));
    return idOf(path);
  };
  const idOf = (path: string): number => database.structureReader('all').file(path)?.id as number;
  return { database, graph: database.structure, all: database.structureReader('all'), index, add, idOf };
}
