import type { Where } from '../../../daemon/contract/clusters.js';

/** A place in the API's form: a point and its label. */
export interface LocatedPlace {
  label: string;
  lat: number;
  lon: number;
}

/** Reports whether a place has a point, and is not only words or none. */
export const isLocated = (where: Where | undefined): where is LocatedPlace =>
  typeof where === 'object' && 'lat' in where && 'lon' in where;

/** The state of a place field. */
export type WhereChoice =
  /** No own value; that of the level above applies. */
  | { kind: 'inherit' }
  | { kind: 'place'; place?: LocatedPlace | undefined }
  /** Words without a point, which no search by distance finds. */
  | { kind: 'words'; label: string }
  /** No place, whatever the value of the level above. */
  | { kind: 'none' };

export const LABEL_MAX_CHARS = 200;

/** Converts the choice to the API's form; undefined for an inherited or incomplete one. */
export function toWhere(choice: WhereChoice): Where | undefined {
  if (choice.kind === 'none') return 'none';
  if (choice.kind === 'place') return choice.place;
  return choice.kind === 'words' && choice.label.trim() !== '' ? { label: choice.label.trim() } : undefined;
}

export function toWhereChoice(where: Where | undefined): WhereChoice {
  if (where === undefined) return { kind: 'inherit' };
  if (where === 'none') return { kind: 'none' };
  return isLocated(where) ? { kind: 'place', place: where } : { kind: 'words', label: where.label };
}

/** Returns what is missing in a choice; undefined when it is complete. */
export function whereProblem(choice: WhereChoice): string | undefined {
  if (choice.kind === 'place' && choice.place === undefined)
    return 'Choose a place from the suggestions, or on the map.';
  if (choice.kind === 'words' && choice.label.trim() === '') return 'Describe the place in a few words.';
  return undefined;
}
