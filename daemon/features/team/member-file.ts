import Value from 'typebox/value';
import { FRONTMATTER_ORDER, Frontmatter, type Member, type Problem } from '../../contract/team.js';
import { nameFromId } from '../../lib/member-id.js';
import { isProblem, parseMarkdown } from '../../storage/frontmatter.js';

const DESCRIPTION_MAX_CHARS = 400;
const KNOWN_KEYS = new Set<string>(FRONTMATTER_ORDER);
/** Where an imported member came from and what is kept for its tool: known to imports and exports alone, and no mistake. */
const KEPT_KEYS = new Set(['origin', 'vendor']);

/** One good version of a member file: every key with its default filled in, and the prompt. This is what runs and what is served. */
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

/**
 * Reads the text of `<id>.md` as a member. A key with an empty value counts as not given; unknown keys are named and never act. The
 * first thing that is wrong comes back as a Problem at its place in the file. Spec: Team member (local daemon).
 */
export function readMember(id: string, text: string): MemberVersion | Problem {
  const file = parseMarkdown(text);
  if (isProblem(file)) return file;
  const given = Object.entries(file.data).filter(([, value]) => value !== null && value !== undefined);
  const known = Object.fromEntries(given.filter(([key]) => KNOWN_KEYS.has(key)));
  const wrong = findMistake(known);
  if (wrong) return { ...file.locate(wrong.path), reason: wrong.reason };
  return {
    ...withDefaults(id, known as Frontmatter, file.body),
    body: file.body,
    unknown_keys: Object.keys(file.data).filter((key) => !KNOWN_KEYS.has(key) && !KEPT_KEYS.has(key)),
    revision: file.revision,
  };
}

/** The keys of a member with the defaults of the contract filled in. */
function withDefaults(
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

/** The first paragraph of a body as one line of at most 400 characters; headings are passed over. */
export function firstParagraph(body: string): string {
  for (const block of body.split(/\r?\n[ \t]*\r?\n/)) {
    const lines = block.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^#{1,6}\s/.test(line));
    const paragraph = lines.join(' ').replace(/\s+/g, ' ').trim();
    if (paragraph !== '') return shorten(paragraph, DESCRIPTION_MAX_CHARS);
  }
  return '';
}

/** `text` cut at a word so that it has at most `max` characters, the ellipsis included. */
export function shorten(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const cut = characters.slice(0, max - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > max / 2 ? cut.slice(0, space) : cut}…`;
}

/** The first rule that the known keys of a member break. */
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
  for (const key of ['payment', 'skills']) {
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

/** Whether a value can be written down: aliases can make one that contains itself. */
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
  if (keyword === 'enum' && allowed) return `must be one of ${allowed.join(', ')}`;
  if (keyword === 'boolean') return 'is not a key that belongs there';
  return message;
}
