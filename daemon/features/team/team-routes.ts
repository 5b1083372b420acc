import { Type } from 'typebox';
import {
  DraftRequest,
  type MemberDetail,
  MemberFileText,
  MemberId,
  MemberPatch,
  MemberPatchById,
  NewMember,
} from '../../contract/team.js';
import type { AnyReply, AnyRequest, App } from '../../http/route-types.js';
import { expectedRevision } from './if-match.js';
import type { Team } from './team.js';

const Params = Type.Object({ id: Type.String() });
const tags = ['team'];
const detail = { 200: Type.Ref('MemberDetail') };
const created = { 201: Type.Ref('MemberDetail') };
const removed = { 200: Type.Ref('MemberDeleted') };
const ifMatch = (request: AnyRequest) => expectedRevision(request.headers['if-match']);

/** Sets the member's revision as ETag, for the next `If-Match`. */
function tagged(reply: Pick<AnyReply, 'header'>, member: MemberDetail): MemberDetail {
  void reply.header('etag', `"${member.revision}"`);
  return member;
}

/** Registers the operator's routes for the roster: the contract's team table except the token routes. */
export async function teamRoutes(app: App, { team }: { team: Team }): Promise<void> {
  addRosterRoutes(app, team);
  addChangeRoutes(app, team);
  addReadyMadeRoutes(app, team);
  addFileRoutes(app, team);
}

function addRosterRoutes(app: App, team: Team): void {
  app.get('/team', { schema: { summary: 'The roster', tags, response: { 200: Type.Ref('MemberList') } } }, () =>
    team.list(),
  );

  app.get(
    '/team/:id',
    { schema: { summary: 'One member whole', tags, params: Params, response: detail } },
    async (request, reply) => tagged(reply, await team.get(request.params.id)),
  );

  app.post(
    '/team',
    { schema: { summary: 'Make a member', tags, body: NewMember, response: created } },
    async (request, reply) => tagged(reply.code(201), await team.create(request.body)),
  );
}

/** Changes and removals. Each exists with the id in the path and in the body. */
function addChangeRoutes(app: App, team: Team): void {
  app.patch(
    '/team/:id',
    {
      schema: {
        summary: 'Change only the given keys; null clears one',
        tags,
        params: Params,
        body: MemberPatch,
        response: detail,
      },
    },
    async (request, reply) => tagged(reply, await team.patch(request.params.id, request.body, ifMatch(request))),
  );

  app.patch(
    '/team',
    {
      schema: {
        summary: 'As PATCH /team/:id, with the id in the body',
        tags,
        body: MemberPatchById,
        response: detail,
      },
    },
    async (request, reply) => {
      const { id, ...patch } = request.body as MemberPatchById;
      return tagged(reply, await team.patch(id, patch, ifMatch(request)));
    },
  );

  app.delete(
    '/team/:id',
    { schema: { summary: 'Remove a member and its token', tags, params: Params, response: removed } },
    (request) => team.remove(request.params.id),
  );

  app.delete(
    '/team',
    { schema: { summary: 'As DELETE /team/:id, with the id in the body', tags, body: MemberId, response: removed } },
    (request) => team.remove(request.body.id),
  );
}

/** Members that need not be written by hand: one generated from a description, and the defaults. */
function addReadyMadeRoutes(app: App, team: Team): void {
  app.post(
    '/team/draft',
    {
      schema: {
        summary: 'Generate a member from a description; writes nothing',
        tags,
        body: DraftRequest,
        response: { 200: Type.Ref('Draft') },
      },
    },
    (request) => team.draft(request.body),
  );

  app.post(
    '/team/:id/restore',
    { schema: { summary: 'Write a removed or default member back', tags, params: Params, response: detail } },
    async (request, reply) => tagged(reply, await team.restore(request.params.id)),
  );
}

function addFileRoutes(app: App, team: Team): void {
  app.get(
    '/team/:id/file',
    {
      schema: {
        summary: 'The file as it stands on disk',
        tags,
        params: Params,
        response: { 200: Type.Ref('MemberFile') },
      },
    },
    async (request, reply) => {
      const file = await team.file(request.params.id);
      void reply.header('etag', `"${file.revision}"`);
      return file;
    },
  );

  app.put(
    '/team/:id/file',
    {
      schema: {
        summary: 'Replace the text of the file',
        tags,
        params: Params,
        body: MemberFileText,
        response: detail,
      },
    },
    async (request, reply) =>
      tagged(reply, await team.replaceFile(request.params.id, request.body.text, ifMatch(request))),
  );
}
