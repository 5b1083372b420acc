import { Type } from 'typebox';
import { type RefusedList, RefusedQuery, UsageQuery, type UsageReport } from '../../contract/usage.js';
import type { App } from '../../http/route-types.js';
import type { RefusedCallCounter } from './refused-calls.js';
import type { Usage } from './usage.js';

interface UsageRoutesParts {
  usage: Usage;
  refused: RefusedCallCounter;
}

/** The routes of usage over time and of refused calls, for the operator. */
export async function usageRoutes(app: App, { usage, refused }: UsageRoutesParts): Promise<void> {
  app.get<{ Querystring: UsageQuery }>(
    '/usage',
    {
      schema: {
        summary: 'Asks, answers, latency, tokens and cost over time, by member, client and caller',
        tags: ['requests'],
        querystring: UsageQuery,
        response: { 200: Type.Ref('UsageReport') },
      },
    },
    (request): Promise<UsageReport> => usage.report(request.query),
  );

  app.get<{ Querystring: RefusedQuery }>(
    '/requests/refused',
    {
      schema: {
        summary: 'Calls of programs that were refused (401, 402, 429), counted',
        tags: ['requests'],
        querystring: RefusedQuery,
        response: { 200: Type.Ref('RefusedList') },
      },
    },
    (request): Promise<RefusedList> => refused.list(request.query),
  );
}
