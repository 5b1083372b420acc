import { words } from '../../../lib/text/words.js';
import type { Task } from '../project-facts/tools.js';
import { PROJECT_WORDS, STOPWORDS } from '../words/english.js';

/** What a newcomer's question is about. */
export type Topic = Task | 'purpose' | 'licence' | 'versions' | 'entry' | 'environment';

/** How one topic is recognised in a part of a question. */
export interface Lexicon {
  name: Topic;
  /** One of them must match the part, in which the project is called `it` and every other name of code `§`. */
  core: readonly RegExp[];
  /** Words that may stand beside; one that is in no list is about something particular. */
  words: ReadonlySet<string>;
  not?: RegExp;
  /** Words that say enough on their own, whatever else stands beside. */
  enough?: RegExp;
  /** Words that leave no doubt of what is asked: a few others may say of which part, or why. */
  strong?: readonly RegExp[];
}

/**
 * The words of a lexicon: what may stand beside the words that say what is asked. A word that is in no list is about
 * something particular, which only a search finds. Chosen with `scripts/bench/answers/newcomers/wordings.json`, wordings
 * of others for projects that do not exist.
 */
export const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words without a subject of their own in any of these questions: politeness, the machine, the copy, the reader. */
const COMMON = list(`
  account actual best brief briefly bit blank cannot case check checked clone cloned cloning code codebase colleague
  colleagues command commands compiled computer correct couple course day describe described description directory
  doc docs document documentation documented dont edit edited etc even exact explain explanation fast file files
  folder folders following freshly fresh full fully git give guide hello help hey hi hint howto idea im inside
  instructions intended ive job know laptop left let line lines linux list little locally local location mac machine
  macos manual mean meant moment new morning move moving name named names newcomer next nice normal official only
  open opened package packages patch people person point points prefer procedure proper properly pull quick quickly
  question read readme really recommended request right root sentence sentences shell short shortly show source
  sources specific stand start started step steps story string sure tell terminal thanks team tried trying try type
  typed typing understand usual usually user users want way window windows word words work working write written yet
  somewhere kindly documents repos github gitlab contributor contributors contributing contribute ok whole complete
`);

const ENOUGH_WORDS_MAX = 24;
const OTHERS_MAX = 8;

/** Whether a word is about nothing in particular, in any of these questions. */
export const isCommon = (word: string): boolean => STOPWORDS.has(word) || COMMON.has(word) || word === 'it';

/** Whether a part of a question asks what the lexicon is about. */
export function matches(part: string, { core, words: own, not, enough, strong }: Lexicon): boolean {
  if (!core.some((pattern) => pattern.test(part)) || not?.test(part)) return false;
  if (enough?.test(part) && words(part).length <= ENOUGH_WORDS_MAX) return true;
  if (part.includes('§')) return false;
  const others = words(part).filter(
    (word) => !isCommon(word) && !PROJECT_WORDS.has(word) && !own.has(word) && !/^\d+$/.test(word),
  );
  return others.length <= (strong?.some((pattern) => pattern.test(part)) ? OTHERS_MAX : 0);
}
