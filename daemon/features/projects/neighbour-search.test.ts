import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FoundAgent } from '../../contract/network/oracle.js';
import type { FoundElsewhere, ProjectList } from '../../contract/projects.js';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { beFound, meshdIn } from '../../testing/processes/command-line.js';
import { MCP_REVISIONS, mcpClient } from '../../testing/processes/mcp-client.js';
import { RealClock } from '../../testing/real-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { NeighbourSearch } from './neighbour-search.js';
import type { ProvenProject } from './running-projects.js';

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

describe('a search over the other projects', () => {
  /** A project called `name` whose daemon gives `answer` to each search. */
  async function aProject(
    name: string,
    answer: (address: string, response: ServerResponse, request: IncomingMessage) => unknown,
  ): Promise<ProvenProject> {
    const server = createServer((request, response) => void answer(address, response, request));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const rest = { root: `/work/${name}`, pid: 1, version: '1', started_at: '', current: false };
    return { project: { ...rest, name, address }, secret: 'hush' };
  }
  const agent = (endpoint: string | null, oracle_score = 0.5) => ({ endpoint, oracle_score }) as FoundAgent;
  const json = (response: ServerResponse, value: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const searchOver = (projects: ProvenProject[], clock = new FakeClock()) =>
    new NeighbourSearch({ listOthers: async () => projects }, clock).search({ query: QUERY });

  it('asks each what is public there, and names its members by project, the best first', async () => {
    const asked: unknown[] = [];
    const lamp = await aProject('lamp', async (address, response, request) => {
      const { method, url, headers } = request;
      asked.push([method, url, headers['content-type'], headers['x-meshd-operator'], JSON.parse(await text(request))]);
      json(response, { agents: [agent(`${address}/team/ada`, 0.4), agent(`${address}/team/b`, 0.9)] });
    });
    const buoy = await aProject('The Buoy', (address, response) =>
      json(response, { agents: [agent(`${address}/team/form-tester-2`, 0.6)] }),
    );
    expect(await searchOver([lamp, buoy])).toEqual([
      { ...agent(`${lamp.project.address}/team/b`, 0.9), call: 'lamp/b' },
      { ...agent(`${buoy.project.address}/team/form-tester-2`, 0.6), call: 'The Buoy/form-tester-2' },
      { ...agent(`${lamp.project.address}/team/ada`, 0.4), call: 'lamp/ada' },
    ]);
    expect(asked).toEqual([['POST', '/v1/search', 'application/json', undefined, { query: QUERY }]]);
  });

  it('leaves out what is no member of the project that was asked', async () => {
    const lamp = await aProject('lamp', (address, response) =>
      json(response, {
        agents: [
          ...[null, 'https://agent.example/team/ada', `${address}1/team/ada`, `x${address}/team/ada`],
          ...['/agents/ada', '/team/ada/more', '/team/Ada', '/team/-ada', '/team/', '/x/team/ada', '/team/ada?b'].map(
            (path) => address + path,
          ),
        ].map((endpoint) => agent(endpoint)),
      }),
    );
    expect(await searchOver([lamp])).toEqual([]);
  });

  it('finds nothing in a project that refuses, breaks off, or has no list in its answer', async () => {
    const good = await aProject('good', (address, response) =>
      json(response, { agents: [agent(`${address}/team/ada`)] }),
    );
    const bad = await Promise.all([
      aProject('refuses', (address, response) => json(response, { agents: [agent(`${address}/team/ada`)] }, 500)),
      aProject('breaks', (_address, response) => response.destroy()),
      aProject('empty', (_address, response) => json(response, {})),
    ]);
    expect((await searchOver([...bad, good])).map(({ call }) => call)).toEqual(['good/ada']);
  });

  it('reads at most a mebibyte of an answer', async () => {
    const large = await aProject('large', (address, response) =>
      json(response, { agents: [agent(`${address}/team/ada`)], fill: 'x'.repeat(1024 * 1024) }),
    );
    expect(await searchOver([large])).toEqual([]);
  });

  it('waits three seconds for a project', async () => {
    const clock = new FakeClock();
    let tellAsked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    const silent = await aProject('silent', () => tellAsked());
    const found = searchOver([silent], clock);
    await isAsked;
    clock.advance(2_999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(await found).toEqual([]);
  });
});
