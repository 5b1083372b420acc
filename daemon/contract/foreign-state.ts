import { type Static, Type } from 'typebox';

/** Why state was set aside: this machine did not make it, it is a copy of another project's, or git tracks files of it. */
export const SET_ASIDE_REASONS = ['unknown', 'copy', 'tracked'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

/** State that was not this machine's own, moved out of the way whole and unread. */
export const ForeignState = Type.Object(
  {
    folders: Type.Array(
      Type.Object({
        folder: Type.String({ description: 'Relative to the project, such as `.mesh/foreign-20260102T030405Z`.' }),
        reason: Type.Union(
          [
            Type.Unsafe<SetAsideReason>(Type.String({ enum: [...SET_ASIDE_REASONS] })),
            Type.Null({ description: 'It was set aside by an earlier start.' }),
          ],
          { description: 'Why this start set it aside.' },
        ),
        sentence: Type.String({ description: 'What happened, and how to take it over.' }),
      }),
    ),
  },
  { $id: 'ForeignState' },
);
export type ForeignState = Static<typeof ForeignState>;

/** What `meshd adopt` takes over or leaves, group by group. `records` must be taken for the three after it. */
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

/** One group of what was set aside. */
export interface AdoptableGroup {
  group: AdoptGroup;
  /** What it lets whoever wrote it do, in a sentence. */
  title: string;
  /** What it holds, by name or as numbers; empty when there is nothing. */
  holds: readonly string[];
  /** Why it cannot be taken over. */
  problem?: string;
}

/** What `meshd adopt --json` prints. */
export interface Adoption {
  folder: string;
  groups: readonly (AdoptableGroup & { taken: boolean })[];
  /** Where what was there before lies now; null when nothing was taken. */
  aside: string | null;
  /** Whether the folder was removed, since everything in it was taken over. */
  removed: boolean;
}
