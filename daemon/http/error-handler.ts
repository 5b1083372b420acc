import { randomUUID } from 'node:crypto';
import type { FastifyError } from 'fastify';
import type { ErrorBody, ErrorCode } from '../contract/errors.js';
import { diskRefusal } from '../lib/disk-errors.js';
import { MeshError } from '../lib/errors.js';
import { describeRefused } from '../lib/text/refused-value.js';
import { isForPerson, refusalPage } from './refusal-page.js';
import type { AnyReply, AnyRequest } from './route-types.js';

/** Maps every error code to its HTTP status. A code without a status does not compile. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unknown_key: 400,
  unknown_card_key: 400,
  reserved_agent_id: 400,
  plaintext_endpoint: 400,
  self_report: 400,
  proof_format: 400,
  secret_in_member_file: 400,
  payment_required: 402,
  nonce_spent: 402,
  insufficient_funds: 402,
  budget_exceeded: 402,
  unauthorized: 401,
  bad_signature: 401,
  forbidden_origin: 403,
  forbidden: 403,
  age_gated: 403,
  not_found: 404,
  board_not_found: 404,
  post_not_found: 404,
  agent_id_claimed: 409,
  member_exists: 409,
  member_protected: 409,
  immutable_field: 409,
  not_exposed: 409,
  singleton_busy: 409,
  member_bound: 409,
  member_gone: 409,
  not_empty: 409,
  not_waiting: 409,
  tests_failed: 409,
  no_working_client: 409,
  no_editor: 409,
  boards_disabled: 409,
  slug_taken: 409,
  limit_reached: 409,
  board_full: 409,
  board_limit: 409,
  in_flight: 409,
  file_changed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  wrong_host: 421,
  upgrade_required: 426,
  post_too_long: 422,
  idempotency_mismatch: 422,
  too_many_requests: 429,
  internal: 500,
  overloaded: 503,
  daemon_restarted: 503,
  network_unavailable: 503,
  store_readonly: 503,
  deadline: 504,
  no_space: 507,
};

type ValidationError = NonNullable<FastifyError['validation']>[number];

const getSteps = (error: ValidationError): string[] =>
  error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns the location in the request that violates a schema, as a dotted path. */
const getPath = (error: ValidationError, ...further: string[]): string => [...getSteps(error), ...further].join('.');

/** Returns the value that violates a schema. Headers are left out: they may hold secrets. */
function getValue(error: ValidationError, context: string, request: AnyRequest): unknown {
  const parts: Record<string, unknown> = { body: request.body, querystring: request.query, params: request.params };
  let value = parts[context];
  for (const step of getSteps(error)) value = (value as Record<string, unknown> | undefined)?.[step];
  return value;
}

const ARTICLES: Readonly<Record<string, string>> = { integer: 'an integer', array: 'a list', object: 'an object' };
/** By the keywords without `min` or `max`. */
const UNITS: Readonly<Record<string, string>> = { Length: 'character', Items: 'item', Properties: 'field' };

/** Describes what a valid value would be, for a value that violates a schema. */
function describeViolation({ keyword, message = 'is not valid', params: given }: ValidationError): string {
  const params = given as Record<string, unknown>;
  const unit = UNITS[keyword.slice(3)];
  if (unit !== undefined)
    return (
      `must have at ${keyword.startsWith('min') ? 'least' : 'most'} ${params['limit']} ` +
      `${unit}${params['limit'] === 1 ? '' : 's'}`
    );
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'enum':
      return `must be one of: ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'type': {
      const types = [params['type']].flat().map((type) => ARTICLES[String(type)] ?? `a ${type}`);
      return `must be ${types.join(' or ')}`;
    }
    case 'pattern':
      return `must have the format ${params['pattern']}`;
    case 'minimum':
    case 'maximum':
      return `must be at ${keyword === 'minimum' ? 'least' : 'most'} ${params['limit']}`;
    case 'exclusiveMinimum':
      return `must be above ${params['limit']}`;
    default:
      return message;
  }
}

function fromValidation(error: FastifyError, validation: ValidationError[], request: AnyRequest): MeshError {
  // A union reports an error for each of its branches. The last error is the union itself; the first is the most
  // specific.
  const first = validation[0] as ValidationError;
  // Fastify sets it on every error of a validation.
  const context = error.validationContext as string;
  const where = context === 'querystring' ? 'query' : context;
  const params = first.params as Record<string, unknown>;
  if (first.keyword === 'additionalProperties') {
    const key = String(params['additionalProperty']);
    const path = getPath(first, key);
    return new MeshError(
      'unknown_key',
      `"${path}" is not a known field${where === 'body' ? '' : ` of the ${where}`}: check its spelling, or ` +
        'leave it out.',
      {
        details: { path, key },
      },
    );
  }
  const path = first.keyword === 'required' ? getPath(first, String(params['missingProperty'])) : getPath(first);
  const subject = path === '' ? `The ${where}` : `"${path}"`;
  const value = first.keyword === 'pattern' ? describeRefused(path, getValue(first, context, request)) : '';
  return new MeshError('bad_request', `${subject} ${describeViolation(first)}${value}.`, { details: { path } });
}

/** Maps refusals of Fastify itself to codes of the contract; undefined for anything that is an internal error. */
function fromFramework(error: FastifyError, request: AnyRequest): MeshError | undefined {
  if (error.validation) return fromValidation(error, error.validation, request);
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new MeshError('unsupported_media_type', 'Send the body as application/json.');
    case 'FST_ERR_NOT_FOUND':
      return new MeshError('not_found', 'There is no such route.');
  }
  const status = error.statusCode ?? 500;
  if (status === 413)
    return new MeshError('too_large', `The body is larger than ${request.routeOptions.bodyLimit} bytes.`);
  if (status >= 400 && status < 500) {
    return new MeshError('bad_request', 'The request is malformed: send a valid path and a JSON body.', {
      details: { path: '' },
    });
  }
  return undefined;
}

/**
 * Sends the response for a thrown error. A MeshError is sent by its code; refusals of the framework and of the disk
 * have the same shape. Any other error is logged in full under a new id, and the response contains only `internal` and
 * that id.
 */
export function answerError(error: unknown, request: AnyRequest, reply: AnyReply): void {
  const known =
    error instanceof MeshError ? error : (fromFramework(error as FastifyError, request) ?? diskRefusal(error));
  if (!known) {
    const id = randomUUID();
    request.log.error({ err: error, id }, 'request failed');
    send(request, reply, 500, { error: 'internal', id });
    return;
  }
  const status = STATUS[known.code];
  if (status >= 500) request.log.warn({ code: known.code, err: known }, 'request refused');
  const seconds = known.details['retry_after'];
  if (typeof seconds === 'number') void reply.header('retry-after', String(Math.max(1, Math.ceil(seconds))));
  if (known.code === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  send(request, reply, status, { error: known.code, message: known.message, ...known.details });
}

/**
 * Sends an error without cutting it to the route's response schema. A browser navigation gets an HTML page, any other
 * request JSON.
 */
function send(request: AnyRequest, reply: AnyReply, status: number, body: ErrorBody): void {
  if (isForPerson(request.raw)) {
    const { html, policy } = refusalPage(body, request.raw);
    void reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .serializer((payload: unknown) => String(payload))
      .send(html);
    return;
  }
  void reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(body);
}
