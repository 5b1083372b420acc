import { OLLAMA_CONTEXT } from '../../../contract/clients.js';
import { scrubSecrets } from '../../../lib/secrets/secrets.js';
import { type ApiSettings, isOnThisMachine } from './api-settings.js';
import { TurnError } from './turn-failure.js';

const MESSAGE_MAX_CHARS = 300;
const CAUSES_MAX = 8;
/** Where the operator set the endpoint. */
const places = ({ isSaved, provider }: ApiSettings) =>
  isSaved
    ? {
        endpoint: 'the endpoint in `meshd clients`',
        address: 'the address in `meshd clients`',
        model: 'the model in `meshd clients`',
        key: 'enter a valid one with `meshd clients` or on the page Connect a model',
      }
    : {
        endpoint: 'MESHD_API_PROVIDER and MESHD_API_BASE_URL',
        address: 'MESHD_API_BASE_URL',
        model: 'MESHD_API_MODEL',
        key:
          `put a valid one into \`.mesh/credentials/api-key\` or ` +
          `${provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'}, then start meshd again`,
      };

export const ENDED_EARLY =
  'The endpoint ended the answer before it was whole: ask again, and if that happens each time, check ' +
  'MESHD_API_PROVIDER and MESHD_API_BASE_URL.';
const USED_UP =
  "The model went on using tools in its last step and gave no answer: raise the member's limits.turns, ask for " +
  'less, or choose another model.';

/**
 * Returns the operator's message for a failed run: what happened and what to do, in a sentence or two. Names the
 * endpoint and the model, quotes the start of the endpoint's own error text, and never contains the key.
 */
export function failureMessage(error: unknown, settings: ApiSettings, model: string): string {
  const causes = listCauses(error);
  const refused = causes.find((cause) => cause instanceof TurnError);
  if (refused) return refused.message;
  if (causes.some(({ name }) => name === 'AI_ToolChoiceViolationError')) return USED_UP;
  const message = messageFor(causes, settings, model);
  const unkeyed = settings.apiKey === undefined ? message : message.replaceAll(settings.apiKey, '[redacted]');
  return scrubSecrets(unkeyed);
}

function messageFor(causes: readonly Cause[], settings: ApiSettings, model: string): string {
  const messages = causes.map(({ message: text }) => String(text ?? ''));
  if (
    causes.some(({ name }) => name === 'AI_NoOutputGeneratedError') ||
    messages.some((text) => /without a finish reason/.test(text))
  ) {
    return ENDED_EARLY;
  }
  const at = `The endpoint at ${new URL(settings.baseUrl).host}`;
  const names = causes.map(({ name }) => String(name ?? ''));
  if (
    names.some((name) => /JSONParse|TypeValidation|InvalidResponse/.test(name)) ||
    messages.some((text) => /^(?:JSON parsing|Type validation) failed/.test(text))
  ) {
    return `${at} sent something that is not ${dialect(settings)}: check ${places(settings).endpoint}.`;
  }
  const status = causes.map(({ statusCode }) => statusCode).find((code) => typeof code === 'number');
  const message = getEndpointMessage(causes);
  const quote = message === '' ? '' : ` It said: ${message}`;
  if (typeof status === 'number' && status >= 400) return refusal(status, message, quote, at, settings, model);
  const code = causes.map((cause) => cause.code).find((found) => typeof found === 'string');
  if (typeof code === 'string') return unreachable(code, at, settings);
  const type = causes.map((cause) => cause.type).find((found) => typeof found === 'string');
  if (type === 'overloaded_error') return `${at} is overloaded: ask again later.${quote}`;
  if (type === 'rate_limit_error')
    return `${at} takes no more requests for now: wait, or raise the limit of its account.${quote}`;
  if (message !== '') return `${at} broke the answer off.${quote}`;
  const own = (causes[0]?.message ?? '').replace(/\s+/g, ' ').slice(0, MESSAGE_MAX_CHARS);
  return `The turn on \`${model}\` failed: ${own === '' ? 'no reason was given.' : own}`;
}

function refusal(
  status: number,
  message: string,
  quote: string,
  at: string,
  settings: ApiSettings,
  model: string,
): string {
  if (status === 401 || status === 403) {
    const what = settings.apiKey === undefined ? 'wants a key' : 'does not take the key';
    return `${at} ${what} (${status}): ${places(settings).key}.${quote}`;
  }
  // Cut off by Ollama, whose template then misses the question.
  if (/no user query found/i.test(message)) {
    return (
      `The endpoint gives the model \`${model}\` too little context for this turn, so that the question was cut off: ` +
      `raise it (for Ollama: ${OLLAMA_CONTEXT}).${quote}`
    );
  }
  if (/support(?:s|ed|ing)? tools|tool (?:use|calling) is not/i.test(message)) {
    return (
      `The model \`${model}\` cannot use tools, which the \`api\` client needs to read the project: choose one ` +
      `that can.${quote}`
    );
  }
  if (status === 400 && /effort|think(?:ing)?\b/i.test(message) && !/reasoning_content/.test(message)) {
    return `The model \`${model}\` does not take this effort: set the member's effort to \`default\`.${quote}`;
  }
  if (status === 413 || /context (?:length|window|size)|too long|maximum context/i.test(message)) {
    return (
      `The conversation is too long for the model \`${model}\`: begin a new one, or choose a model with more ` +
      `room.${quote}`
    );
  }
  if (status === 404)
    return (
      `${at} knows no model \`${model}\` (404): set the member's model or ${places(settings).model} to one it has, or ` +
      `correct ${places(settings).address}.${quote}`
    );
  if (status === 429)
    return `${at} takes no more requests for now (429): wait, or raise the limit of its account.${quote}`;
  if (status >= 500) return `${at} failed (${status}): ask again later.${quote}`;
  return `${at} refused the request (${status}).${quote}`;
}

function unreachable(code: string, at: string, settings: ApiSettings): string {
  const address = new URL(settings.baseUrl).origin;
  if (code === 'ECONNREFUSED') {
    const start = isOnThisMachine(settings.baseUrl)
      ? 'start its program (for Ollama: `ollama serve`)'
      : 'check that it is up';
    return `Nothing answers at ${address}: ${start}, or correct ${places(settings).address}.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The name of ${address} cannot be found: check the network and ${places(settings).address}.`;
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `The certificate of ${address} is not trusted (${code}).`;
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return `${at} did not answer in time (${code}).`;
  return `The connection to ${address} was cut (${code}): ask again.`;
}

const dialect = ({ provider }: ApiSettings) =>
  provider === 'anthropic'
    ? 'a stream of the Anthropic Messages API'
    : 'a stream of OpenAI-compatible chat completions';

type Cause = Partial<Record<'name' | 'message' | 'code' | 'type' | 'statusCode' | 'responseBody', unknown>> & {
  message: string;
};

/**
 * Returns the error and its causes, outermost first. Classified by fields, since the SDK's classes are loaded lazily.
 */
function listCauses(error: unknown): Cause[] {
  const found: Cause[] = [];
  let current = error;
  while (current !== undefined && current !== null && found.length < CAUSES_MAX) {
    found.push(typeof current === 'object' ? (current as Cause) : { message: String(current) });
    const { lastError, cause } = current as { lastError?: unknown; cause?: unknown };
    current = lastError ?? cause;
  }
  return found;
}

/** Returns the endpoint's own error text, from an error response body or an error within the stream. */
function getEndpointMessage(causes: readonly Cause[]): string {
  const body = causes.map(({ responseBody }) => responseBody).find((found) => typeof found === 'string');
  const streamed = causes.find((cause) => !(cause instanceof Error))?.message;
  const message = typeof body === 'string' ? parseErrorMessage(body) : (streamed ?? '');
  return String(message).replace(/\s+/g, ' ').trim().slice(0, MESSAGE_MAX_CHARS);
}

interface ErrorBody {
  error?: { message?: unknown } | string;
  message?: unknown;
  detail?: unknown;
}

function parseErrorMessage(body: string): string {
  try {
    const content = JSON.parse(body) as ErrorBody | [ErrorBody];
    // Google puts the error into a list.
    const parsed = Array.isArray(content) ? content[0] : content;
    const error = typeof parsed.error === 'object' ? parsed.error?.message : parsed.error;
    const message = error ?? parsed.message ?? parsed.detail ?? '';
    // Mistral and FastAPI say it in an object or a list.
    return typeof message === 'string' ? message : JSON.stringify(message);
  } catch {
    // Not JSON, for example the HTML page of a proxy. Its first words are enough.
    return body.replace(/<[^<>]*>/g, ' ');
  }
}
