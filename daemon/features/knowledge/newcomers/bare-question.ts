import { fold, words } from '../../../lib/text/words.js';
import type { Task } from '../project-facts/tools.js';
import { PROJECT_WORDS, STOPWORDS } from '../words/english.js';
import type { Topic } from './lexicon.js';

/** A question with more subjects than this is about something particular, which only a search finds. */
const SUBJECTS_MAX = 3;
const TASKS: readonly (readonly [RegExp, Task])[] = [
  [/^(?:test|unit|suite|spec)/, 'test'],
  [/^(?:lint|format)/, 'lint'],
  [/^(?:build|built|compil|bundl)/, 'build'],
  [/^(?:install|setup|dependenc)/, 'install'],
  [/^(?:run|start|launch|serv|boot|execut|dev)/, 'run'],
];
const OF_TASKS =
  /^(?:run|start|build|test|install|setup|launch|deploy|lint|compile|develop|contribut|serve|debug|begin|prerequisit|require|execut|use)/;
const BESIDE_TASKS =
  /^(?:unit|suite|local|locally|development|dev|command|script|dependencies|machine|computer|scratch)$/;
const OF_OVERVIEW =
  /^(?:about|overview|purpose|summary|summari[sz]e|introduc(?:tion|e)|explain|describe|goals?|idea|point|work)$/;
const ASKS_OVERVIEW = /\b(?:what|overview|summar|explain|describe|about|purpose|tell|introduc|readme|why)/;

/**
 * Recognises a short question that holds nothing but what is asked, in words that no lexicon puts together. `plain` is
 * the question as `plainly` writes it.
 */
export function readBareQuestion(plain: string): Topic | undefined {
  if (plain.includes('§')) return undefined;
  const lower = fold(plain);
  const said = words(lower);
  const subjects = said.filter((word) => !STOPWORDS.has(word) && !PROJECT_WORDS.has(word) && word !== 'it');
  if (subjects.every((word) => OF_OVERVIEW.test(word)) && ASKS_OVERVIEW.test(lower)) return 'purpose';
  if (subjects.length === 0 || subjects.length > SUBJECTS_MAX) return undefined;
  if (subjects.every((word) => /^licen[cs]ed?$/.test(word))) return 'licence';
  const isTask =
    /\b(?:how|command|which|what)\b/.test(lower) &&
    subjects.every((word) => OF_TASKS.test(word) || BESIDE_TASKS.test(word));
  // `Run the tests` is about tests, not about running.
  return isTask ? TASKS.find(([pattern]) => said.some((word) => pattern.test(word)))?.[1] : undefined;
}
