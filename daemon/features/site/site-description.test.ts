import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  expect(
    await describedOperations(
      await testApp(),
      /^(\/agent\/|\/\.well-known\/ai-catalog|\/clusters\/\{slug\}$|\/monitor$|\/map$|\/v1\/map$)/,
    ),
  ).toEqual({
    'GET /agent/{id}':
      'site, page, 200 Tier1Card text/html, An agent: its page for a browser, its summary card for anyone else',
    'GET /agent/{id}/.well-known/agent.json':
      'site, card, 200 PublicCard or 307, Full card of an agent: that of a member of this daemon, or a redirect to the agent’s own endpoint',
    'GET /agent/{id}/tier2':
      'site, operator, 200, Read an agent’s full card at its endpoint, under the outbound policy',
    'GET /.well-known/ai-catalog.json': 'site, public, 200, The agents of this daemon, one entry per exposed member',
    'GET /clusters/{slug}':
      'site, page, 200 Cluster text/html, A public cluster: its page for a browser, its record for anyone else',
    'GET /monitor':
      'site, page, 200 text/html, The Wall of a public cluster as it is said, for a browser: `?slug=` or `?id=&vis=public`; without them the list',
    'GET /map': 'site, page, 200 text/html, The map of public clusters and their located posts, for a browser',
    'GET /v1/map': 'site, public, 200 MapData, Public clusters and their located posts, for a map',
  });
});
