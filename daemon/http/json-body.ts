import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MeshError } from '../lib/errors.js';

const MAX_DEPTH = 32;

/** How deep the arrays and objects of a JSON text are nested, read off the text so that no parser ever recurses into it. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (code === 0x5c) i += 1;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return deepest;
}

const RAW = new WeakMap<object, string>();

/** The body of `request` as it was sent, word for word; empty when there was none. */
export function rawBodyOf(request: FastifyRequest): string {
  return RAW.get(request.raw) ?? '';
}

/**
 * Bodies are `application/json` and nothing else. An empty one counts as none, so that a GET or DELETE may carry the header; poisoned
 * keys (`__proto__`, `constructor.prototype`) and nesting beyond 32 levels are refused.
 */
export function acceptOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text.length === 0) return done(null, undefined);
    if (jsonDepth(text) > MAX_DEPTH) {
      return done(
        new MeshError('bad_request', `The body is nested deeper than ${MAX_DEPTH} levels.`, { details: { path: '' } }),
      );
    }
    if (request.headers['mesh-sig'] !== undefined) RAW.set(request.raw, text);
    return parse(request, text, done);
  });
}
