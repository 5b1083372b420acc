import { MeshError } from '../errors.js';

/** `Date.parse` alone takes "7" for July 2001. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]|$)/;

/**
 * Returns the time of the query parameter `name` in epoch milliseconds, undefined when it is absent. Throws
 * `bad_request` that names the parameter.
 */
export function parseQueryTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new MeshError('bad_request', `"${name}" must be an ISO 8601 time, such as 2026-11-27T08:00:00Z.`, {
      details: { path: name },
    });
  return ms;
}
