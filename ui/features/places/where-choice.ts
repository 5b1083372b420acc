import type { Where } from '../../../daemon/contract/clusters.js';

/** A place as the wire takes it: a point and what people read. */
export interface LocatedPlace {
  label: string;
  lat: number;
  lon: number;
}

/** Whether a place is a point on the map, and not words only or none. */
export const isLocated = (where: Where | undefined): where is LocatedPlace =>
  typeof where === 'object' && 'lat' in where && 'lon' in where;

/** What somebody says about where something is, while they say it. */
export type WhereChoice =
  /** Nothing of its own: what stands above decides. */
  | { kind: 'inherit' }
  | { kind: 'place'; place?: LocatedPlace | undefined }
  /** Words that are no point: no distance finds it. */
  | { kind: 'words'; label: string }
  /** At no place, whatever stands above. */
  | { kind: 'none' };

export const LABEL_MAX_CHARS = 200;

/** The choice as the wire has it; undefined for nothing of its own. A choice with a problem comes to nothing. */
export function whereOf(choice: WhereChoice): Where | undefined {
  if (choice.kind === 'none') return 'none';
  if (choice.kind === 'place') return choice.place;
  return choice.kind === 'words' && choice.label.trim() !== '' ? { label: choice.label.trim() } : undefined;
}

export function choiceOf(where: Where | undefined): WhereChoice {
  if (where === undefined) return { kind: 'inherit' };
  if (where === 'none') return { kind: 'none' };
  return isLocated(where) ? { kind: 'place', place: where } : { kind: 'words', label: where.label };
}

/** What is missing from a choice; undefined when nothing is. */
export function whereProblem(choice: WhereChoice): string | undefined {
  if (choice.kind === 'place' && choice.place === undefined)
    return 'Choose a place from the suggestions, or on the map.';
  if (choice.kind === 'words' && choice.label.trim() === '') return 'Describe the place in a few words.';
  return undefined;
}
