import type { PostBody, PostFile, Ttl } from '../../../../daemon/contract/boards.js';
import type { ApiError } from '../../../lib/api.js';
import { outsideAddress } from '../../../lib/outside-address.js';
import { toWhere, type WhereChoice, whereProblem } from '../../places/where-choice.js';

/** A post as typed. Empty fields inherit from the board. */
export interface PostDraft {
  title: string;
  body: string;
  ttl: Ttl;
  lang: string;
  where: WhereChoice;
  fileUrl: string;
  fileKind: string;
}

export const EMPTY_POST: PostDraft = {
  title: '',
  body: '',
  ttl: '7d',
  lang: '',
  where: { kind: 'inherit' },
  fileUrl: '',
  fileKind: '',
};
export const TITLE_MAX_CHARS = 200;
const BODY_MAX_CHARS = 65_536;
/** A media type with its parameters, as the contract has it. */
const KIND =
  /^[a-zA-Z0-9!#$&^_.+-]+\/[a-zA-Z0-9!#$&^_.+*-]+( *; *[a-zA-Z0-9!#$&^_.+-]+=([a-zA-Z0-9!#$&^_.+-]+|"[ !#-[\]-~]*"))*$/;

const kindsByEnding: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  zip: 'application/zip',
  json: 'application/json',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  ics: 'text/calendar',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

/** Returns the media type for the file extension of a URL; empty when it is unknown. */
export function getDraftKind(url: string): string {
  const path = outsideAddress(url)?.pathname ?? '';
  return kindsByEnding[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''] ?? '';
}

/** Returns the number of Unicode code points of title and body, which a board's limit applies to. */
export const countChars = ({ title, body }: Pick<PostDraft, 'title' | 'body'>): number =>
  [...title.trim()].length + [...body].length;

export interface PostProblems {
  title?: string;
  body?: string;
  where?: string;
  fileUrl?: string;
  fileKind?: string;
}

const formatTooLong = (length: number, limit: number): string =>
  `Title and body have ${length.toLocaleString('en')} characters together: ` +
  `${(length - limit).toLocaleString('en')} over the ${limit.toLocaleString('en')} that this board allows.`;

/** Returns the problems of a draft, keyed by field. */
export function postProblems(draft: PostDraft, limit: number | undefined): PostProblems {
  const problems: PostProblems = {};
  const title = [...draft.title.trim()].length;
  if (title === 0) problems.title = 'A post needs a title.';
  else if (title > TITLE_MAX_CHARS) problems.title = `At most ${TITLE_MAX_CHARS} characters: these are ${title}.`;
  const length = countChars(draft);
  if (limit !== undefined && length > limit) problems.body = formatTooLong(length, limit);
  else if ([...draft.body].length > BODY_MAX_CHARS)
    problems.body = `At most ${BODY_MAX_CHARS.toLocaleString('en')} characters.`;
  const place = whereProblem(draft.where);
  if (place) problems.where = place;
  const url = draft.fileUrl.trim();
  if (url !== '' && !outsideAddress(url))
    problems.fileUrl = 'A whole address that begins with http:// or https://, without a password in it.';
  else if (url !== '' && !KIND.test(draft.fileKind.trim() || getDraftKind(url)))
    problems.fileKind = 'A media type such as image/png.';
  return problems;
}

function getFile({ fileUrl, fileKind }: PostDraft): PostFile | undefined {
  const url = fileUrl.trim();
  return url === '' ? undefined : { url, mime: fileKind.trim() || getDraftKind(url) };
}

/** Converts the draft to the API's form. Requires a draft without problems. */
export function toPost(draft: PostDraft): PostBody {
  const where = toWhere(draft.where);
  const file = getFile(draft);
  const props = { ...(where !== undefined && { where }), ...(draft.lang !== '' && { lang: draft.lang }) };
  return {
    title: draft.title.trim(),
    body: draft.body,
    ttl: draft.ttl,
    ...(file && { file }),
    ...(Object.keys(props).length > 0 && { props }),
  };
}

/** Returns the field that the daemon rejected with its message; undefined when the error is not about a field. */
export function refusedField(
  refusal: Pick<ApiError, 'code' | 'message' | 'details'> | undefined,
): PostProblems | undefined {
  if (!refusal) return undefined;
  const { code, message, details } = refusal;
  const { path, length, limit } = details;
  if (code === 'post_too_long' && typeof length === 'number' && typeof limit === 'number')
    return { body: formatTooLong(length, limit) };
  if (typeof path !== 'string') return undefined;
  const fields = [
    ['title', 'title'],
    ['mime', 'fileKind'],
    ['file', 'fileUrl'],
    ['where', 'where'],
    ['body', 'body'],
  ] as const;
  const field = fields.find(([part]) => path.split(/[./]/).includes(part));
  return field && { [field[1]]: message };
}
