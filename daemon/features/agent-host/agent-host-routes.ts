import type { WrongCredentials } from '../../http/callers/bearer.js';
import type { SignedCallers } from '../../http/callers/signed-caller.js';
import type { App } from '../../http/route-types.js';
import type { AgentHost } from './agent-host.js';
import { hostedAgentRoutes } from './hosted-agent-routes.js';

/** The routes that every exposed member serves to other programs, except ask and poll. */
export async function agentHostRoutes(
  app: App,
  { host, signed, wrong }: { host: AgentHost; signed: SignedCallers; wrong: WrongCredentials },
): Promise<void> {
  await app.register(hostedAgentRoutes, {
    prefix: '/team/:id',
    bannerPath: '/about',
    taskAccess: 'bearer',
    find: (request) => host.ready((request.params as { id: string }).id),
    getSubject: ({ spec }) => `member ${spec.agent_id}`,
    signed,
    wrong,
  });
}
