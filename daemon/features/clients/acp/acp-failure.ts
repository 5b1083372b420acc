import { getErrorMessage } from '../../../lib/errors.js';
import { type JsonObject, toList, toObject, toText } from '../agent-program-json.js';

const AUTH_REQUIRED = -32_000;
/** What says no more than the code of the error. */
const BARE = /^(authentication required|internal error|invalid params|)[.:]?$/i;

/**
 * Converts an error that the agent answered with. Most agents put the reason into its `data` and leave the message as
 * the protocol words it. That a login is needed may be said of each request, as of a key that was taken back.
 */
export function explainRefusal(
  { program, login }: { program: string; login?: string | undefined },
  hello: JsonObject,
  error: unknown,
): Error {
  const { code, data } = toObject(error);
  const text = [getErrorMessage(error), getReason(data)].reduce((said, more) => {
    if (said.includes(more)) return said;
    return BARE.test(said) ? more : `${said} ${more}`;
  });
  if (code !== AUTH_REQUIRED) return error instanceof Error && text === error.message ? error : new Error(text);
  const ways = toList(hello['authMethods'])
    .map((way) => toText(toObject(way)['name']))
    .filter(Boolean);
  const named = ways.length === 0 ? '' : ` (${ways.join(', ')})`;
  const way = login === undefined ? 'start it once by itself and log in' : `run \`${login}\` in a terminal`;
  const said = BARE.test(text) ? '' : ` It says: ${text}`;
  return new Error(`${program} is not logged in: ${way}${named}.${said}`);
}

function getReason(data: unknown): string {
  if (typeof data === 'string') return data.trim();
  const { details, message, reason, error } = toObject(data);
  const found = [details, message, reason, error, toObject(error)['message']].map(toText);
  return found.find((text) => text.trim() !== '')?.trim() ?? '';
}
