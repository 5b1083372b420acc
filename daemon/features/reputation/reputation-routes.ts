import { Type } from 'typebox';
import {
  ReportBody,
  type ReportFiled,
  type ReportLog,
  type Reputation as ReputationRecord,
} from '../../contract/network/reputation.js';
import { PageQuery } from '../../contract/shared/paging.js';
import { parseIdempotencyKey } from '../../http/callers/idempotency-key.js';
import type { SignedCaller, SignedCallers } from '../../http/callers/signed-caller.js';
import type { App } from '../../http/route-types.js';
import type { Reputation } from './reputation.js';
import { reportScope } from './reputation-store.js';

const NoQuery = Type.Object({}, { additionalProperties: false });

/** The routes of the reputation bureau: filing of signed reports, scores, and the signed log. */
export async function reputationRoutes(
  app: App,
  { reputation, callers }: { reputation: Reputation; callers: SignedCallers },
): Promise<void> {
  const signers = new WeakMap<object, SignedCaller>();

  app.post<{ Params: { agent_id: string }; Body: ReportBody }>(
    '/v1/agents/:agent_id/feedback',
    {
      config: { access: 'public' },
      schema: {
        summary: 'File a signed report about a supplier',
        description:
          'Signed with Mesh-Sig. Either dims, or outcomes from which they are computed; a receipt or a settled ' +
          'payment makes it weigh more.',
        tags: ['reputation'],
        querystring: NoQuery,
        body: ReportBody,
        response: { 200: Type.Ref('ReportFiled') },
      },
      preValidation: async (request) => void signers.set(request.raw, await callers.get(request)),
    },
    async (request): Promise<ReportFiled> => {
      const signed = signers.get(request.raw) as SignedCaller;
      const key = parseIdempotencyKey(request, reportScope(request.params.agent_id, signed.pubkey));
      return reputation.file(request.params.agent_id, request.body, signed, key);
    },
  );

  app.get<{ Params: { agent_id: string } }>(
    '/v1/reputation/:agent_id',
    {
      config: { access: 'public' },
      schema: { summary: 'An agent’s reputation', tags: ['reputation'], response: { 200: Type.Ref('Reputation') } },
    },
    async (request): Promise<ReputationRecord> => reputation.of(request.params.agent_id),
  );

  app.get<{ Params: { agent_id: string }; Querystring: PageQuery }>(
    '/v1/reputation/:agent_id/reports',
    {
      config: { access: 'public' },
      schema: {
        summary: 'The signed reports about an agent, oldest first, with the rule that makes the score of them',
        tags: ['reputation'],
        querystring: PageQuery,
        response: { 200: Type.Ref('ReportLog') },
      },
    },
    async (request): Promise<ReportLog> => reputation.log(request.params.agent_id, request.query),
  );
}
