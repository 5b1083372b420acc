import { Ajv, type ErrorObject } from 'ajv';
import { CARD_LIMIT, Tier1Card } from '../../contract/network/agents.js';
import { MeshError } from '../errors.js';
import { describeRefused } from '../text/refused-value.js';

const KEYS = new Set(Object.keys(Tier1Card.properties));
const MEDIA_TYPE =
  /^(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)(?:;[ \t]*[a-z0-9!#$&^_.+-]+=[^\s;"]+)*$/i;

/** Compiled at the first card: a daemon without registrations does not wait for it. */
let validator: { (card: unknown): boolean; errors?: ErrorObject[] | null | undefined } | undefined;
const validate = () => {
  // Verbose: an error has the value that was refused.
  const options = { strict: false, allErrors: false, meta: false, validateSchema: false, verbose: true };
  validator ??= new Ajv(options).compile(Tier1Card);
  return validator;
};

const bad = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });

/** Whether `http:` to this host never leaves the machine. */
function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * Throws unless `endpoint` is an absolute `https:` URL without credentials, fragment or port 0. Throws
 * `plaintext_endpoint` for `http:` on a host other than this machine (`http:` on a loopback host is allowed, because
 * this hub itself listens on loopback only), and `bad_request` for anything else. Spec: Agent requirements.
 */
export function checkEndpoint(endpoint: string, path = 'endpoint'): void {
  // A URL parser drops or escapes invisible characters, but the endpoint is stored and shown as sent.
  const isPlain = endpoint.length <= 2048 && !/[\p{C}\p{Z}]/u.test(endpoint);
  const url = isPlain && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw bad(path, `"${path}" must be an https: URL.`);
  if (url.username !== '' || url.password !== '') throw bad(path, `"${path}" must not carry credentials.`);
  if (endpoint.includes('#')) throw bad(path, `"${path}" must not have a fragment.`);
  if (url.port === '0') throw bad(path, `"${path}" must not name port 0.`);
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new MeshError('plaintext_endpoint', `"${path}" is plain http: serve the agent over https.`, {
      details: { path },
    });
  }
}

/** Converts a schema error to an error of the contract. */
function fromSchema(error: ErrorObject, at: string): MeshError {
  const steps = error.instancePath.split('/').slice(1);
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'additionalProperties') {
    const key = [...steps, String(params['additionalProperty'])].join('.');
    return unknownKeys([key], at);
  }
  if (error.keyword === 'enum')
    return bad([at, ...steps].join('.'), `"${[at, ...steps].join('.')}" must be one of ${allowed(params)}.`);
  if (error.keyword === 'required') steps.push(String(params['missingProperty']));
  const path = [at, ...steps].join('.');
  if (error.keyword === 'required') return bad(path, `"${path}" is required.`);
  const value = error.keyword === 'pattern' ? describeRefused(path, error.data) : '';
  return bad(path, `"${path}" ${error.message ?? 'is not valid'}${value}.`);
}

const allowed = ({ allowedValues }: Record<string, unknown>) => (allowedValues as string[]).join(', ');

const unknownKeys = (keys: string[], at: string) =>
  new MeshError(
    'unknown_card_key',
    `A discovery card holds only ${[...KEYS].join(', ')}: leave out ${keys.join(', ')}.`,
    {
      details: { path: at, keys },
    },
  );

/**
 * Returns `value` as a valid discovery card, unchanged: it is stored as sent. Throws `unknown_card_key` with `keys` for
 * keys outside the allow-list, `plaintext_endpoint`, and `bad_request` with `path` for any other error (including a
 * size above 32 KiB). `at` is the path of the card in the body. Spec: Tier-1 discovery card.
 */
export function checkedCard(value: unknown, at = 'agent_card'): Tier1Card {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(at, `"${at}" must be an object.`);
  const unknown = Object.keys(value).filter((key) => !KEYS.has(key));
  if (unknown.length > 0) throw unknownKeys(unknown, at);
  if (Buffer.byteLength(JSON.stringify(value)) > CARD_LIMIT)
    throw bad(at, `"${at}" is larger than ${CARD_LIMIT} bytes.`);
  const check = validate();
  if (!check(value)) throw fromSchema(check.errors?.[0] as ErrorObject, at);
  const card = value as Tier1Card;
  if (card.endpoint !== undefined) checkEndpoint(card.endpoint, `${at}.endpoint`);
  // Not in the schema, by which commands that other daemons sent before are checked too.
  if (card.category?.includes('.') === false) {
    const path = `${at}.category`;
    throw bad(path, `"${path}" must be dotted, such as media.image${describeRefused(path, card.category)}.`);
  }
  for (const key of ['accepts', 'produces'] as const) {
    const index = card[key]?.findIndex((type) => !MEDIA_TYPE.test(type)) ?? -1;
    if (index >= 0)
      throw bad(`${at}.${key}.${index}`, `"${at}.${key}.${index}" must be a media type such as text/plain.`);
  }
  if (card.pricing?.currency === 'lamports' && !Number.isSafeInteger(card.pricing.amount)) {
    throw bad(`${at}.pricing.amount`, `"${at}.pricing.amount" must be an integer for lamports.`);
  }
  return card;
}
