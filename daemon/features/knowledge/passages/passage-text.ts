import { pattern } from '../../../lib/text/pattern.js';
import { pairsOf } from '../../../lib/text/unspaced-scripts.js';
import { indexedWords, nameParts, stemWord } from '../../../lib/text/words.js';

const RAW_WORD = /[\p{L}\p{N}\p{M}_$]+/gu;
/** Matches a line that only imports names. */
export const IMPORT = pattern`
    ^\s*(?:import\b|export\s.*\sfrom\s|from\s+\S+\s+import\b|#\s*include\b|use\s+[\w:]+.*;$|using\s+[\w.]+;$
      |package\s|(?:const|let|var)\b.*=\s*require\(|require(?:_relative)?\s)
  `;
const COMPOUND = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|[^_$][_$]+[^_$]/;

/** A passage's words for the ranking: stems with their places, and each compound name both whole and split. */
export interface PassageText {
  lines: readonly string[];
  /** Maps each stem to its places. Places number the words of the passage in order. */
  places: ReadonlyMap<string, readonly number[]>;
  /** The line (from 0) of each place. */
  lineOf: readonly number[];
  /** Fraction of its non-blank lines that are imports. */
  importShare: number;
  title: ReadonlySet<string>;
  path: ReadonlySet<string>;
}

export function readPassage(lines: readonly string[], title: string, path: string): PassageText {
  const places = new Map<string, number[]>();
  const lineOf: number[] = [];
  const put = (stem: string, place: number) => {
    const known = places.get(stem);
    if (known) known.push(place);
    else places.set(stem, [place]);
  };
  for (let index = 0; index < lines.length; index += 1) {
    for (const raw of (lines[index] as string).slice(0, 2_000).match(RAW_WORD) ?? []) {
      if (COMPOUND.test(raw)) {
        const parts = nameParts(raw);
        put(stemWord(parts.join('')), lineOf.length);
        for (const part of parts.flatMap(pairsOf)) {
          put(stemWord(part), lineOf.length);
          lineOf.push(index);
        }
      } else {
        for (const word of indexedWords(raw)) {
          put(stemWord(word), lineOf.length);
          lineOf.push(index);
        }
      }
    }
  }
  const solid = lines.filter((line) => /\S/.test(line));
  const importShare = solid.length === 0 ? 0 : solid.filter((line) => IMPORT.test(line)).length / solid.length;
  return { lines, places, lineOf, importShare, title: getStems(title), path: getStems(path) };
}

/** Returns the stems of a title or path: each word, each part of a compound name, and each name whole. */
export function getStems(text: string): Set<string> {
  const found = new Set(indexedWords(text).map(stemWord));
  for (const raw of text.match(RAW_WORD) ?? []) {
    const parts = nameParts(raw);
    for (const part of parts) found.add(stemWord(part));
    found.add(stemWord(parts.join('')));
  }
  for (const part of text.split(/[\s/>,]+/)) found.add(stemWord(nameParts(part).join('')));
  return found;
}

/** Returns the places at which `stems` occur consecutively. */
export function findPositions(text: PassageText, stems: readonly string[]): readonly number[] {
  const first = text.places.get(stems[0] as string) ?? [];
  if (stems.length === 1) return first;
  const rest = stems.slice(1).map((stem) => new Set(text.places.get(stem)));
  return first.filter((place) => rest.every((places, index) => places.has(place + index + 1)));
}
