import type { Access, Credential } from '../../http/callers/access.js';
import { parseBearer, requireBearer, unauthorized, type WrongCredentials } from '../../http/callers/bearer.js';
import type { AnyRequest, App } from '../../http/route-types.js';
import type { Exposure } from '../exposure/exposure.js';
import type { Mcp } from './mcp.js';

interface McpMount {
  path: string;
  summary: string;
  access: Access;
  credential?: Credential;
  /** The subject of a request, whose surface handles it. Throws `unauthorized`, `too_many_requests`. */
  getSubject(request: AnyRequest): string;
}

/**
 * Mounts the protocol at one path. The access guard and the credential are checked first, whatever the request
 * contains; then the official transport writes the response, including errors.
 */
export function mcpRoute(
  app: App,
  mcp: Mcp,
  { path, summary, access, credential = 'memberToken', getSubject }: McpMount,
): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: path,
    config: { access, credential },
    exposeHeadRoute: false,
    schema: { summary, tags: ['mcp'] },
    onRequest: async (request) => void getSubject(request),
    handler: async (request, reply) => {
      // Checked again, since the token may have been revoked while the body was received.
      const endpoint = await mcp.endpoint(getSubject(request));
      const { raw } = reply;
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) raw.setHeader(name, value);
      await endpoint.answer(request.raw, raw, request.body);
    },
  });
}

/**
 * The protocol for holders of member tokens. At `/mcp` the token determines the member; below a member's address it
 * must be that member's token.
 */
export async function mcpRoutes(
  app: App,
  { mcp, exposure, wrong }: { mcp: Mcp; exposure: Pick<Exposure, 'memberOf' | 'verify'>; wrong: WrongCredentials },
): Promise<void> {
  mcpRoute(app, mcp, {
    path: '/mcp',
    summary: 'Model Context Protocol, for the member whose token is sent',
    access: 'bearer',
    getSubject(request) {
      const token = parseBearer(request);
      if (token === undefined) throw unauthorized();
      const member = exposure.memberOf(token);
      if (member === undefined) throw wrong.refuse('mcp', token);
      return member;
    },
  });
  mcpRoute(app, mcp, {
    path: '/team/:id/mcp',
    summary: 'Model Context Protocol of one member',
    access: 'bearer',
    getSubject(request) {
      const { id } = request.params as { id: string };
      requireBearer(request, wrong, `member ${id}`, (token) => exposure.verify(id, token));
      return id;
    },
  });
}
