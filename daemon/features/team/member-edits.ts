import { MEMBER_FILE_LIMIT } from '../../contract/limits.js';
import {
  FRONTMATTER_ORDER,
  type Frontmatter,
  type MemberPatch,
  type NewMember,
  type Problem,
} from '../../contract/team.js';
import { MeshError } from '../../lib/errors.js';
import { findSecret } from '../../lib/secrets/secrets.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import { editMarkdown, newMarkdown } from '../../storage/members/frontmatter-edit.js';
import { type FindOwnNetwork, findMistake, type MemberVersion, readMember, withDefaults } from './member-file.js';

/**
 * Returns the text of a new member file: the given keys in the contract's order, with `name`, `description`, `kind` and
 * `model` in any case, and the body. Throws `bad_request` for `required`, which no caller may set, and for invalid
 * keys.
 */
export function newMemberText(id: string, member: NewMember): string {
  if (member.required !== undefined) {
    throw badRequest('required', '`required` cannot be set here: the operator writes it into the file by hand.');
  }
  const body = getBody(member) ?? '';
  const { name, description, kind, model } = withDefaults(id, {}, body);
  const keys = givenKeys({ name, description, kind, model, ...member });
  refuseMistake(keys);
  return newMarkdown(keys, body);
}

/**
 * Returns `text` with only the keys of `patch` changed; null removes a key. Throws `immutable_field` for `kind` and
 * `required`, and `bad_request` when the file is broken and therefore cannot be edited by key.
 */
export function patchedMemberText(text: string, patch: MemberPatch): string {
  for (const key of ['kind', 'required'] as const) {
    if (patch[key] !== undefined) {
      throw new MeshError('immutable_field', `\`${key}\` cannot be changed here: edit the file by hand.`, {
        details: { path: key },
      });
    }
  }
  const keys = givenKeys(patch);
  refuseMistake(Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null)));
  const edited = editMarkdown(text, keys, getBody(patch));
  if (isProblem(edited)) throw brokenFile(edited);
  return edited;
}

/**
 * Parses `text` as a member before it is written. Throws `too_large`, `secret_in_member_file`, and `bad_request` with
 * `problem` when it would be broken.
 */
export function requireGoodText(id: string, text: string, findOwnNetwork?: FindOwnNetwork): MemberVersion {
  if (Buffer.byteLength(text) > MEMBER_FILE_LIMIT) {
    throw new MeshError(
      'too_large',
      'A member file has at most 256 KiB: shorten it, or move the material to a file and name it in `refs`.',
    );
  }
  const secret = findSecret(text);
  if (secret) {
    const line = text.slice(0, secret.index).split('\n').length;
    throw new MeshError(
      'secret_in_member_file',
      `Line ${line} holds what looks like a secret (${secret.kind}…). Member files are committed: keep secrets ` +
        'out of them.',
      { details: { line } },
    );
  }
  const read = readMember(id, text, findOwnNetwork);
  if (isProblem(read)) {
    throw new MeshError('bad_request', `Line ${read.line}, column ${read.column}: ${read.reason}`, {
      details: { path: 'text', problem: read },
    });
  }
  return read;
}

/** Returns the prompt given as `body` or its alias `prompt`, or undefined. Throws `bad_request` when the two differ. */
function getBody({ body, prompt }: { body?: string; prompt?: string }): string | undefined {
  if (body !== undefined && prompt !== undefined && body !== prompt) {
    throw badRequest('prompt', '`prompt` is another word for `body`: give one of them.');
  }
  return body ?? prompt;
}

/** The keys of a member in the contract's order; undefined for those that are not given. */
function givenKeys(source: NewMember | MemberPatch): Partial<Record<keyof Frontmatter & string, unknown>> {
  const given = source as Record<string, unknown>;
  return Object.fromEntries(FRONTMATTER_ORDER.map((key) => [key, given[key]]));
}

function refuseMistake(keys: Record<string, unknown>): void {
  const mistake = findMistake(keys);
  if (mistake) throw badRequest(mistake.path.join('.'), mistake.reason);
}

function brokenFile(problem: Problem): MeshError {
  return new MeshError(
    'bad_request',
    `The file is broken at line ${problem.line}, column ${problem.column}: ${problem.reason} Mend its text, ` +
      'or restore it.',
    { details: { path: 'id', problem } },
  );
}

export function badRequest(path: string, message: string): MeshError {
  return new MeshError('bad_request', message, { details: { path } });
}
