import { isAbsolute, relative, resolve } from 'node:path';
import type { Decision } from '../../../contract/conversations.js';
import { isSecretPath } from '../../../lib/secret-names.js';
import { followedPath } from '../../../storage/followed-path.js';
import { type JsonObject, listOf, objectOf, textOf } from '../agent-program-json.js';
import { namedPaths, onlyReads } from './acp-updates.js';

type Outcome = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string };

export const CANCELLED: Outcome = { outcome: 'cancelled' };

const WANTED: Readonly<Record<Decision, readonly string[]>> = {
  allow_once: ['allow_once'],
  allow_always: ['allow_always', 'allow_once'],
  deny: ['reject_once', 'reject_always'],
};

/**
 * The option that says what was decided, by its kind. Once is never turned into always; where the agent offers nothing that fits, the question is
 * called off.
 */
export function outcomeOf(decision: Decision, options: unknown): Outcome {
  const offered = listOf(options).map(objectOf);
  for (const wanted of WANTED[decision]) {
    const found = offered.find(({ kind, optionId }) => kind === wanted && textOf(optionId) !== '');
    if (found) return { outcome: 'selected', optionId: textOf(found['optionId']) };
  }
  return CANCELLED;
}

/** Contract tests among them: a member that could read them would answer by heart. */
const CLOSED = ['.mesh/credentials', '.mesh/state', '.mesh/asks', '.git'];

/** What is decided for another program's question without asking anyone: reading inside the working folder, and nothing else. */
export function outsideDecision(kind: string, toolCall: JsonObject, root: string): Decision {
  const named = namedPaths(toolCall);
  const isInside = named.length > 0 && named.every((path) => isOpenPath(path, root));
  return onlyReads(kind) && isInside ? 'allow_once' : 'deny';
}

/** Whether the path is one of the project's own that may be read for others, as it is written and where its links lead. */
function isOpenPath(path: string, root: string): boolean {
  // Agents read `~` and addresses in their own ways.
  if (/^(~|[a-z][a-z0-9+.-]+:)/i.test(path)) return false;
  const written = resolve(root, path);
  const followed = followedPath(written);
  return followed !== undefined && isOpenPlace(written, root) && isOpenPlace(followed, root);
}

/** Whether a path that was read lies outside the working folder, as far as its words tell. */
export function isElsewhere(path: string, root: string): boolean {
  const plain = path.replace(/^file:\/\//i, '');
  return plain.startsWith('~') || !isInside(relative(root, resolve(root, plain)));
}

const isInside = (path: string) => !isAbsolute(path) && path !== '..' && !/^\.\.[\\/]/.test(path);

function isOpenPlace(place: string, root: string): boolean {
  if (!isInside(relative(root, place))) return false;
  const inside = relative(root, place).replaceAll('\\', '/');
  const folded = inside.toLowerCase();
  // A folder that holds a closed one is closed itself, but for the project: its searches pass over what is hidden.
  const isClosed = CLOSED.some(
    (closed) => `${folded}/`.startsWith(`${closed}/`) || (folded !== '' && closed.startsWith(`${folded}/`)),
  );
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

/** Whether the member has the tool that a use of this kind needs. Kinds that say nothing are for the operator to judge. */
export function memberMay(tools: readonly string[], kind: string): boolean {
  const word = WORD_OF[kind];
  return word === undefined || tools.includes(word);
}
