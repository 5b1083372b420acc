import { pattern } from '../../../../lib/text/pattern.js';
import { getFileRole } from '../../passages/file-worth.js';
import type { EnvironmentScope } from '../../project-facts/environment-scope.js';
import type { ReadLines } from '../../search.js';
import { isInScope } from '../structure-queries.js';
import { type AnswerParts, count, formatNames } from './answer-text.js';

/** So many files are looked through before it is said that none of them reads the environment. */
const FILES_MAX = 3_000;
/** So many names of what only tests read are said. */
const NAMED_MAX = 20;
/** How code reads the environment, in the languages of the graph and the usual others. */
const READS = pattern`
    [Gg]et_?[Ee]nv(?!ironment\b)
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
    |\bsys\.env\b
    |\.environment\b
    |expand\(["']\$
  `;
/** Shells read a variable as one of their own. */
const SHELL = /\$\{?[A-Z_]{2,}/;
const isShell = (path: string) => /\.(?:sh|bash|zsh|fish|ps1|vim|el|tf)$/i.test(path);

/**
 * Says that no code reads an environment variable. Undefined when a source in scope holds a word by which the
 * environment could be read. `elsewhere` are names that only tests and the like read.
 */
export function answerNoEnvironment(
  paths: readonly string[],
  scope: EnvironmentScope,
  { elsewhere }: { elsewhere: readonly string[] },
  linesOf: ReadLines,
): AnswerParts | undefined {
  const sources = paths.filter((path) => getFileRole(path) === 'source' && isInScope(path, scope));
  if (sources.length === 0 || sources.length > FILES_MAX) return undefined;
  const mayRead = (path: string) =>
    linesOf(path)?.some((line) => READS.test(line) || (isShell(path) && SHELL.test(line)));
  if (sources.some(mayRead)) return undefined;
  const others = formatNames(elsewhere, NAMED_MAX);
  return {
    lead:
      `No environment variable is read: none of ${count(sources.length, 'source file')} reads the environment. ` +
      (others === ''
        ? 'Tests and dependencies were not looked at.'
        : `Only tests, examples and build scripts do: ${others}.`),
    total: 0,
    items: [],
  };
}
