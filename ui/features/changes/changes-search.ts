/** The query of the page of changes. */
export interface ChangesSearch {
  /** The checkpoints between which is compared. */
  since?: string | undefined;
  until?: string | undefined;
  view?: 'split' | undefined;
  spaces?: 'ignore' | undefined;
  /** Viewed files are left out. */
  viewed?: 'hidden' | undefined;
  merge?: 'shown' | undefined;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const only = <T extends string>(value: unknown, word: T) => (value === word ? word : undefined);

/** Returns the valid parameters of the query. */
export const readChangesSearch = (search: ChangesSearch): ChangesSearch => ({
  since: text(search.since),
  until: text(search.until),
  view: only(search.view, 'split'),
  spaces: only(search.spaces, 'ignore'),
  viewed: only(search.viewed, 'hidden'),
  merge: only(search.merge, 'shown'),
});
