import { queryOptions } from '@tanstack/react-query';
import gazetteerAddress from '#data/gazetteer.bin?url';
import { Gazetteer } from './gazetteer.js';
import { readGazetteerFile } from './gazetteer-file.js';

/** The bundled gazetteer, loaded from the daemon when a place is first needed. */
export const gazetteerQuery = () =>
  queryOptions({
    queryKey: ['gazetteer'],
    queryFn: async ({ signal }) => {
      const answer = await fetch(gazetteerAddress, { signal });
      if (!answer.ok) throw new Error(`The gazetteer was not served (${answer.status}).`);
      return new Gazetteer(readGazetteerFile(new Uint8Array(await answer.arrayBuffer())));
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    // The file never changes, so an invalidation of all queries does not reload it.
    refetchOnMount: false,
    structuralSharing: false,
  });
