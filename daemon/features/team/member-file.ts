import Value from 'typebox/value';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { FRONTMATTER_ORDER, Frontmatter, type Member, type Problem } from '../../contract/team.js';
import { nameFromId } from '../../lib/agents/member-id.js';
import { isObject } from '../../lib/is-object.js';
import { isProblem, parseMarkdown } from '../../storage/members/frontmatter.js';

const DESCRIPTION_MAX_CHARS = 400;
const KNOWN_KEYS = new Set<string>(FRONTMATTER_ORDER);
/** Keys that only imports and exports use. A value in a file that is no record is no mistake, and is ignored. */
const KEPT_KEYS = new Set(['origin', 'vendor']);

/**
 * One valid version of a member file: all keys with their defaults, and the prompt. This version runs and is served.
 */
export interface MemberVersion
  extends Omit<
    Member,
    | 'state'
    | 'problem'
    | 'warnings'
    | 'exposure_hold'
    | 'serving'
    | 'model_resolved'
    | 'client_resolved'
    | 'instances'
    | 'token_last4'
  > {
  body: string;
  unknown_keys: string[];
}

/** Returns the name of the daemon's own local network by its genesis; undefined before the network was used. */
export type FindOwnNetwork = () => string | undefined;

const nameAsLocal = (keys: object, own: string): object =>
  JSON.parse(JSON.stringify(keys), (key, value) => (key === 'network' && value === own ? LOCAL_NETWORK : value));

/** A frontmatter below what gets there by accident: blank lines, the mark of a conflict, a comment of a licence. */
const LATE_FRONTMATTER =
  /^\uFEFF?(?:[ \t]*\r?\n|<{7}[^\n]*\n|<!--(?:[^-]|-(?!->))*-->[ \t]*\r?\n)+---[ \t]*\r?\n[\w-]+:/;

/** Returns the line of a frontmatter that does not begin the file, so that none of its keys would count. */
function findLateFrontmatter(text: string): number | undefined {
  const above = LATE_FRONTMATTER.exec(text)?.[0];
  // The first key stands on the line below.
  return above === undefined ? undefined : above.split('\n').length - 1;
}

const CONFLICT = [/^<{7}( |$)/, /^={7}$/, /^>{7}( |$)/];

/** Returns the line of the body, from 0, on which a merge conflict begins; none of those in a block of code. */
function findConflict(body: string): number | undefined {
  let isCode = false;
  let begun = 0;
  let marks = 0;
  for (const [at, line] of body.split(/\r?\n/).entries()) {
    if (/^ {0,3}(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    if (CONFLICT[0]?.test(line)) [begun, marks] = [at, 1];
    else if (marks > 0 && CONFLICT[marks]?.test(line)) marks += 1;
    if (marks === CONFLICT.length) return begun;
  }
  return undefined;
}

/**
 * Parses the text of `<id>.md` as a member. A key with an empty value counts as absent. Unknown keys are listed without
 * effect. Returns the first mistake as a Problem with its position in the file; an empty file is one, since an editor
 * may be about to write it, and so is one whose frontmatter is not at its beginning: a member of defaults alone would
 * lose its token and its limits. A prompt with a merge conflict is a mistake too. The daemon's own local network may be
 * named by its genesis, as `findOwnNetwork` returns it; the version has it as `solana:local`. Spec: Team member (local daemon).
 */
export function readMember(id: string, text: string, findOwnNetwork?: FindOwnNetwork): MemberVersion | Problem {
  if (text.trim() === '') return { line: 1, column: 1, reason: 'The file is empty.' };
  const file = parseMarkdown(text);
  if (isProblem(file)) return file;
  const late = findLateFrontmatter(text);
  if (late !== undefined) return { line: late, column: 1, reason: 'The frontmatter must begin on the first line.' };
  const conflict = findConflict(file.body);
  if (conflict !== undefined) {
    const line = text.slice(0, text.length - file.body.length).split('\n').length + conflict;
    return { line, column: 1, reason: 'The file holds a merge conflict.' };
  }
  const given = Object.entries(file.data).filter(([, value]) => value !== null);
  const known = Object.fromEntries(
    given.filter(([key, value]) => KNOWN_KEYS.has(key) && (!KEPT_KEYS.has(key) || isObject(value))),
  );
  const wrong = findMistake(known);
  if (wrong) return { ...file.locate(wrong.path), reason: wrong.reason };
  const own = text.includes(`${LOCAL_NETWORK}-`) ? findOwnNetwork?.() : undefined;
  const keys = own === undefined ? known : nameAsLocal(known, own);
  return {
    ...withDefaults(id, keys as Frontmatter, file.body),
    body: file.body,
    unknown_keys: Object.keys(file.data).filter((key) => !KNOWN_KEYS.has(key)),
    revision: file.revision,
  };
}

/** Returns the keys of a member with the defaults of the contract. */
export function withDefaults(
  id: string,
  keys: Frontmatter,
  body: string,
): Omit<MemberVersion, 'body' | 'revision' | 'unknown_keys'> {
  const {
    name,
    description,
    kind,
    required,
    agent_type,
    client,
    model,
    effort,
    exposure,
    pinned_order,
    limits,
    ...optional
  } = keys;
  return {
    id,
    name: name ?? nameFromId(id),
    description: description ?? firstParagraph(body),
    kind: kind ?? 'profile',
    required: required ?? false,
    agent_type: agent_type ?? 'custom',
    client: client ?? 'auto',
    model: model ?? 'strongest',
    effort: effort ?? 'default',
    exposure: exposure ?? 'internal',
    pinned_order: pinned_order ?? 50,
    limits: { turns: limits?.turns ?? 30, minutes: limits?.minutes ?? 10 },
    ...optional,
  };
}

/** Returns the first paragraph of a body after headings, as one line of at most 400 characters. */
function firstParagraph(body: string): string {
  for (const block of body.split(/\r?\n[ \t]*\r?\n/)) {
    const lines = block.split(/\r?\n/).filter((line) => !/^#{1,6}\s/.test(line));
    const paragraph = lines.join(' ').replace(/\s+/g, ' ').trim();
    if (paragraph !== '') return shorten(paragraph, DESCRIPTION_MAX_CHARS);
  }
  return '';
}

/** Shortens `text` at a word boundary to at most `max` characters, including the ellipsis. */
export function shorten(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const cut = characters.slice(0, max - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > max / 2 ? cut.slice(0, space) : cut}…`;
}

/** Returns the first violation of the rules for a member's known keys. */
export function findMistake(keys: Record<string, unknown>): { path: string[]; reason: string } | undefined {
  const [error] = Value.Errors(Frontmatter, keys);
  if (error) {
    const path = error.instancePath.split('/').slice(1).map(fromPointer);
    return { path, reason: `\`${path.join('.')}\` ${wording(error.keyword, error.message, error.params)}.` };
  }
  for (const key of ['name', 'model']) {
    const value = keys[key];
    if (typeof value === 'string' && value.trim() === '')
      return { path: [key], reason: `\`${key}\` must not be empty.` };
  }
  for (const key of ['payment', 'skills', ...KEPT_KEYS]) {
    if (!canBeWritten(keys[key]))
      return {
        path: [key],
        reason: `\`${key}\` leads back into itself: an alias must not stand within its own anchor.`,
      };
  }
  if (keys['required'] === true && keys['kind'] !== 'singleton') {
    return { path: ['required'], reason: '`required` goes only with `kind: singleton`.' };
  }
  return undefined;
}

/** Whether a value can be serialized. YAML aliases can create cycles. */
function canBeWritten(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

const fromPointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

function wording(keyword: string, message: string, params: object): string {
  const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
  if (allowed) return `must be one of ${allowed.join(', ')}`;
  if (keyword === 'boolean') return 'is not a key that belongs there';
  return message;
}
