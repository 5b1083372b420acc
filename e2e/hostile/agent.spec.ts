import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tier1Card } from '../../daemon/contract/network/agents.js';
import type { Tier2Card } from '../../daemon/contract/network/site.js';
import type { Call } from '../../daemon/contract/payments.js';
import { register } from '../an-agent.js';
import { test as base, expect } from '../fixtures.js';
import { CORPUS } from './corpus.js';
import { PlantedFields } from './planting.js';

const planting = new PlantedFields('agent');
const words = planting.words.bind(planting);

/** Another agent on this machine, whose card and skill contain hostile text. */
class Elsewhere {
  private constructor(private readonly server: Server) {}

  static async listen(): Promise<Elsewhere> {
    const server = createServer((request, response) => {
      const isCard = request.url?.includes('/.well-known/') === true;
      const isRefused = request.url?.includes(encodeURIComponent(SKILLS[1])) === true;
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isCard ? publicCard(`http://${request.headers.host}`) : isRefused ? refusal : result),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Elsewhere(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const SKILLS = [words('skill.id'), words('skill.id', 1)] as const;
const result = { said: words('call.result') };
const refusal = { error: 'bad_input', message: words('call.error', 1) };

const publicCard = (url: string): Tier2Card => ({
  name: words('tier2.name'),
  url,
  version: '<b>1</b>',
  description: words('tier2.description'),
  defaultInputModes: ['<i>'],
  defaultOutputModes: ['<i>'],
  protocols: ['http'],
  pricing: { unit: 'request', amount: 0, currency: 'lamports' },
  availability: { now: true },
  skills: SKILLS.map((id, at) => ({
    id,
    name: words('skill.name', at),
    description: words('skill.description', at),
    examples: [0, 20, 40].map((turn) => words('skill.example', turn + at)),
    input_schema: {
      type: 'object',
      properties: {
        [words('skill.name', 5)]: {
          type: 'string',
          description: words('skill.description', 5),
          enum: [words('skill.name', 9)],
        },
      },
    },
  })),
});

const card = (
  turn: number,
  endpoint = `https://evil.test/${encodeURIComponent(words('card.endpoint', turn)).slice(0, 1_500)}`,
): Tier1Card => ({
  endpoint,
  description: words('card.description', turn),
  tags: [0, 20, 40].map((more) => words('card.tag', turn + more)),
  protocols: [words('card.protocol', turn)],
  pricing: {
    unit: words('card.pricing.unit', turn),
    amount: 1,
    currency: 'lamports',
  },
});

const test = base.extend<{ elsewhere: Elsewhere }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires it of a fixture without dependencies
  elsewhere: async ({}, use) => {
    const elsewhere = await Elsewhere.listen();
    await use(elsewhere);
    elsewhere.close();
  },
  machine: ({ elsewhere }, use) => use({ MESHD_LOOPBACK_ENDPOINTS: elsewhere.host }),
});

test('what agents say of themselves and answer is only text', async ({ page, project, elsewhere }) => {
  test.slow();
  for (const turn of CORPUS.keys()) {
    await register(project, `hostile-${turn}`, card(turn), [words('hub.capability', turn)]);
    if (turn % 4 === 0)
      await project.api('POST', '/v1/agents/register', {
        agent_id: `hostile-${turn}`,
        description: words('hub.description', turn),
        agent_card: card(turn + 1),
      });
  }
  await project.api('POST', '/agents/register', {
    agent_id: 'worded',
    description: words('hub.description'),
    capabilities: [words('hub.capability')],
  });
  await project.api('POST', '/v1/catalog', {
    entries: [...CORPUS.keys()].map((turn) => ({
      agent_id: `catalog-${turn}`,
      name: words('catalog.name', turn),
      description: words('catalog.description', turn),
      url: `https://evil.test/${encodeURIComponent(words('catalog.url', turn)).slice(0, 1_500)}`,
      tags: [words('catalog.tag', turn)],
      source: words('catalog.source', turn),
    })),
  });
  await register(project, 'elsewhere', card(0, `http://${elsewhere.host}/`));
  const calls = [];
  for (const skill of SKILLS)
    calls.push(await project.api<Call>('POST', '/calls', { agent: 'elsewhere', skill, input: {} }));
  expect(calls.map(({ state }) => state)).toEqual(['done', 'failed']);

  await planting.visit(page, project, '/find', 'card.description');
  for (const turn of [1, 5, 9])
    await planting.visit(
      page,
      project,
      `/find?${new URLSearchParams({ q: CORPUS[turn] ?? '', tags: words('card.tag', turn) })}`,
    );
  await planting.visit(page, project, `/find?${new URLSearchParams({ q: 'catalog' })}`);
  for (const turn of [0, 4, 24, 44, 56])
    await planting.visit(
      page,
      project,
      `/agents/hostile-${turn}`,
      'card.description',
      'card.tag',
      'card.endpoint',
      'hub.capability',
    );
  await planting.visit(page, project, '/agents/worded', 'hub.description', 'hub.capability');
  await planting.visit(
    page,
    project,
    '/agents/catalog-0',
    'catalog.name',
    'catalog.description',
    'catalog.tag',
    'catalog.source',
    'catalog.url',
  );
  await planting.visit(page, project, '/agents/elsewhere');
  await page.getByRole('button', { name: 'Read its public card' }).click();
  await expect(page.getByRole('combobox', { name: 'Skill' })).toBeVisible();
  await planting.look(page, 'its public card and the form of a call', 'tier2.name', 'skill.name', 'skill.description');
  for (const { call_id, state } of calls)
    await planting.visit(
      page,
      project,
      `/agents/elsewhere?call=${call_id}`,
      state === 'done' ? 'call.result' : 'call.error',
    );
  await planting.visit(page, project, '/ledger');
  await planting.visit(page, project, '/system/health');
  for (const [id, field] of [
    ['hostile-0', 'card.description'],
    ['hostile-44', 'card.description'],
    ['worded', 'hub.description'],
  ] as const) {
    await page.goto(`${project.address}/agent/${id}`);
    await planting.look(page, `the public page of ${id}`, field);
  }
  planting.expectWhole();
});
