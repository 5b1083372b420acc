import { queryOptions } from '@tanstack/react-query';
import worldAddress from '#data/world.json?url';
import nearAddress from '#data/world-near.json?url';
import { countryNames, outlinePath, type World } from './projection.js';

const NEVER_STALE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  refetchOnMount: false,
} as const;

async function readWorld(address: string, signal: AbortSignal): Promise<World> {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`The map was not served (${answer.status}).`);
  return (await answer.json()) as World;
}

/** The countries as one SVG path, precise enough for the whole world, and their names. */
export const worldQuery = () =>
  queryOptions({
    queryKey: ['world', 'far'],
    queryFn: async ({ signal }) => {
      const world = await readWorld(worldAddress, signal);
      return { land: outlinePath(world, 1), names: countryNames(world) };
    },
    ...NEVER_STALE,
  });

/** The countries as a finer path, for a closer view. */
export const nearWorldQuery = () =>
  queryOptions({
    queryKey: ['world', 'near'],
    queryFn: async ({ signal }) => outlinePath(await readWorld(nearAddress, signal), 2),
    ...NEVER_STALE,
  });
