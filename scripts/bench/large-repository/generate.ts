/**
 * A generated repository of any number of files: text and code of several languages, in which facts are planted at even
 * distances. The same size gives the same repository, and the generator alone knows the answers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commitEverything } from '../commit-everything.js';
import { IMPORTING, LANGUAGES, type LanguageWriter, type Written } from './languages.js';

const PER_FOLDER = 200;
const FUNCTIONS = 6;
/** Every eighth file is text. */
const TEXT_EVERY = 8;
const WORDS =
  'anchor basin beacon bollard buoy cable canal cargo channel crane current deck depth dock drift ferry fleet gate ' +
  'harbour hatch hull jetty keel lantern ledger lock manifest mast mooring pier pilot pump quay rail ramp rope ' +
  'rudder sail shelf signal slip sluice spar stern stock tackle tide tower tug valve vessel wake wharf winch yard';
const NOUNS = WORDS.split(' ');
const VERBS = 'check count fill hold lower mark measure move open raise reach record seal shift sort turn'.split(' ');
/** Syllables of the planted names: none is in another word, and each differs from the others in two letters or more. */
const SYLLABLES = 'bri dul fom gax hep jod kyv lun mez nir pok quf rys tav vic wob'.split(' ');

/** Files that are too large for the index, and what each holds. */
export const TOO_LARGE = 3;
const TOO_LARGE_LINES = 24_000;

/** What a fact is about, and so how its answer is judged. */
export type FactKind = 'sentence' | 'comment' | 'definition' | 'value' | 'callers' | 'absent';

/** A question whose answer is planted, or, of an `absent` one, is not there. */
export interface Fact {
  kind: FactKind;
  language: string;
  question: string;
  /** The word that a person would search for. */
  word: string;
  /** The files that answer: one, or of `callers` all. */
  paths: readonly string[];
  /** What the answer says. */
  says?: string;
}

interface GeneratedFile {
  path: string;
  text: string;
}

/** Returns a name for a number below 256. Two names differ in at least two of their three syllables. */
export function createName(number: number): string {
  const [first, second] = [(number >> 4) & 15, number & 15];
  return [first, second, (first + second) & 15].map((at) => SYLLABLES[at]).join('');
}

const NAMES_MAX = 256;
const ABSENT_EVERY = 8;

const mixed = (number: number) => (Math.imul(number + 1, 2_654_435_761) ^ Math.imul(number + 7, 40_503)) >>> 0;
const pick = (from: readonly string[], number: number) => from[mixed(number) % from.length] as string;
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const isText = (file: number) => file % TEXT_EVERY === TEXT_EVERY - 1;
const getLanguage = (file: number) => LANGUAGES[Math.floor(file / PER_FOLDER) % LANGUAGES.length] as LanguageWriter;

export function getPath(file: number): string {
  const folder = Math.floor(file / PER_FOLDER);
  const place = `${pick(NOUNS, folder)}${folder % 40}/part${folder}`;
  return isText(file) ? `${place}/note${file}.md` : `${place}/unit${file}.${getLanguage(file).ending}`;
}

const getFunction = (file: number, at: number) =>
  `${pick(VERBS, file * 7 + at)}_${pick(NOUNS, file + at)}_${file}_${at}`;
const sentence = (seed: number) =>
  `The ${pick(NOUNS, seed)} of the ${pick(NOUNS, seed + 1)} must ${pick(VERBS, seed + 2)} the ` +
  `${pick(NOUNS, seed + 3)} before the ${pick(NOUNS, seed + 4)}.`;

/** What is added to a file that holds a fact. */
interface Planted {
  text?: string;
  functions?: Written[];
  constant?: [string, number];
}

/** The facts of a repository, and what they add to its files, by the number of the file. */
interface Plan {
  facts: readonly Fact[];
  planted: ReadonlyMap<number, Planted>;
}

/** Returns the number of the next file from `file` on for which `isIt` holds. */
function next(file: number, files: number, isIt: (file: number) => boolean): number {
  for (let step = 0; step < files; step += 1) if (isIt((file + step) % files)) return (file + step) % files;
  throw new Error(`None of ${files} files is of the kind that a fact needs.`);
}

/** Plans `count` facts, at most 224, in `files` files, and as many as an eighth of them about what is not there. */
export function planFacts(files: number, count: number): Plan {
  const absent = Math.ceil(count / ABSENT_EVERY);
  if (count + absent > NAMES_MAX) throw new Error(`There are names for ${NAMES_MAX} facts, not ${count + absent}.`);
  const facts: Fact[] = [];
  const planted = new Map<number, Planted>();
  const add = (file: number, { text, functions = [], constant }: Planted) => {
    const known = planted.get(file);
    planted.set(file, {
      text: `${known?.text ?? ''}${text ?? ''}`,
      functions: [...(known?.functions ?? []), ...functions],
      ...(constant ? { constant } : known?.constant ? { constant: known.constant } : {}),
    });
  };
  for (let number = 0; number < count; number += 1)
    facts.push(plantOne(number, Math.floor(((number + 0.5) * files) / count), files, add));
  for (let number = count; number < count + absent; number += 1)
    facts.push({
      kind: 'absent',
      language: '',
      question: `Where is the ${createName(number)} ${pick(NOUNS, number)} opened?`,
      word: createName(number),
      paths: [],
    });
  return { facts, planted };
}

const KINDS: readonly FactKind[] = ['sentence', 'comment', 'definition', 'value', 'callers'];

function plantOne(number: number, near: number, files: number, add: (file: number, planted: Planted) => void): Fact {
  const kind = KINDS[number % KINDS.length] as FactKind;
  const name = createName(number);
  const noun = pick(NOUNS, number);
  const isImporting = (file: number) => IMPORTING.includes(getLanguage(file).name);
  const file = next(
    near,
    files,
    (one) => isText(one) === (kind === 'sentence') && (kind !== 'callers' || isImporting(one)),
  );
  const paths = [getPath(file)];
  const language = isText(file) ? 'Markdown' : getLanguage(file).name;
  const func = { name: `open_${name}`, says: `Opens the ${name} ${noun} below ${number + 3} metres.` };
  const about = { kind, language, word: name };
  switch (kind) {
    case 'sentence':
      add(file, { text: `\n## Rules\n\nThe ${name} ${noun} is inspected after ${number + 3} hours of rain.\n` });
      return { ...about, question: `When is the ${name} ${noun} inspected?`, paths, says: `${number + 3} hours` };
    case 'comment':
      add(file, { functions: [{ ...func, name: `open_${noun}_${number}` }] });
      return { ...about, question: `Where is the ${name} ${noun} opened?`, paths };
    case 'value':
      add(file, { constant: [`${name.toUpperCase()}_LIMIT`, 1_000 + number] });
      return {
        ...about,
        question: `What is the value of ${name.toUpperCase()}_LIMIT?`,
        paths,
        says: `${1_000 + number}`,
      };
    case 'callers': {
      add(file, { functions: [func] });
      // Far from the definition and from one another, at the same place of another folder of the language.
      const period = PER_FOLDER * LANGUAGES.length;
      const stride = Math.max(1, Math.round(files / 4 / period)) * period;
      const callers = [1, 2, 3].map((part) =>
        next(
          (file + part * stride) % files,
          files,
          (one) => !isText(one) && one !== file && getLanguage(one) === getLanguage(file),
        ),
      );
      const distinct = [...new Set(callers)];
      for (const caller of distinct)
        add(caller, {
          functions: [
            { name: `through_${name}`, says: sentence(caller), calls: { name: func.name, path: getPath(file) } },
          ],
        });
      return { ...about, question: `Who calls ${func.name}?`, paths: distinct.map(getPath) };
    }
    default:
      add(file, { functions: [func] });
      return { ...about, question: `Where is ${func.name} defined?`, paths };
  }
}

/** Returns one file with what is planted in it. Each function but the first calls one of the file before. */
export function generateFile(file: number, { planted }: Plan): GeneratedFile {
  const path = getPath(file);
  const own = planted.get(file);
  if (isText(file)) {
    const sections = Array.from(
      { length: 5 },
      (_, at) =>
        `## ${capital(pick(NOUNS, file + at))} and ${pick(NOUNS, file * 3 + at)}\n\n` +
        `${Array.from({ length: 4 }, (_, line) => sentence(file * 31 + at * 5 + line)).join('\n')}\n`,
    );
    return { path, text: `# ${capital(pick(NOUNS, file))} ${file}\n\n${sections.join('\n')}${own?.text ?? ''}` };
  }
  const language = getLanguage(file);
  const isAlone = file % PER_FOLDER === 0 || isText(file - 1);
  const functions: Written[] = Array.from({ length: FUNCTIONS }, (_, at) => ({
    name: getFunction(file, at),
    says: sentence(file * 17 + at),
    ...(isAlone || at === 0 ? {} : { calls: { name: getFunction(file - 1, at), path: getPath(file - 1) } }),
  }));
  const all = [...functions, ...(own?.functions ?? [])];
  const head = language.head(
    path,
    all.flatMap(({ calls }) => (calls ? [calls] : [])),
  );
  const constants: readonly [string, number][] = [
    [`${pick(NOUNS, file).toUpperCase()}_${file}_SIZE`, file],
    ...(own?.constant ? [own.constant] : []),
  ];
  const parts = [
    head,
    constants.map(([name, value]) => language.constant(name, value)).join(''),
    ...all.map(language.func),
  ];
  return { path, text: parts.filter((part) => part !== '').join('\n') };
}

const README = 'The harbour office keeps the books of every quay, from the lock to the lighthouse.\n';

/** What was written. */
export interface Repository {
  facts: readonly Fact[];
  /** Files that the index is to hold, and their bytes. */
  files: number;
  bytes: number;
}

/** Writes a repository of `files` files with `count` facts into `root` and commits it. */
export function writeRepository(root: string, files: number, count: number): Repository {
  const plan = planFacts(files, count);
  let bytes = 0;
  const write = ({ path, text }: GeneratedFile) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    bytes += Buffer.byteLength(text);
  };
  write({ path: 'README.md', text: `# Harbour office\n\n${README}` });
  for (let file = 0; file < files; file += 1) write(generateFile(file, plan));
  const held = bytes;
  for (let file = 0; file < TOO_LARGE; file += 1)
    write({ path: `data/soundings${file}.txt`, text: `${sentence(file)}\n`.repeat(TOO_LARGE_LINES) });
  commitEverything(root, 'Everything');
  return { facts: plan.facts, files: files + 1, bytes: held };
}
