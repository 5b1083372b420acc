import type { ReactNode } from 'react';

/** A design element in every state that it can be in: the words say which. */
export interface Story {
  title: string;
  states: Readonly<Record<string, ReactNode>>;
}
