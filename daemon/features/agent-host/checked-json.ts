import type { SchemaMistake } from '../../lib/agents/skill-schema.js';
import { MeshError } from '../../lib/errors.js';
import type { HostedSkill } from './agent-spec.js';

/** Maximum size of an output that is sent or stored for replays. */
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;

const named = ({ path, said }: SchemaMistake, whole: string) => `${path === '' ? whole : `"${path}"`} ${said}`;

/**
 * Validates the input of a call. Throws `unknown_key` or `bad_request` with the `path` of the field that violates the
 * input schema.
 */
export function checkedInput(skill: HostedSkill, input: unknown): Record<string, unknown> {
  const given = input ?? {};
  const mistake = skill.checkInput(given);
  if (!mistake && (typeof given !== 'object' || Array.isArray(given))) {
    throw new MeshError('bad_request', 'The input must be an object.', { details: { path: '' } });
  }
  if (!mistake) return given as Record<string, unknown>;
  const { path, unknownKey } = mistake;
  throw new MeshError(unknownKey === undefined ? 'bad_request' : 'unknown_key', `${named(mistake, 'The input')}.`, {
    details: unknownKey === undefined ? { path } : { path, key: unknownKey },
  });
}

/**
 * Returns the output of a skill as parsed JSON. Throws `overloaded` when it is not serializable, too large, or violates
 * the output schema.
 */
export function checkedOutput({ id, checkOutput }: HostedSkill, output: unknown): unknown {
  const text = toJson(output);
  if (text === undefined) throw new MeshError('overloaded', `The skill ${id} failed: its answer is no JSON.`);
  if (Buffer.byteLength(text) > OUTPUT_BYTES_MAX)
    throw new MeshError('overloaded', `The skill ${id} failed: its answer is larger than ${OUTPUT_BYTES_MAX} bytes.`);
  const value: unknown = JSON.parse(text);
  const mistake = checkOutput?.(value);
  if (mistake)
    throw new MeshError(
      'overloaded',
      `The skill ${id} failed: its answer does not fit its output schema: ${named(mistake, 'it')}.`,
    );
  return value;
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
