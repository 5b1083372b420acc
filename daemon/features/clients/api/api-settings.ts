import { MeshError } from '../../../lib/errors.js';
import { withoutTrailingSlashes } from '../../../lib/text/trailing-slashes.js';

const API_PROVIDERS = ['anthropic', 'openai-compatible'] as const;
export type ApiProvider = (typeof API_PROVIDERS)[number];

/** A model endpoint from the machine's own configuration. */
export interface ApiSettings {
  provider: ApiProvider;
  /** Without a trailing slash. Plain http only on this machine. */
  baseUrl: string;
  /** At least one. The first is the one that `strongest` resolves to. */
  models: readonly string[];
  apiKey?: string;
  /** Entered by the operator in the dashboard or with `meshd clients`, and not by the environment. */
  isSaved?: true;
}

/** The result of reading the configuration: an endpoint, or a message for the operator why there is none. */
export type ApiConfiguration = { settings: ApiSettings } | { problem: string };

const ANTHROPIC_URL = 'https://api.anthropic.com/v1';
const IS_KEY = /^[\x21-\x7e]{1,4096}$/;
const HOW_TO = {
  provider:
    'Set MESHD_API_PROVIDER to `anthropic` or `openai-compatible` in the environment that starts meshd, with ' +
    'MESHD_API_MODEL, and MESHD_API_BASE_URL for the latter.',
  baseUrl:
    'Set MESHD_API_BASE_URL to the endpoint, for example http://127.0.0.1:11434/v1 for Ollama or ' +
    'http://127.0.0.1:1234/v1 for LM Studio.',
  model: 'Set MESHD_API_MODEL to the name of a model at the endpoint (several with commas, the strongest first).',
  anthropicKey:
    'Put an Anthropic key into `.mesh/credentials/api-key` or into ANTHROPIC_API_KEY of the environment that ' +
    'starts meshd.',
} as const;

/**
 * Reads MESHD_API_PROVIDER, MESHD_API_BASE_URL, MESHD_API_MODEL and the key. The key is `keyFile` (the content of
 * `.mesh/credentials/api-key`) or else ANTHROPIC_API_KEY or, for an OpenAI-compatible endpoint that is not on this
 * machine, OPENAI_API_KEY. A key without a provider configures nothing: requests cost money, so the operator must name
 * a provider. No message contains the key.
 */
export function apiSettings(
  environment: Readonly<Record<string, string | undefined>>,
  keyFile?: string,
): ApiConfiguration {
  const read = (name: string) => environment[name]?.trim() || undefined;
  const provider = API_PROVIDERS.find((name) => name === read('MESHD_API_PROVIDER'));
  if (provider === undefined) return { problem: HOW_TO.provider };
  const address = read('MESHD_API_BASE_URL') ?? (provider === 'anthropic' ? ANTHROPIC_URL : undefined);
  if (address === undefined) return { problem: HOW_TO.baseUrl };
  const url = getEndpoint(address);
  if ('problem' in url) return url;
  const models = [...new Set((read('MESHD_API_MODEL') ?? '').split(',').map((model) => model.trim()))].filter(
    (model) => model !== '',
  );
  if (models.length === 0) return { problem: HOW_TO.model };
  if (models.some((model) => model.length > 200))
    return { problem: 'A name in MESHD_API_MODEL is longer than 200 characters.' };
  const fromEnvironment =
    provider === 'anthropic'
      ? read('ANTHROPIC_API_KEY')
      : isOnThisMachine(url.baseUrl)
        ? undefined
        : read('OPENAI_API_KEY');
  const apiKey = keyFile?.trim() || fromEnvironment;
  if (apiKey !== undefined && !IS_KEY.test(apiKey)) {
    return { problem: 'The API key must be one line without spaces: check `.mesh/credentials/api-key`.' };
  }
  if (apiKey === undefined && provider === 'anthropic') return { problem: HOW_TO.anthropicKey };
  return { settings: { provider, baseUrl: url.baseUrl, models, ...(apiKey === undefined ? {} : { apiKey }) } };
}

/**
 * Checks an endpoint that the operator entered and returns its address. Throws `bad_request` with `path`; no message
 * contains the key, and none the address, which may hold one.
 */
export function requireEndpoint({
  provider,
  address,
  apiKey,
}: {
  provider: ApiProvider;
  address: string | undefined;
  apiKey: string | undefined;
}): { baseUrl: string } {
  const refuse = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });
  const given = address?.trim() || (provider === 'anthropic' ? ANTHROPIC_URL : undefined);
  if (given === undefined) throw refuse('base_url', 'The address of the endpoint is missing.');
  const found = getEndpoint(given, 'The address', 'An example: https://api.example.com/v1.');
  if ('problem' in found) throw refuse('base_url', found.problem);
  if (apiKey !== undefined && !IS_KEY.test(apiKey)) throw refuse('api_key', 'The key must be one line without spaces.');
  if (apiKey === undefined && provider === 'anthropic') throw refuse('api_key', 'Anthropic needs a key.');
  return found;
}

/** Whether the endpoint is reached over the loopback interface only. */
export function isOnThisMachine(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The address to use, or what is wrong with it. `name`: what the operator wrote it into. */
function getEndpoint(
  address: string,
  name = 'MESHD_API_BASE_URL',
  howTo: string = HOW_TO.baseUrl,
): { baseUrl: string } | { problem: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { problem: `${name} is no http(s) address. ${howTo}` };
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return { problem: `${name} must be without user, password, query and fragment: the key has a place of its own.` };
  if (url.protocol === 'http:' && !isOnThisMachine(url.href)) {
    return {
      problem: `${name} must be https: plain http is for endpoints on this machine (127.0.0.1, ::1, localhost) only.`,
    };
  }
  const path = withoutTrailingSlashes(url.pathname);
  // Endpoints of both kinds serve under a version path. A bare origin gets the usual one.
  return { baseUrl: `${url.origin}${path === '' ? '/v1' : path}` };
}
