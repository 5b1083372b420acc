import { isAbsolute, relative, resolve } from 'node:path';
import {
  CHANGE_TEXT_MAX_CHARS,
  CHANGES_MAX,
  COMMAND_MAX_CHARS,
  PATH_MAX_CHARS,
  type PermissionDetail,
  URL_MAX_CHARS,
} from '../../contract/permissions.js';
import { followedPath } from '../../storage/files/followed-path.js';
import { type JsonObject, toList, toObject, toText } from './agent-program-json.js';

const INPUT_MAX_CHARS = 16_384;

/** Where a run works, and which environment variables the programs that it starts see. */
export interface RunPlace {
  root: string;
  environment: Readonly<Record<string, string>>;
}

interface FileChange {
  path: string;
  /** Null: the whole file, or a new one. */
  old: string | null;
  text: string;
}

/** Cuts a text and marks it. It stays longer than `maxChars`, by which the rules and the denial recognise it. */
const cutTo = (text: string, maxChars: number) => (text.length > maxChars ? `${text.slice(0, maxChars)}…` : text);

/**
 * The command line with its folder and the names of the variables that it sees, without their values. Whole, unless the
 * command is too long to be decided.
 */
export function commandDetail(command: string, { root, environment }: RunPlace): PermissionDetail {
  return {
    kind: 'command',
    command: cutTo(command, COMMAND_MAX_CHARS),
    folder: cutTo(root, PATH_MAX_CHARS),
    environment: Object.keys(environment).sort(),
  };
}

/** The changes of files, each text cut to `CHANGE_TEXT_MAX_CHARS` and marked when it is. */
export function editDetail(changes: readonly FileChange[], { root }: Pick<RunPlace, 'root'>): PermissionDetail {
  const shown = changes.slice(0, CHANGES_MAX);
  return {
    kind: 'edit',
    changes: shown.map(({ path, old, text }) => ({
      path: findPlace(path, root),
      old_text: old?.slice(0, CHANGE_TEXT_MAX_CHARS) ?? null,
      new_text: text.slice(0, CHANGE_TEXT_MAX_CHARS),
      cut: Math.max(old?.length ?? 0, text.length) > CHANGE_TEXT_MAX_CHARS || path.length > PATH_MAX_CHARS,
    })),
    ...(changes.length > shown.length ? { changes_left_out: changes.length - shown.length } : {}),
  };
}

function fetchDetail(url: string, method: string): PermissionDetail {
  return { kind: 'fetch', method: method.toUpperCase().slice(0, 20) || 'GET', url: cutTo(url, URL_MAX_CHARS) };
}

/** The input of a tool that is none of the others; null when it has none. */
function inputDetail(input: JsonObject): PermissionDetail | null {
  if (Object.keys(input).length === 0) return null;
  const text = JSON.stringify(input, null, 2);
  return {
    kind: 'input',
    text: text.slice(0, INPUT_MAX_CHARS),
    ...(text.length > INPUT_MAX_CHARS ? { cut: true as const } : {}),
  };
}

/**
 * Returns the path relative to the project, with links followed and `/` as separator. A place outside the project stays
 * absolute. A path that is too long is cut instead: to resolve it could take minutes.
 */
function findPlace(path: string, root: string): string {
  if (path.length > PATH_MAX_CHARS) return cutTo(path, PATH_MAX_CHARS);
  const plain = path.replace(/^file:\/\//i, '');
  const written = resolve(root, plain);
  const place = followedPath(written) ?? written;
  const inside = relative(followedPath(root) ?? root, place);
  const isInside = inside !== '' && !isAbsolute(inside) && inside !== '..' && !/^\.\.[\\/]/.test(inside);
  return isInside ? inside.replaceAll('\\', '/') : place;
}

/** A command line of an agent: a text, or a list of arguments, which is quoted for a POSIX shell. */
export function readCommand(command: unknown): string {
  if (typeof command === 'string') return command;
  return toList(command)
    .map(toText)
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** Returns what a use of a tool of Claude Code would do. */
export function claudeDetail(tool: string, input: JsonObject, place: RunPlace): PermissionDetail | null {
  const path = toText(input['file_path']);
  const toChange = (edit: JsonObject): FileChange => ({
    path,
    old: toText(edit['old_string']),
    text: toText(edit['new_string']),
  });
  switch (tool) {
    case 'Bash':
      return commandDetail(toText(input['command']), place);
    case 'Edit':
      return editDetail([toChange(input)], place);
    case 'MultiEdit':
      return editDetail(toList(input['edits']).map(toObject).map(toChange), place);
    case 'Write':
      return editDetail([{ path, old: null, text: toText(input['content']) }], place);
    case 'NotebookEdit':
      return editDetail(
        [{ path: toText(input['notebook_path']), old: null, text: toText(input['new_source']) }],
        place,
      );
    case 'WebFetch':
      return fetchDetail(toText(input['url']), 'GET');
    default:
      return inputDetail(input);
  }
}

/** The kinds of a tool use of the Agent Client Protocol that change files. */
const EDITS = new Set(['edit', 'delete', 'move']);

/**
 * Returns what a tool use of an agent of the Agent Client Protocol would do: its diffs first, then the command or
 * address of its input, else the input as it is.
 */
export function acpDetail(kind: string, content: unknown, input: JsonObject, place: RunPlace): PermissionDetail | null {
  const diffs = toList(content)
    .map(toObject)
    .filter(({ type, path }) => type === 'diff' && toText(path) !== '');
  if (diffs.length > 0 && (kind === '' || EDITS.has(kind))) {
    const changes = diffs.map(({ path, oldText, newText }) => ({
      path: toText(path),
      old: typeof oldText === 'string' ? oldText : null,
      text: toText(newText),
    }));
    return editDetail(changes, place);
  }
  const command = readCommand(input['command']);
  if (kind === 'execute' && command !== '') {
    const folder = toText(input['cwd']) || toText(input['workdir']);
    const root = folder.length <= PATH_MAX_CHARS ? resolve(place.root, folder) : folder;
    return commandDetail(command, { ...place, root });
  }
  const url = toText(input['url']);
  if (kind === 'fetch' && url !== '') return fetchDetail(url, toText(input['method']));
  return inputDetail(input);
}
