import { pattern } from '../../../../lib/text/pattern.js';
import { getFileRole } from '../../passages/file-worth.js';
import type { EnvironmentScope } from '../../project-facts/environment-scope.js';
import type { ReadLines } from '../../search.js';
import { findLanguage } from '../languages.js';
import { isInScope } from '../structure-queries.js';
import { count, type Said } from './answer-text.js';

/** So many files are looked through before it is said that none of them reads the environment. */
const FILES_MAX = 3_000;
/** How code reads the environment, in all languages of the graph. */
const READS = pattern`
    [Gg]et_?[Ee]nv
    |\benviron\b
    |process\.env
    |import\.meta\.env
    |env::
    |\benv!
    |option_env!
    |\bENV\b
    |\$_ENV
    |\$_SERVER\[(?!['"])
    |GetEnvironmentVariable
    |LookupEnv
    |\benv\(
  `;

/**
 * Says that no code reads an environment variable. Undefined unless every source in scope is of a language that the
 * graph reads, and none holds a word by which the environment could be read.
 */
export function answerNoEnvironment(
  paths: readonly string[],
  scope: EnvironmentScope,
  linesOf: ReadLines,
): Said | undefined {
  const sources = paths.filter((path) => getFileRole(path) === 'source' && isInScope(path, scope));
  if (sources.length === 0 || sources.length > FILES_MAX) return undefined;
  if (sources.some((path) => !findLanguage(path) || linesOf(path)?.some((line) => READS.test(line)))) return undefined;
  return {
    lead:
      `No environment variable is read: none of ${count(sources.length, 'source file')} reads the environment. ` +
      'Tests and dependencies were not looked at.',
    total: 0,
    items: [],
  };
}
