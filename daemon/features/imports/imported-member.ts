import { isDeepStrictEqual } from 'node:util';
import { AGENT_FORMATS, type AgentFormat, IMPORT_SCOPES, type ImportScope } from '../../contract/imports.js';
import { FRONTMATTER_ORDER, type Problem } from '../../contract/team.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import { isObject } from '../../lib/is-object.js';
import { isProblem, parseMarkdown } from '../../storage/members/frontmatter.js';
import { editMarkdown, newMarkdown } from '../../storage/members/frontmatter-edit.js';
import { writeKeys } from './agent-writing.js';
import { type Data, type Place, type Reading, SHARED_KEYS, type SharedKeys } from './foreign-agent.js';
import { portable } from './foreign-toml.js';
import { FORMATS } from './formats.js';
import { type Found, type FoundAgent, isUsable } from './found-agents.js';

/** The origin of an imported member as stated in its file. Untrusted, since member files are committed. */
export interface Origin extends Place {
  /** Digest of the source as imported. */
  sha256: string;
  /** Digest of the prompt as imported. */
  body_sha256: string;
  /** Digest of the import's result. Shows whether the member was edited since. */
  imported_sha256: string;
  /** Whether the prompt started directly after the frontmatter. */
  tight: boolean;
  /** Whether inline secrets were removed. The source's bytes are not kept then. */
  redacted: boolean;
  /** The later state of the source that the operator ignores. */
  ignored: string | undefined;
}

/** The content of a member file for imports and exports. */
export interface MemberContent {
  /** All keys of the file. */
  all: Data;
  keys: SharedKeys;
  body: string;
  origin: Origin | undefined;
}

/** The value of `ignored` for a source that is gone. */
export const GONE = 'gone';

/** Parses the text of a member file. */
export function readMemberContent(text: string): MemberContent | Problem {
  const read = parseMarkdown(text);
  if (isProblem(read)) return read;
  const limits = isObject(read.data['limits']) ? read.data['limits'] : {};
  const getSaying = (key: string) => (key.startsWith('limits.') ? limits[key.slice('limits.'.length)] : read.data[key]);
  const keys = Object.fromEntries(
    SHARED_KEYS.map((key) => [key, getSaying(key)] as const).filter(
      ([, value]) => value !== undefined && value !== null,
    ),
  );
  return { all: read.data, keys, body: read.body, origin: originIn(read.data) };
}

/** Returns the data that the member file keeps for exports to `format`. */
export function vendorIn(all: Data, format: AgentFormat): Data {
  const vendor = isObject(all['vendor']) ? all['vendor'][format] : undefined;
  return isObject(vendor) ? vendor : {};
}

/** Returns the text of a new member file for `found`. It never contains an exposure. */
export function newMemberText(found: FoundAgent, isTight: boolean): string {
  const values = nested(found.reading.keys);
  const ordered = Object.fromEntries(
    FRONTMATTER_ORDER.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]),
  );
  return newMarkdown({ ...ordered, origin: getOrigin(found, isTight), ...vendorKey({}, found) }, found.agent.body);
}

/**
 * Returns the text of a member file after a pull: replaces the keys that the source has or had, the prompt, the origin
 * and the data kept for export. All other keys are preserved. `before` are the keys of the previous reading.
 */
export function pulledMemberText(
  text: string,
  member: MemberContent,
  before: SharedKeys,
  found: FoundAgent,
  isTight: boolean,
): string | Problem {
  const limits = isObject(member.all['limits']) ? member.all['limits'] : {};
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(found.reading.keys, key));
  const values = nested(found.reading.keys);
  const keptLimits = Object.entries({ ...limits, ...(isObject(values['limits']) ? values['limits'] : {}) }).filter(
    ([key]) => !gone.includes(`limits.${key}`),
  );
  const changes: Data = {
    ...Object.fromEntries(gone.filter((key) => !key.startsWith('limits.')).map((key) => [key, null])),
    ...values,
    limits: keptLimits.length === 0 ? null : Object.fromEntries(keptLimits),
    origin: getOrigin(found, isTight),
    ...vendorKey(isObject(member.all['vendor']) ? member.all['vendor'] : {}, found),
  };
  return editMarkdown(text, changes, found.agent.body);
}

/** Returns the text of a member file that records the ignored state of its source. */
export function ignoringMemberText(text: string, { all }: MemberContent, ignored: string): string | Problem {
  return editMarkdown(text, { origin: { ...(all['origin'] as Data), ignored } });
}

/** Digest of everything that an import governs: the shared keys, the data kept for the format, and the prompt. */
function importedSha256(keys: SharedKeys, vendor: Data, body: string): string {
  return sha256Hex(jcs(portable({ keys, vendor, body })));
}

/** Whether the member still equals the result of its import. */
export function isAsImported({ keys, all, body, origin }: MemberContent): boolean {
  return origin !== undefined && importedSha256(keys, vendorIn(all, origin.format), body) === origin.imported_sha256;
}

/**
 * Whether the source equals an export of the member. Then there is nothing to pull, whichever of the two was edited.
 */
export function hasSameContent({ keys, all, body }: MemberContent, found: Found): boolean {
  if (!isUsable(found)) return false;
  const { format } = found.place;
  return (
    found.agent.body === body &&
    isDeepStrictEqual(writeKeys(FORMATS[format], keys, vendorIn(all, format)), found.reading.data)
  );
}

function getOrigin({ place, sha256, agent, reading }: FoundAgent, isTight: boolean): Data {
  return {
    format: place.format,
    path: place.path,
    ...(place.scope === 'user' && { scope: place.scope }),
    ...(place.entry !== null && { entry: place.entry }),
    sha256,
    body_sha256: sha256Hex(agent.body),
    imported_sha256: importedSha256(reading.keys, reading.vendor, agent.body),
    ...(isTight && { tight: true }),
    ...(reading.secrets.length > 0 && { redacted: true }),
  };
}

function vendorKey(others: Data, { place, reading }: FoundAgent): Data {
  const { [place.format]: _was, ...rest } = others;
  const vendor = Object.keys(reading.vendor).length === 0 ? rest : { ...rest, [place.format]: reading.vendor };
  return { vendor: Object.keys(vendor).length === 0 ? null : vendor };
}

/** Returns the shared keys as in a member file, with the limits in one object. */
function nested(keys: Reading['keys']): Data {
  const limits = Object.entries(keys).filter(([key]) => key.startsWith('limits.'));
  return {
    ...Object.fromEntries(Object.entries(keys).filter(([key]) => !key.startsWith('limits.'))),
    ...(limits.length > 0 && {
      limits: Object.fromEntries(limits.map(([key, value]) => [key.slice('limits.'.length), value])),
    }),
  };
}

function originIn(all: Data): Origin | undefined {
  const origin = all['origin'];
  if (!isObject(origin)) return undefined;
  const {
    format,
    path,
    scope = 'project',
    entry = null,
    sha256,
    body_sha256,
    imported_sha256,
    tight,
    redacted,
    ignored,
  } = origin;
  const isSaid =
    AGENT_FORMATS.includes(format as AgentFormat) &&
    IMPORT_SCOPES.includes(scope as ImportScope) &&
    typeof path === 'string' &&
    (entry === null || typeof entry === 'string') &&
    typeof sha256 === 'string';
  if (!isSaid) return undefined;
  return {
    format: format as AgentFormat,
    path,
    scope: scope as ImportScope,
    entry,
    sha256,
    body_sha256: String(body_sha256),
    imported_sha256: String(imported_sha256),
    tight: tight === true,
    redacted: redacted === true,
    ignored: typeof ignored === 'string' ? ignored : undefined,
  };
}
