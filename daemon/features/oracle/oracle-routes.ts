import { Type } from 'typebox';
import { FeedbackBody, SearchBody, SearchQuery, type SearchResult } from '../../contract/network/oracle.js';
import type { App } from '../../http/route-types.js';
import { MeshError } from '../../lib/errors.js';
import type { Oracle } from './oracle.js';

/**
 * The routes of agent search: search by body and by query string, and feedback. Public, like the catalog. Contract:
 * Oracle.
 */
export async function oracleRoutes(app: App, { oracle }: { oracle: Oracle }): Promise<void> {
  const config = { access: 'public' } as const;
  const tags = ['oracle'];

  app.post<{ Body: SearchBody }>(
    '/v1/search',
    {
      config,
      schema: { summary: 'Search for agents', tags, body: SearchBody, response: { 200: Type.Ref('SearchResult') } },
    },
    ({ body }): Promise<SearchResult> =>
      oracle.search({
        query: getQuery(body),
        filters: body.filters ?? {},
        explain: body.explain ?? false,
      }),
  );

  app.get<{ Querystring: SearchQuery }>(
    '/v1/search',
    {
      config,
      schema: {
        summary: 'Search for agents',
        tags,
        querystring: SearchQuery,
        response: { 200: Type.Ref('SearchResult') },
      },
    },
    ({ query: { q, explain, ...filters } }): Promise<SearchResult> =>
      oracle.search({ query: q ?? '', filters, explain: explain ?? false }),
  );

  app.post<{ Body: FeedbackBody }>(
    '/v1/feedback',
    {
      config,
      schema: {
        summary: 'Report that a message after a search was delivered',
        tags,
        body: FeedbackBody,
        response: { 200: Type.Ref('FeedbackResult') },
      },
    },
    async ({ body }) => {
      await oracle.feedback(body);
      return { status: 'ok' as const };
    },
  );
}

/** Returns the words given as `query` or its alias `prompt`. Throws `bad_request` when the two differ. */
function getQuery({ query, prompt }: SearchBody): string {
  if (query !== undefined && prompt !== undefined && query !== prompt) {
    throw new MeshError('bad_request', '`prompt` is another word for `query`: give one of them.', {
      details: { path: 'prompt' },
    });
  }
  return query ?? prompt ?? '';
}
