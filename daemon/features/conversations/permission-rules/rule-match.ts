import {
  COMMAND_MAX_CHARS,
  PATH_MAX_CHARS,
  type PermissionDetail,
  type RuleOffer,
  URL_MAX_CHARS,
} from '../../../contract/permissions.js';
import { isSecretPath } from '../../../lib/secrets/secret-names.js';
import { foldPath } from '../../../lib/text/fold-path.js';
import type { PermissionQuestion } from '../../clients/client.js';

const PREFIX_WORDS_MAX = 4;

/**
 * Programs whose arguments are programs themselves. A rule for what begins with one of them would allow everything.
 */
const WRAPPERS = new Set(
  'sudo doas env xargs sh bash dash zsh fish ksh eval exec nohup time nice timeout ssh su find parallel command'.split(
    ' ',
  ),
);

/** Folders that no rule for a folder covers: they hold what runs programs, or secrets. */
const CLOSED_FOLDERS = new Set([
  ...['.git', '.mesh', '.github', '.husky'],
  ...['.claude', '.codex', '.gemini', '.opencode', '.cursor', '.agents'],
  ...['.vscode', '.zed', '.idea', '.devcontainer'],
]);
/** Files that no rule for a folder covers, wherever they are, because programs start others by what they say. */
const CLOSED_FILES = new Set(['.mcp.json', 'opencode.json', 'opencode.jsonc', '.gitattributes', '.gitmodules']);

/** One word of a simple command: plain, or quoted without anything that a shell would expand. */
const WORD = /(?:[\w@%+=:,./-]|"[^"$`\\\n!]*"|'[^'\n]*')+/y;

/**
 * Splits a command line into words. Returns undefined when a shell would do more with it than run one program: operators,
 * expansions, redirections, several lines, or a variable set in front.
 */
function splitSimple(command: string): string[] | undefined {
  const words: string[] = [];
  let at = 0;
  while (at < command.length) {
    WORD.lastIndex = at;
    const word = WORD.exec(command)?.[0];
    if (word === undefined) return undefined;
    words.push(word);
    at += word.length;
    if (at === command.length) break;
    if (command[at] !== ' ') return undefined;
    while (command[at] === ' ') at += 1;
  }
  return words.length === 0 || words[0]?.includes('=') ? undefined : words;
}

/** Returns the prefixes that a rule may allow, longest first: at least two words, no options, no quotes. */
function listPrefixes(command: string): string[] {
  const words = splitSimple(command);
  if (!words || WRAPPERS.has(words[0]?.split('/').at(-1) ?? '')) return [];
  const end = words.findIndex((word) => word.startsWith('-') || /["']/.test(word));
  const plain = words.slice(0, Math.min(end === -1 ? words.length : end, PREFIX_WORDS_MAX));
  return plain
    .map((_, count) => plain.slice(0, count + 1).join(' '))
    .slice(1)
    .reverse();
}

const isInProject = (path: string) => path !== '' && !path.startsWith('/') && !/^[A-Za-z]:/.test(path);

/** Whether rules for folders may cover the file. */
const isOpen = (path: string) =>
  isInProject(path) &&
  !foldPath(path)
    .split('/')
    .some((part) => CLOSED_FOLDERS.has(part) || CLOSED_FILES.has(part)) &&
  !isSecretPath(path);

function getPaths({ changes = [], changes_left_out = 0 }: PermissionDetail): string[] | undefined {
  // What is not listed cannot be judged by a rule.
  return changes.length === 0 || changes_left_out > 0 ? undefined : [...new Set(changes.map(({ path }) => path))];
}

/** Returns the folders that hold all the files, from the nearest to the project, which is the empty path. */
function listFolders(paths: readonly string[]): string[] {
  if (!paths.every(isOpen)) return [];
  const [first = []] = paths.map((path) => path.split('/').slice(0, -1));
  const folders = first.map((_, count) => first.slice(0, count + 1).join('/')).reverse();
  return [...folders, ''].filter((folder) => paths.every((path) => isBelow(path, folder)));
}

const isBelow = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);

/** Returns `GET https://host` for an address; undefined for one that is cut, not of HTTP or holds a password. */
function findOrigin({ method, url = '' }: PermissionDetail): string | undefined {
  const address = url.length > URL_MAX_CHARS ? null : URL.parse(url);
  if (!address || !['http:', 'https:'].includes(address.protocol) || address.username !== '' || address.password !== '')
    return undefined;
  return `${method ?? 'GET'} ${address.origin}`;
}

/** Whether a person can judge the request: its command and paths are not longer than what a page shows. */
export const canBeJudged = ({ detail }: PermissionQuestion): boolean =>
  (detail?.command?.length ?? 0) <= COMMAND_MAX_CHARS &&
  [detail?.folder ?? '', ...(detail?.changes ?? []).map(({ path }) => path)].every(
    (path) => path.length <= PATH_MAX_CHARS,
  );

/** Returns the rules that would allow this request, the narrowest first. */
export function listOffers({ tool, detail }: PermissionQuestion): RuleOffer[] {
  const whole: RuleOffer = { match: 'tool', value: tool };
  switch (detail?.kind) {
    case 'command': {
      const command = detail.command ?? '';
      const prefixes = listPrefixes(command).map((value): RuleOffer => ({ match: 'command_prefix', value }));
      return [{ match: 'command', value: command }, ...prefixes];
    }
    case 'edit': {
      const paths = getPaths(detail);
      if (!paths) return [];
      const files = paths.length === 1 ? paths.map((value): RuleOffer => ({ match: 'file', value })) : [];
      const folders = listFolders(paths).map((value): RuleOffer => ({ match: 'folder', value }));
      return [...files, ...folders];
    }
    case 'fetch': {
      const origin = findOrigin(detail);
      return origin === undefined ? [] : [{ match: 'origin', value: origin }];
    }
    default:
      return [whole];
  }
}

/** Whether a rule allows the request. */
export function isCovered({ match, value }: RuleOffer, { tool, detail }: PermissionQuestion): boolean {
  switch (match) {
    case 'command':
      return detail?.kind === 'command' && detail.command === value;
    case 'command_prefix': {
      const words = detail?.kind === 'command' ? splitSimple(detail.command ?? '') : undefined;
      return words !== undefined && value.split(' ').every((word, at) => words[at] === word);
    }
    case 'file': {
      const paths = detail?.kind === 'edit' ? getPaths(detail) : undefined;
      return paths?.every((path) => path === value) ?? false;
    }
    case 'folder': {
      const paths = detail?.kind === 'edit' ? getPaths(detail) : undefined;
      return paths?.every((path) => isOpen(path) && isBelow(path, value)) ?? false;
    }
    case 'origin':
      return detail?.kind === 'fetch' && findOrigin(detail) === value;
    case 'tool':
      return tool === value;
  }
}
