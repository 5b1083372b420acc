import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ProjectIndex } from '../../../daemon/features/knowledge/passages/project-index.js';
import { SyntaxParser } from '../../../daemon/features/knowledge/structure/syntax-parser.js';
import { systemClock } from '../../../daemon/lib/time/clock.js';
import { CODE_BASES, type CodeBase } from './code-bases.js';
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

/** A code base whose text and structure are indexed. */
export interface IndexedCodeBase {
  name: string;
  root: string;
  index: ProjectIndex;
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
  const index = new ProjectIndex({ root, database: join(folder, `${base.name}.db`), environment, clock: systemClock });
  try {
    for (const _ of index.scan());
    for (const _ of index.readStructure(parser));
    measure({ name: base.name, root, index });
  } finally {
    index.close();
  }
}
