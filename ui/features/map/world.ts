import { queryOptions } from '@tanstack/react-query';
import worldAddress from '#data/world.json?url';
import nearAddress from '#data/world-near.json?url';
import { outlinePath, type World } from './projection.js';

const STAYS = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, refetchOnMount: false } as const;

async function readOutline(address: string, digits: number, signal: AbortSignal): Promise<string> {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`The map was not served (${answer.status}).`);
  return outlinePath((await answer.json()) as World, digits);
}

/** Countries as one path on the sheet, fine enough for the whole world. */
export const worldQuery = () =>
  queryOptions({ queryKey: ['world', 'far'], queryFn: ({ signal }) => readOutline(worldAddress, 1, signal), ...STAYS });

/** The same for a closer look. */
export const nearWorldQuery = () =>
  queryOptions({ queryKey: ['world', 'near'], queryFn: ({ signal }) => readOutline(nearAddress, 2, signal), ...STAYS });
