import { jsonExtent } from './json-body.js';

interface JsonLimits {
  depth: number;
  values?: number;
}

/**
 * Parses JSON that another daemon wrote or sent. Returns undefined for bytes that are not JSON in UTF-8, and for a
 * value beyond the limits: they are computed before anything is parsed.
 */
export function parseUntrustedJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  const { depth, values } = jsonExtent(bytes);
  if (depth > limits.depth || values > (limits.values ?? Number.POSITIVE_INFINITY)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
