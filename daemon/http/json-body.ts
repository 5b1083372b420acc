import type { FastifyRequest } from 'fastify';
import { BODY_VALUES_MAX } from '../contract/limits.js';
import { waitForTick } from '../lib/async/loop-ticks.js';
import { MeshError } from '../lib/errors.js';
import type { AnyRequest, App } from './route-types.js';

const MAX_DEPTH = 32;
/** A body up to this size in bytes is read at once. A larger one waits for event loop ticks. */
const SMALL_BYTES = 4_096;

/**
 * The extent of a JSON text. It is computed on the UTF-8 bytes, so that no parser recurses into the text or creates
 * objects.
 */
interface JsonExtent {
  /** The nesting depth of arrays and objects. */
  depth: number;
  /** An upper bound of the number of values: counts separators and opening brackets of arrays and objects. */
  values: number;
}

export function jsonExtent(text: Uint8Array): JsonExtent {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let isInString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text[i];
    if (isInString) {
      if (code === 0x5c) i += 1;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x2c) values += 1;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return { depth: deepest, values };
}

/** Returns the nesting depth of the arrays and objects of a JSON text. */
export const jsonDepth = (text: string): number => jsonExtent(Buffer.from(text)).depth;

const RAW = new WeakMap<object, string>();

/**
 * Returns the body of a request that carries `Mesh-Sig`, exactly as it was sent; empty for other requests and without a
 * body.
 */
export function getRawBody(request: AnyRequest): string {
  return RAW.get(request.raw) ?? '';
}

/**
 * Throws `bad_request` for a text that is nested too deep, and `too_large` for one with too many values. The time to
 * parse a text depends on the number of its values rather than on its length.
 */
function checkExtent(text: Uint8Array, request: AnyRequest): void {
  const { depth, values } = jsonExtent(text);
  if (depth > MAX_DEPTH)
    throw new MeshError('bad_request', `The body is nested deeper than ${MAX_DEPTH} levels.`, {
      details: { path: '' },
    });
  const { access = 'operator' } = request.routeOptions.config;
  if (values > BODY_VALUES_MAX && access !== 'operator') {
    throw new MeshError(
      'too_large',
      `The body holds more than ${BODY_VALUES_MAX} values: send fewer at a time, or as one text.`,
    );
  }
}

/**
 * Makes the routes of `scope` accept bodies of `types` only and parse them as JSON. An empty body counts as none, so
 * that a GET or DELETE may carry the header. Poisoned keys (`__proto__`, `constructor.prototype`), nesting beyond 32
 * levels and, on routes of other callers than the operator, more than 10,000 values are refused. No two large bodies
 * are read in the same event loop tick, and none is scanned, decoded, parsed and handled in one tick: each step takes
 * milliseconds for a large body.
 */
export function acceptJson(scope: App, types: readonly string[]): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  const parsed = (request: FastifyRequest, text: string) =>
    new Promise<unknown>((resolve, reject) => {
      void parse(request, text, (error, body) => (error ? reject(error) : resolve(body)));
    });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser([...types], { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    const turn = bytes.length > SMALL_BYTES ? waitForTick : () => undefined;
    if (bytes.length === 0) return undefined;
    await turn();
    checkExtent(bytes, request);
    await turn();
    const text = bytes.toString();
    if (request.headers['mesh-sig'] !== undefined) RAW.set(request.raw, text);
    await turn();
    const body = await parsed(request, text);
    await turn();
    return body;
  });
}

/** Accepts `application/json` bodies only. */
export const acceptOnlyJson = (app: App): void => acceptJson(app, ['application/json']);
