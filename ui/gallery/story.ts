import type { ReactNode } from 'react';

/** A component in every state, keyed by the state's description. */
export interface Story {
  title: string;
  states: Readonly<Record<string, ReactNode>>;
}
