import type { FastifyRequest } from 'fastify';
import type { WrongCredentials } from '../../http/bearer.js';
import type { App } from '../../http/create-server.js';
import type { SignedCallers } from '../../http/signed-caller.js';
import type { AgentHost } from './agent-host.js';
import { hostedAgentRoutes } from './hosted-agent-routes.js';

/** The routes that every exposed member serves to other programs, except ask and poll. */
export function agentHostRoutes(app: App, host: AgentHost, signed: SignedCallers, wrong: WrongCredentials): void {
  hostedAgentRoutes({
    app,
    prefix: '/team/:id',
    bannerPath: '/about',
    taskAccess: 'bearer',
    find: (request: FastifyRequest) => host.ready((request.params as { id: string }).id),
    subjectOf: ({ spec }) => `member ${spec.agent_id}`,
    signed,
    wrong,
  });
}
