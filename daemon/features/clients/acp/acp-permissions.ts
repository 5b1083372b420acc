import { isAbsolute, relative, resolve } from 'node:path';
import type { Decision } from '../../../contract/conversations.js';
import { PATH_MAX_CHARS } from '../../../contract/permissions.js';
import { isSecretPath } from '../../../lib/secrets/secret-names.js';
import { foldPath } from '../../../lib/text/fold-path.js';
import { followedPath } from '../../../storage/files/followed-path.js';
import { type JsonObject, toList, toObject, toText } from '../agent-program-json.js';
import { namedPaths, onlyReads } from './acp-updates.js';

type Outcome = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string };

export const CANCELLED: Outcome = { outcome: 'cancelled' };

/** No permanent option of the agent is selected: the daemon holds the rules, so that taking one back has an effect. */
const WANTED: Readonly<Record<Decision, readonly string[]>> = {
  allow_once: ['allow_once'],
  allow_always: ['allow_once'],
  deny: ['reject_once', 'reject_always'],
};

/**
 * Returns the option whose kind matches the decision. When the
 * agent offers no matching option, the outcome is `cancelled`.
 */
export function selectOutcome(decision: Decision, options: unknown): Outcome {
  const offered = toList(options).map(toObject);
  for (const wanted of WANTED[decision]) {
    const found = offered.find(({ kind, optionId }) => kind === wanted && toText(optionId) !== '');
    if (found) return { outcome: 'selected', optionId: toText(found['optionId']) };
  }
  return CANCELLED;
}

/** Includes the contract tests (`.mesh/asks`): a member that could read them would know the expected answers. */
const CLOSED = ['.mesh/credentials', '.mesh/state', '.mesh/asks', '.git'];

/**
 * Decides a permission request in a run for another program, without the operator: only reads in the working folder.
 */
export function outsideDecision(kind: string, toolCall: JsonObject, root: string): Decision {
  const named = namedPaths(toolCall);
  const isInside = named.length > 0 && named.every((path) => isOpenPath(path, root));
  return onlyReads(kind) && isInside ? 'allow_once' : 'deny';
}

/** Whether the path, as written and with links followed, is in the project and may be read for other programs. */
function isOpenPath(path: string, root: string): boolean {
  // Agents interpret `~` and URLs in different ways.
  if (path.length > PATH_MAX_CHARS || /^(~|[a-z][a-z0-9+.-]+:)/i.test(path)) return false;
  const written = resolve(root, path);
  const followed = followedPath(written);
  return followed !== undefined && isOpenPlace(written, root) && isOpenPlace(followed, root);
}

/** Whether a path that was read lies outside the working folder. Checks only the path text, not symbolic links. */
export function isElsewhere(path: string, root: string): boolean {
  // No system opens it, and to resolve it could take minutes.
  if (path.length > PATH_MAX_CHARS) return true;
  const plain = path.replace(/^file:\/\//i, '');
  return plain.startsWith('~') || !isInside(relative(root, resolve(root, plain)));
}

const isInside = (path: string) => !isAbsolute(path) && path !== '..' && !/^\.\.[\\/]/.test(path);

function isOpenPlace(place: string, root: string): boolean {
  if (!isInside(relative(root, place))) return false;
  const inside = relative(root, place).replaceAll('\\', '/');
  const folded = foldPath(inside);
  // A folder with a closed folder in it is closed too, except the project root, whose searches skip hidden folders.
  const isClosed = CLOSED.some((closed) => `${folded}/`.startsWith(`${closed}/`) || closed.startsWith(`${folded}/`));
  return !isClosed && !isSecretPath(inside);
}

const WORD_OF: Readonly<Record<string, string>> = {
  read: 'read',
  search: 'search',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'execute',
  fetch: 'web',
};

/** Whether the member has the tool for this kind of use. True for unknown kinds, which the operator decides. */
export function memberMay(tools: readonly string[], kind: string): boolean {
  const word = WORD_OF[kind];
  return word === undefined || tools.includes(word);
}
