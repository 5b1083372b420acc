import { Type } from 'typebox';
import {
  type MemberTests,
  type MemberTestsList,
  MemberTestsRun,
  MemberTestsText,
  RequestTest,
} from '../../contract/member-tests.js';
import type { App } from '../../http/route-types.js';
import type { TestedMembers } from './tested-members.js';

interface Params {
  id: string;
}

/** Registers the operator's routes for contract tests of members. */
export async function memberTestsRoutes(app: App, { tested }: { tested: TestedMembers }): Promise<void> {
  addRequestRoute(app, tested);
  const tags = ['team'];
  const whole = { 200: Type.Ref('MemberTests') };

  app.get(
    '/tests',
    {
      schema: {
        summary: 'Summary of the contract tests of all members',
        tags,
        response: { 200: Type.Ref('MemberTestsList') },
      },
    },
    (): Promise<MemberTestsList> => tested.list(),
  );

  app.get<{ Params: Params }>(
    '/team/:id/tests',
    { schema: { summary: 'Contract tests of a member and their last run', tags, response: whole } },
    (request): Promise<MemberTests> => tested.get(request.params.id),
  );

  app.put<{ Params: Params; Body: MemberTestsText }>(
    '/team/:id/tests',
    { schema: { summary: 'Write the tests of a member', tags, body: MemberTestsText, response: whole } },
    (request): Promise<MemberTests> => tested.write(request.params.id, request.body),
  );

  app.post<{ Params: Params; Body: MemberTestsRun }>(
    '/team/:id/tests/run',
    {
      schema: {
        summary: 'Run all or some tests; returns at once',
        tags,
        body: MemberTestsRun,
        response: { 202: Type.Ref('MemberTests') },
      },
    },
    async (request, reply): Promise<MemberTests> =>
      reply.code(202).send(await tested.run(request.params.id, request.body)),
  );

  app.post<{ Params: Params }>(
    '/team/:id/tests/cancel',
    { schema: { summary: 'Cancel the running tests', tags, response: whole } },
    (request): Promise<MemberTests> => tested.cancel(request.params.id),
  );
}

function addRequestRoute(app: App, tested: TestedMembers): void {
  app.post<{ Params: { rid: string }; Body: RequestTest }>(
    '/requests/:rid/test',
    {
      schema: {
        summary: 'Make the question of a request one of the tests of its member',
        tags: ['requests'],
        body: RequestTest,
        response: { 201: Type.Ref('MemberTests') },
      },
    },
    async (request, reply): Promise<MemberTests> =>
      reply.code(201).send(await tested.addFromRequest(request.params.rid, request.body)),
  );
}
