import { MeshError } from '../errors.js';

/**
 * Returns the time of the query parameter `name` in epoch milliseconds, undefined when it is absent. Throws
 * `bad_request` that names the parameter.
 */
export function parseQueryTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new MeshError('bad_request', `"${name}" must be an ISO 8601 time, such as 2026-11-27T08:00:00Z.`, {
      details: { path: name },
    });
  return ms;
}
