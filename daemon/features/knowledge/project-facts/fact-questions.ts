import { fold } from '../../../lib/text/words.js';
import type { Reading } from '../question.js';
import { findCommands } from './commands.js';
import { findEntryPoints } from './entry-points.js';
import { findLanguageVersions } from './language-versions.js';
import { findLicence } from './licence.js';
import type { Intent } from './newcomer-intent.js';
import type { ProjectFact, ProjectTree } from './project-fact.js';
import type { Task } from './tools.js';

/** A question with more subjects than this is about something particular, which only a search finds. */
const SUBJECTS_MAX = 3;

const TASKS: readonly (readonly [RegExp, Task])[] = [
  [/^(?:test|unit|suite|spec)/, 'test'],
  [/^(?:lint|format)/, 'lint'],
  [/^(?:build|built|compil|bundl)/, 'build'],
  [/^(?:install|setup|dependenc)/, 'install'],
  [/^(?:run|start|launch|serv|boot|execut|dev)/, 'run'],
];

/**
 * Returns what the project's own files say to a newcomer's question: its commands, licence, language versions and entry
 * points. Empty when the question is about anything else, or no file says it.
 */
export function findFacts(
  text: string,
  reading: Reading,
  intent: Intent | undefined,
  tree: ProjectTree,
  names: readonly string[],
): ProjectFact[] {
  switch (intent?.kind) {
    case 'licence':
      return findLicence(tree);
    case 'versions':
      return findLanguageVersions(tree);
    case 'entry':
      return findEntryPoints(tree, names);
    case 'task':
      return findCommands(tree, intent.task, intent.isFromSource);
    default:
      return answerByPatterns(text, reading, tree);
  }
}

/** Short questions in other words: those that hold nothing but the task. */
function answerByPatterns(text: string, reading: Reading, tree: ProjectTree): ProjectFact[] {
  if (reading.terms.length > SUBJECTS_MAX || reading.terms.some((term) => term.isName)) return [];
  if (/\blicen[cs]ed?\b/.test(fold(text))) return findLicence(tree);
  const task = reading.shape === 'run' ? findTask(reading) : undefined;
  return task === undefined ? [] : findCommands(tree, task);
}

/** Returns the task that the question's words name; `run the tests` is about tests, not about running. */
function findTask(reading: Reading): Task | undefined {
  const all = [...reading.said];
  return TASKS.find(([pattern]) => all.some((word) => pattern.test(word)))?.[1];
}
