import type { Access } from '../../http/access.js';
import { bearerOf, requireBearer, unauthorized, type WrongCredentials } from '../../http/bearer.js';
import type { AnyRequest, App } from '../../http/route-types.js';
import type { Exposure } from '../exposure/exposure.js';
import type { Mcp } from './mcp.js';

export interface McpMount {
  path: string;
  summary: string;
  access: Access;
  /** Whose surface the request is answered with. Throws `unauthorized`, `too_many_requests`. */
  subjectOf(request: AnyRequest): string;
}

/**
 * Mounts the protocol at one path. The guard and the credential come first, whatever the request holds; then the official transport answers, refusals
 * included.
 */
export function mcpRoute(app: App, mcp: Mcp, { path, summary, access, subjectOf }: McpMount): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: path,
    config: { access },
    exposeHeadRoute: false,
    schema: { summary, tags: ['mcp'] },
    onRequest: async (request) => void subjectOf(request),
    handler: async (request, reply) => {
      // Again: the token may have died while the body was on its way.
      const endpoint = await mcp.endpoint(subjectOf(request));
      const { raw } = reply;
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) raw.setHeader(name, value);
      await endpoint.answer(request.raw, raw, request.body);
    },
  });
}

/** The protocol for holders of member tokens: at `/mcp` the token says which member it is about, below a member's address it has to be that one's. */
export async function mcpRoutes(
  app: App,
  { mcp, exposure, wrong }: { mcp: Mcp; exposure: Pick<Exposure, 'memberOf' | 'verify'>; wrong: WrongCredentials },
): Promise<void> {
  mcpRoute(app, mcp, {
    path: '/mcp',
    summary: 'Model Context Protocol, for the member whose token is sent',
    access: 'bearer',
    subjectOf(request) {
      const token = bearerOf(request);
      if (token === undefined) throw unauthorized();
      const member = exposure.memberOf(token);
      if (member === undefined) throw wrong.refuse('mcp');
      return member;
    },
  });
  mcpRoute(app, mcp, {
    path: '/team/:id/mcp',
    summary: 'Model Context Protocol of one member',
    access: 'bearer',
    subjectOf(request) {
      const { id } = request.params as { id: string };
      requireBearer(request, wrong, `member ${id}`, (token) => exposure.verify(id, token));
      return id;
    },
  });
}
