import { basename } from 'node:path';
import { expect, it } from 'vitest';
import type { FoundAgent } from '../../contract/network/oracle.js';
import type { FoundElsewhere, ProjectList } from '../../contract/projects.js';
import { testApp } from '../../testing/apps/test-app.js';
import { beFound, meshdIn } from '../../testing/processes/command-line.js';
import { MCP_REVISIONS, mcpClient } from '../../testing/processes/mcp-client.js';
import { RealClock } from '../../testing/real-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

const QUERY = 'answers questions about this project';

it('find over the other projects is the same over HTTP, on the command line and over MCP', async () => {
  const env = { XDG_STATE_HOME: temporaryFolder() };
  const [here, there] = [
    await testApp({ clock: new RealClock(), env }),
    await testApp({ clock: new RealClock(), env }),
  ] as const;
  for (const app of [here, there]) beFound(app);
  const projects = async () => ((await here.call('GET', '/projects')).body as ProjectList).count;
  await expect.poll(projects, { timeout: 10_000 }).toBe(2);
  await there.call('POST', '/v1/agents/register', { agent_id: 'stranger', description: QUERY });
  const call = `${basename(there.root)}/consultant`;

  const over = async () => (await here.call('POST', '/projects/search', { query: QUERY })).body as FoundElsewhere;
  await expect.poll(async () => (await over()).agents.map((agent) => agent.call)).toEqual([call]);
  expect(await over()).toMatchObject({
    count: 1,
    agents: [{ endpoint: `${there.address}/team/consultant`, online: true, oracle_score: expect.any(Number) }],
  });

  const printed = JSON.parse((await meshdIn(here.root, { variables: env }, 'find', QUERY, '--json')).out) as {
    agents: FoundAgent[];
  };
  expect(printed.agents.map((agent) => agent.call).sort()).toEqual([call, undefined]);

  const client = await mcpClient(here, MCP_REVISIONS[0]);
  const tool = async (more: object) =>
    (await client.callTool({ name: 'find_agents', arguments: { query: QUERY, ...more } })).structuredContent as {
      agents: FoundAgent[];
      count: number;
    };
  const { agents, count } = await tool({});
  expect([agents.filter((agent) => agent.call === call).length, agents.length, count]).toEqual([1, 2, 2]);
  expect(agents.map(({ oracle_score }) => oracle_score)).toEqual(
    agents.map(({ oracle_score }) => oracle_score).sort((a, b) => b - a),
  );

  await there.call('PATCH', '/team/consultant', { exposure: 'internal' });
  await expect.poll(over).toEqual({ agents: [], count: 0 });
});
