import { Type } from 'typebox';
import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import type { App } from '../../http/route-types.js';
import type { SelfRegistration } from './self-registration.js';

/** The operator's view of the exposed members' registrations on both surfaces. */
export async function selfRegistrationRoutes(
  app: App,
  { houseAgents: selfRegistration }: { houseAgents: SelfRegistration },
): Promise<void> {
  app.get(
    '/registrations',
    {
      schema: {
        summary: 'The exposed members as agents, both surfaces side by side',
        tags: ['agents'],
        response: { 200: Type.Ref('HouseAgentList') },
      },
    },
    async (): Promise<SelfRegistrationList> => selfRegistration.list(),
  );
}
