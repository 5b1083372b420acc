import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Exposure } from './exposure.js';

const MemberParams = Type.Object({ id: Type.String() });

/** What the operator does with the tokens of exposed members. Contract: Team. */
export const exposureRoutes =
  (exposure: Exposure): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      '/team/:id/token/rotate',
      {
        schema: {
          summary: 'Replace the token of an exposed member; the old one is dead at once',
          tags: ['team'],
          params: MemberParams,
          response: { 200: Type.Ref('TokenRotated') },
        },
      },
      ({ params }) => exposure.rotate(params.id),
    );
  };
