import { MeshError } from './errors.js';

/**
 * The `internal` for a part of the program that is no longer installed: another build has taken the place of the one
 * that runs, and has removed its parts.
 */
export const explainMissingPart = (cause: unknown): MeshError =>
  new MeshError('internal', 'meshd was replaced while this daemon runs: `meshd down && meshd up`.', { cause });
