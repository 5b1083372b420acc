import { pattern } from '../../../lib/text/pattern.js';
import { fold, words } from '../../../lib/text/words.js';
import { type EnvironmentScope, readEnvironmentScope } from '../project-facts/environment-scope.js';
import type { Task } from '../project-facts/tools.js';
import { askedParts, splitClauses } from './asked-parts.js';
import { readBareQuestion } from './bare-question.js';
import { type Lexicon, matches, type Topic } from './lexicon.js';
import { LEXICONS } from './lexicons.js';
import { plainly } from './plain-words.js';
import { classify } from './question-model.js';

/** What somebody wants to know who is new to a project. */
export type Intent =
  | { kind: 'purpose' | 'licence' | 'versions' }
  /** `isLibrary`: it is asked by whoever writes a program that uses the project. */
  | { kind: 'entry'; isLibrary: boolean }
  /** `isFromSource`: it is about a copy of the sources, not about a release. */
  | { kind: 'task'; task: Task; isFromSource: boolean }
  | { kind: 'environment'; scope: EnvironmentScope };

const QUESTION_MAX = 400;
/** Of a longer text only what it asks counts, not what it tells. */
const WORDS_MAX = 60;
/** Those that a story may lead up to. */
const IN_CLAUSES = LEXICONS.filter(({ name }) => ['licence', 'environment', 'test', 'build', 'install'].includes(name));
const TASKS: ReadonlySet<string> = new Set<Task>(['test', 'build', 'install', 'lint', 'run']);
const FROM_SOURCE = pattern`
    \b(?:sources?|checkout|clone|cloned|git|develop\w*|contribut\w*|hack\w*|locally|dependencies|deps
      |prerequisites|requirements|working setup)\b
  `;

const OF_USERS = pattern`
    \b(?:class|header|type|struct|trait|module|crate|object|interface)\b.*\b(?:users?|programmer|library|api|includes?
      |begin with|start with|starts with)\b
    |\b(?:entry ?-?points?|starting point)\b.*\b(?:(?:for|to|of) (?:its |the |this )?(?:users|callers|library|api|public)
      |public)\b
    |\bpublic (?:api|interface)\b
    |\b(?:requir|import|includ)(?:es?|s|ed|ing)?\b
    |\bdefault export\b
  `;
const OF_LIBRARY = /\b(?:to|of|for) (?:the|this|its) (?:library|api)\b/i;
const OF_PROGRAMS = /\b(?:commands?|shell|terminal|runs?|executed|launch\w*|main|process|program starts?)\b/;

/** Returns what a newcomer's question is about; undefined for every other question. */
export function readIntent(text: string, names: readonly string[]): Intent | undefined {
  if (text.length > QUESTION_MAX || words(text).length > WORDS_MAX) return undefined;
  const plain = plainly(text, names);
  for (const part of askedParts(plain).reverse()) {
    const found = LEXICONS.find((lexicon) => matches(part, lexicon)) ?? findClause(part);
    if (found) return toIntent(found.name, plain, text);
  }
  const topic = readBareQuestion(plain) ?? classifyTopic(text, plain, names);
  return topic && toIntent(topic, plain, text);
}

/** Below it a question is rather about something particular. */
const PROBABILITY_MIN = 0.5;
/** A shorter question holds too little that the model could weigh; the lexicons read it. */
const LEARNT_WORDS_MIN = 12;
/** What the model tells apart and the project's facts answer. Who calls a function is asked of the structure graph. */
const LEARNT: ReadonlySet<string> = new Set<Topic>(['purpose', 'test', 'build', 'licence', 'entry', 'environment']);

/** Recognises a question by the trained model, where no lexicon does: one with circumstances and names of its own. */
function classifyTopic(text: string, plain: string, names: readonly string[]): Topic | undefined {
  if (words(text).length < LEARNT_WORDS_MIN) return undefined;
  const { name, probability } = classify(text, names);
  if (!LEARNT.has(name) || probability < PROBABILITY_MIN) return undefined;
  if (LEXICONS.some((lexicon) => lexicon.name === name && lexicon.not?.test(plain))) return undefined;
  return name as Topic;
}

/** Matches one clause alone. */
function findClause(part: string): Lexicon | undefined {
  const clauses = splitClauses(part);
  return IN_CLAUSES.find((lexicon) => clauses.some((clause) => matches(clause, lexicon)));
}

function toIntent(name: Topic, plain: string, text: string): Intent {
  if (name === 'environment') return { kind: name, scope: readEnvironmentScope(fold(text)) };
  if (TASKS.has(name)) return { kind: 'task', task: name as Task, isFromSource: FROM_SOURCE.test(plain) };
  if (name === 'entry') {
    const isOfUsers = OF_USERS.test(plain) || OF_LIBRARY.test(text);
    return { kind: name, isLibrary: isOfUsers && !OF_PROGRAMS.test(plain) };
  }
  return { kind: name } as Intent;
}
