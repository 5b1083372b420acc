import { expect, it } from 'vitest';
import { describedOperations } from '../../testing/described-operations.js';

it('describes each operation and what it returns', async () => {
  expect(await describedOperations((_, tag) => tag === 'site')).toEqual({
    'GET /agent/{id}': [
      'site',
      'An agent: its page for a browser, its summary card for anyone else',
      '200',
      'application/json Tier1Card',
      'text/html string',
    ],
    'GET /agent/{id}/.well-known/agent.json': [
      'site',
      'Full card of an agent: that of a member of this daemon, or a redirect to the agent’s own endpoint',
      '200',
      'application/json PublicCard',
    ],
    'GET /agent/{id}/tier2': [
      'site',
      'Read an agent’s full card at its endpoint, under the outbound policy',
      '200',
      'application/json object',
    ],
    'GET /.well-known/ai-catalog.json': [
      'site',
      'The agents of this daemon, one entry per exposed member',
      '200',
      'application/json object',
    ],
    'GET /clusters/{slug}': [
      'site',
      'A public cluster: its page for a browser, its record for anyone else',
      '200',
      'application/json Cluster',
      'text/html string',
    ],
    'GET /monitor': [
      'site',
      'The Wall of a public cluster as it is said, for a browser: `?slug=` or `?id=&vis=public`; without them the list',
      '200',
      'text/html string',
    ],
    'GET /map': [
      'site',
      'The map of public clusters and their located posts, for a browser',
      '200',
      'text/html string',
    ],
    'GET /v1/map': ['site', 'Public clusters and their located posts, for a map', '200', 'application/json MapData'],
  });
});
