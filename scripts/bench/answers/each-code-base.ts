import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { findLanguage } from '../../../daemon/features/knowledge/structure/languages.js';
import { SyntaxParser } from '../../../daemon/features/knowledge/structure/syntax-parser.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { CODE_BASES, type CodeBase } from './code-bases.js';
import { withoutDocComments } from './doc-comments.js';
import { fetchCodeBase, NotAvailable } from './fetch-code-base.js';

export const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

const { values: options } = parseArgs({
  options: {
    open: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    chart: { type: 'boolean' },
  },
});

/** The half that the command line asks for. */
export const HALF: CodeBase['half'] = options.open || options.only !== undefined ? 'open' : 'locked';

/** What an index of the same code base can be made without. */
export const PARTS = ['the structure graph', 'doc comments', 'everyday words'] as const;
export type Part = (typeof PARTS)[number];

/** A code base whose text and structure are indexed. */
export interface IndexedCodeBase {
  name: string;
  root: string;
  index: ProjectIndex;
  /** Returns what `measure` does for another index of the code base, which is made without `part`. */
  without<T>(part: Part, measure: (index: ProjectIndex) => T): T;
}

/** Calls `measure` for each code base of the half in turn; those that cannot be had here are named and left out. */
export async function eachCodeBase(
  measure: (base: IndexedCodeBase) => void,
  bases: readonly CodeBase[] = CODE_BASES,
): Promise<void> {
  const parser = await SyntaxParser.open(systemClock);
  const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-answers-'));
  try {
    for (const base of bases.filter((one) => one.half === HALF && (options.only?.includes(one.name) ?? true)))
      measureOne(base, folder, parser, measure);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measureOne(
  base: CodeBase,
  folder: string,
  parser: SyntaxParser,
  measure: (base: IndexedCodeBase) => void,
): void {
  let root: string;
  try {
    root = fetchCodeBase(base, folder);
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error;
    console.error(`Left out: ${error.message}`);
    return;
  }
  const without = <T>(part: Part, run: (index: ProjectIndex) => T): T => {
    const own = mkdtempSync(join(folder, 'without-'));
    try {
      return withIndex(part === 'doc comments' ? copyWithoutDocComments(root, own) : root, own, parser, run, part);
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  };
  const own = mkdtempSync(join(folder, 'index-'));
  withIndex(root, own, parser, (index) => measure({ name: base.name, root, index, without }));
}

/** Indexes `root`, with the database in `folder`, and returns what `run` does for the index. */
function withIndex<T>(
  root: string,
  folder: string,
  parser: SyntaxParser,
  run: (index: ProjectIndex) => T,
  without?: Part,
): T {
  const index = new ProjectIndex({
    root,
    database: join(folder, 'knowledge.db'),
    environment,
    clock: systemClock,
    // A word that is in no list counts as rare.
    ...(without === 'everyday words' ? { zipfOf: () => 0 } : {}),
  });
  try {
    for (const _ of index.scan());
    if (without !== 'the structure graph') for (const _ of index.readStructure(parser));
    return run(index);
  } finally {
    index.close();
  }
}

/** Copies the repository into `folder` with empty lines in place of doc comments. Returns the copy. */
function copyWithoutDocComments(root: string, folder: string): string {
  // Its name is one of the project's.
  const copy = join(folder, basename(root));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.startsWith(join(copy, '.git/')) || findLanguage(path) === undefined) continue;
    // Bytes that are not UTF-8 stay as they are.
    writeFileSync(path, withoutDocComments(path, readFileSync(path, 'latin1')), 'latin1');
  }
  return copy;
}
