import { Type } from 'typebox';
import { MemberHistoryQuery } from '../../contract/team.js';
import type { App } from '../../http/route-types.js';
import type { MembersHistory } from './member-history.js';

const Params = Type.Object({ id: Type.String() });
const RevisionParams = Type.Object({
  id: Type.String(),
  commit: Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' }),
});
const tags = ['team'];

/** Registers the operator's routes for the Git history of member files. */
export async function memberHistoryRoutes(app: App, { history }: { history: MembersHistory }): Promise<void> {
  app.get(
    '/history',
    {
      schema: {
        summary: 'How every member file stands against git HEAD',
        tags,
        response: { 200: Type.Ref('RosterHistory') },
      },
    },
    () => history.roster(),
  );

  app.get(
    '/team/:id/history',
    {
      schema: {
        summary: 'The commits that changed a member file, newest first',
        tags,
        params: Params,
        querystring: MemberHistoryQuery,
        response: { 200: Type.Ref('MemberHistory') },
      },
    },
    (request) => history.of(request.params.id, request.query.limit),
  );

  app.get(
    '/team/:id/history/:commit',
    {
      schema: {
        summary: 'A member file as one commit left it, and before it',
        tags,
        params: RevisionParams,
        response: { 200: Type.Ref('MemberRevision') },
      },
    },
    (request) => history.revision(request.params.id, request.params.commit),
  );
}
