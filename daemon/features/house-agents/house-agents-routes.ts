import { Type } from 'typebox';
import type { HouseAgentList } from '../../contract/house-agents.js';
import type { App } from '../../http/route-types.js';
import type { HouseAgents } from './house-agents.js';

/** The operator's view of the exposed members' registrations on both surfaces. */
export async function houseAgentsRoutes(app: App, { houseAgents }: { houseAgents: HouseAgents }): Promise<void> {
  app.get(
    '/registrations',
    {
      schema: {
        summary: 'The exposed members as agents, both surfaces side by side',
        tags: ['agents'],
        response: { 200: Type.Ref('HouseAgentList') },
      },
    },
    async (): Promise<HouseAgentList> => houseAgents.list(),
  );
}
