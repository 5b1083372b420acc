import type { PreciseUse } from '../../../../storage/database/structure-schema.js';
import { type Occurrence, readScip, type ScipDocument } from './scip-index.js';

interface Place {
  path: string;
  line: number;
}

/** Symbols that only their own document knows. */
const LOCAL = 'local ';

/**
 * Yields, for each file of a SCIP index, what its uses of names mean; before that `undefined` for each, as a pause.
 * Only what stands in the files as they are now counts: a use is known by the name that stands at its place, and one at
 * whose place no name stands is left out, since the index may be older than the file, or be made to mislead. Throws
 * `NotProtobuf`.
 */
export function* linkScip(
  bytes: Uint8Array,
  linesOf: (path: string) => readonly string[] | undefined,
): Generator<{ path: string; uses: PreciseUse[] } | undefined, void, void> {
  const definitions = new Map<string, Place>();
  for (const document of readScip(bytes)) {
    for (const one of document.occurrences)
      if (one.isDefinition) definitions.set(keyOf(document, one), { path: document.path, line: one.line });
    yield undefined;
  }
  for (const document of readScip(bytes)) {
    const lines = linesOf(document.path);
    if (lines) yield { path: document.path, uses: listUses(document, lines, definitions) };
  }
}

const keyOf = ({ path }: ScipDocument, { symbol }: Occurrence) =>
  symbol.startsWith(LOCAL) ? `${path}\n${symbol}` : symbol;

function listUses(
  document: ScipDocument,
  lines: readonly string[],
  definitions: ReadonlyMap<string, Place>,
): PreciseUse[] {
  return document.occurrences.flatMap((one) => {
    const name = one.isDefinition ? undefined : nameAt(lines[one.line - 1] ?? '', one, document.isUtf8);
    if (name === undefined) return [];
    const target = definitions.get(keyOf(document, one));
    return [{ name, line: one.line, ...(target ? { target } : {}) }];
  });
}

/** Returns the name at a place of a line; undefined when anything else stands there. */
function nameAt(line: string, { start, end }: Occurrence, isUtf8: boolean): string | undefined {
  const text = isUtf8 ? Buffer.from(line).subarray(start, end).toString() : line.slice(start, end);
  return /^[\p{L}_$][\p{L}\p{N}_$]*[?!]?$/u.test(text) ? text : undefined;
}
