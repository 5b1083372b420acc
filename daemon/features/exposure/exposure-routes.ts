import { Type } from 'typebox';
import type { App } from '../../http/route-types.js';
import type { Exposure } from './exposure.js';

const MemberParams = Type.Object({ id: Type.String() });

/** Registers the operator's routes for exposure and token rotation. Contract: Team. */
export async function exposureRoutes(app: App, { exposure }: { exposure: Exposure }): Promise<void> {
  app.post(
    '/team/:id/token/rotate',
    {
      schema: {
        summary: 'Replace the token of an exposed member; the old one stops working at once',
        tags: ['team'],
        params: MemberParams,
        response: { 200: Type.Ref('TokenRotated') },
      },
    },
    ({ params }) => exposure.rotate(params.id),
  );

  app.post(
    '/team/:id/expose',
    {
      schema: {
        summary: 'Expose a member; for one that needs approval this is the approval',
        description: '409 `tests_failed` when its tests hold it; the agreement is recorded all the same.',
        tags: ['team'],
        params: MemberParams,
        response: { 200: Type.Ref('MemberDetail') },
      },
    },
    ({ params }) => exposure.expose(params.id),
  );

  app.post(
    '/team/:id/keep-internal',
    {
      schema: {
        summary: 'Keep a member that needs approval internal, without changing its file',
        description: '409 `not_waiting` for a member that is exposed.',
        tags: ['team'],
        params: MemberParams,
        response: { 200: Type.Ref('MemberDetail') },
      },
    },
    ({ params }) => exposure.keepInternal(params.id),
  );
}
