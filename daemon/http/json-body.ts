import type { FastifyRequest } from 'fastify';
import { BODY_VALUES_MAX } from '../contract/limits.js';
import { MeshError } from '../lib/errors.js';
import { nextTurn } from '../lib/loop-turns.js';
import type { AnyRequest, App } from './route-types.js';

const MAX_DEPTH = 32;
/** Bytes of a body that is read at once; a larger one waits for turns of the event loop. */
const SMALL_BYTES = 4_096;

/** What a JSON text holds, read off its UTF-8 so that no parser ever recurses into it or makes objects of it. */
export interface JsonExtent {
  /** How deep its arrays and objects are nested. */
  depth: number;
  /** At least as many as it has values: the separators of arrays and objects, and what they open. */
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

/** How deep the arrays and objects of a JSON text are nested. */
export const jsonDepth = (text: string): number => jsonExtent(Buffer.from(text)).depth;

const RAW = new WeakMap<object, string>();

/** The body of `request` as it was sent, word for word; empty when there was none. */
export function rawBodyOf(request: AnyRequest): string {
  return RAW.get(request.raw) ?? '';
}

/**
 * Throws for a text that would be deep, or long, to parse. How long that takes depends on how much a text holds
 * rather than on its length.
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
 * Has the routes of `scope` read bodies of `types` and nothing else, as JSON. An empty one counts as none, so that a
 * GET or DELETE may carry the header;
 * poisoned keys (`__proto__`, `constructor.prototype`), nesting beyond 32 levels and, of callers, more than 10,000
 * values are refused. No two bodies are read in the same turn of the loop, and none is looked through, decoded, parsed
 * and handled in one: each takes milliseconds for a large body.
 */
export function acceptJson(scope: App, types: readonly string[]): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  const parsed = (request: FastifyRequest, text: string) =>
    new Promise<unknown>((resolve, reject) => {
      void parse(request, text, (error, body) => (error ? reject(error) : resolve(body)));
    });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser([...types], { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    const turn = bytes.length > SMALL_BYTES ? nextTurn : () => undefined;
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

/** Bodies are `application/json` and nothing else. */
export const acceptOnlyJson = (app: App): void => acceptJson(app, ['application/json']);
