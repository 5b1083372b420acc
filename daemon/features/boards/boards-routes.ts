import { Type } from 'typebox';
import {
  type BoardAnswer,
  BoardBody,
  type BoardCreated,
  type BoardDeleted,
  type BoardHistory,
  type BoardList,
  BoardPatch,
  type BoardRead,
  HistoryQuery,
  VisitQuery,
} from '../../contract/boards.js';
import { parseClusterCredential } from '../../http/callers/cluster-credential.js';
import type { AnyRequest, App } from '../../http/route-types.js';
import type { Boards } from './boards.js';
import type { BoardsAccess, Visit } from './boards-access.js';

const tags = ['boards'];

type Params = { id: string; bid: string };

interface BoardsRoutesParts {
  boards: Boards;
  boardsAccess: BoardsAccess;
}

/** The caller's credential and age statement in a request about the boards of a cluster. */
export function parseVisit(request: AnyRequest): Visit {
  const { id } = request.params as { id: string };
  const query = request.query as VisitQuery;
  return {
    cluster: id,
    credential: parseClusterCredential(request),
    isAdult: query.adult === '1',
  };
}

/** Rejects a request that carries more tokens than a cluster has, before anything else is checked. */
export async function checkCredential(request: AnyRequest): Promise<void> {
  parseClusterCredential(request);
}

const member = { config: { access: 'public' as const }, onRequest: checkCredential };

/** For routes that only the cluster's admin may use. The admin token is checked before the body is read. */
const adminOnly = (boardsAccess: BoardsAccess) => ({
  config: { access: 'bearer' as const, credential: 'clusterToken' as const },
  onRequest: async (request: AnyRequest) => void boardsAccess.asAdmin(parseVisit(request)),
});

/** The routes of boards, their charters and their history. Spec: Endpoints. */
export async function boardsRoutes(app: App, parts: BoardsRoutesParts): Promise<void> {
  addCollectionRoutes(app, parts);
  addBoardRoutes(app, parts);
  addHistoryRoute(app, parts);
}

function addCollectionRoutes(app: App, { boards, boardsAccess }: BoardsRoutesParts): void {
  app.post<{ Params: Params; Querystring: VisitQuery; Body: BoardBody }>(
    '/v1/clusters/:id/boards',
    {
      ...adminOnly(boardsAccess),
      schema: {
        summary: 'Create a board, with the admin token',
        tags,
        querystring: VisitQuery,
        body: BoardBody,
        response: { 201: Type.Ref('BoardCreated') },
      },
    },
    async (request, reply): Promise<BoardCreated> => {
      const created = await boards.create(parseVisit(request), request.body);
      void reply.code(201);
      return created;
    },
  );

  app.get<{ Params: Params; Querystring: VisitQuery }>(
    '/v1/clusters/:id/boards',
    {
      ...member,
      schema: {
        summary: 'The cluster’s boards and rules, each level as it sets them; no boards while they are off',
        tags,
        querystring: VisitQuery,
        response: { 200: Type.Ref('BoardList') },
      },
    },
    async (request): Promise<BoardList> => boards.list(parseVisit(request)),
  );
}

function addBoardRoutes(app: App, { boards, boardsAccess }: BoardsRoutesParts): void {
  app.get<{ Params: Params; Querystring: VisitQuery }>(
    '/v1/clusters/:id/boards/:bid',
    {
      ...member,
      schema: {
        summary: 'A board by its id or slug, the rules in force on it, and its live posts',
        tags,
        querystring: VisitQuery,
        response: { 200: Type.Ref('BoardRead') },
      },
    },
    async (request): Promise<BoardRead> => boards.read(parseVisit(request), request.params.bid),
  );

  app.patch<{ Params: Params; Querystring: VisitQuery; Body: BoardPatch }>(
    '/v1/clusters/:id/boards/:bid',
    {
      ...adminOnly(boardsAccess),
      schema: {
        summary: 'Edit a board’s charter and rules, with the admin token',
        tags,
        querystring: VisitQuery,
        body: BoardPatch,
        response: { 200: Type.Ref('BoardAnswer') },
      },
    },
    async (request): Promise<BoardAnswer> => ({
      board: await boards.edit(parseVisit(request), request.params.bid, request.body),
    }),
  );

  app.delete<{ Params: Params; Querystring: VisitQuery }>(
    '/v1/clusters/:id/boards/:bid',
    {
      ...adminOnly(boardsAccess),
      schema: {
        summary: 'Delete a board with its posts, with the admin token',
        tags,
        querystring: VisitQuery,
        response: { 200: Type.Ref('BoardDeleted') },
      },
    },
    async (request): Promise<BoardDeleted> => {
      await boards.remove(parseVisit(request), request.params.bid);
      return { ok: true };
    },
  );
}

function addHistoryRoute(app: App, { boards }: BoardsRoutesParts): void {
  app.get<{ Params: Params; Querystring: HistoryQuery }>(
    '/v1/clusters/:id/history',
    {
      config: { access: 'bearer', credential: 'clusterToken' },
      onRequest: checkCredential,
      schema: {
        summary:
          'What happened on the boards in the last 30 days, newest first, with a token of the cluster; never ' +
          'Wall messages',
        tags,
        querystring: HistoryQuery,
        response: { 200: Type.Ref('BoardHistory') },
      },
    },
    async (request): Promise<BoardHistory> => boards.listHistory(parseVisit(request), request.query),
  );
}
