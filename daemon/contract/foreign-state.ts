import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.js';

/**
 * Why state was set aside: this machine did not create it, it is a copy of another project's state, or git tracks files
 * of it.
 */
export const SET_ASIDE_REASONS = ['unknown', 'copy', 'tracked'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

/** State that this machine did not create. It was moved aside completely, without being read. */
export const ForeignState = Type.Object(
  {
    folders: Type.Array(
      Type.Object({
        folder: Type.String({ description: 'Relative to the project, such as `.mesh/foreign-20260102T030405Z`.' }),
        reason: Type.Union(
          [oneOf(SET_ASIDE_REASONS), Type.Null({ description: 'It was set aside by an earlier start.' })],
          { description: 'Why this start set it aside.' },
        ),
        sentence: Type.String({ description: 'What happened, and how to take it over.' }),
      }),
    ),
  },
  { $id: 'ForeignState' },
);
export type ForeignState = Static<typeof ForeignState>;

/** The groups that `meshd adopt` takes over or leaves. The three groups after `records` require `records`. */
export const ADOPT_GROUPS = [
  'tokens',
  'keys',
  'wallets',
  'clusters',
  'settings',
  'records',
  'turns',
  'permissions',
  'calls',
] as const;
export type AdoptGroup = (typeof ADOPT_GROUPS)[number];

/** One group of the state that was set aside. */
export interface AdoptableGroup {
  group: AdoptGroup;
  /** One sentence about what adopting the group lets its author do. */
  title: string;
  /** The contents of the group, as names or numbers; empty if there are none. */
  holds: readonly string[];
  /** Why the group cannot be taken over. */
  problem?: string;
}

/** Output of `meshd adopt --json`. */
export interface Adoption {
  folder: string;
  groups: readonly (AdoptableGroup & { taken: boolean })[];
  /** Folder of the files that the adoption replaced; null when nothing was taken over. */
  aside: string | null;
  /** Whether the folder was removed because all of it was taken over. */
  removed: boolean;
}
