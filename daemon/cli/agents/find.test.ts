import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FoundAgent, SearchBody, SearchResult } from '../../contract/network/oracle.js';
import { CARD, registered } from '../../testing/apps/registering.js';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { Refusal, standInDaemon } from '../../testing/processes/daemon-stand-in.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';

const PAINTER: FoundAgent = {
  agent_id: 'painter',
  endpoint: 'https://painter.example/',
  description: 'Paints\u001b[31m pictures.',
  tags: ['image'],
  pricing: { unit: 'request', amount: 5, currency: 'lamports' },
  protocols: ['http'],
  online: true,
  oracle_score: 0.8125,
};
const WRITER: FoundAgent = {
  ...PAINTER,
  agent_id: 'writer',
  description: null,
  pricing: { unit: 'request', amount: 5, currency: 'USD' },
  online: false,
  oracle_score: 0.5,
  promoted: true,
};

const found = (agents: FoundAgent[], more: Partial<SearchResult> = {}): SearchResult => ({
  agents,
  count: agents.length,
  query_id: 'q-1',
  unfilterable: [],
  next_cursor: null,
  ...more,
});

/** A stand-in for the project's daemon whose agent search returns `pages` in order. */
async function anOracle(...pages: (SearchResult | Refusal)[]): Promise<{ root: string; asked: SearchBody[] }> {
  const asked: SearchBody[] = [];
  const { root } = await standInDaemon({
    'POST /projects/search': { agents: [], count: 0 },
    'POST /v1/search': ({ body }) => pages[asked.push(body as SearchBody) - 1] ?? found([]),
  });
  return { root, asked };
}

describe('meshd find', () => {
  it('prints matching agents, the best first, without control sequences', async () => {
    const { root, asked } = await anOracle(found([PAINTER, WRITER]));
    expect(await meshd(root, 'find', 'paint a picture')).toEqual({
      exit: 0,
      out: [
        'AGENT    SCORE  STATE              PRICE               DESCRIPTION',
        'painter  0.81   online             5 lamports/request  Paints\\x1b[31m pictures.',
        'writer   0.50   offline, promoted  $0.05/request',
        '',
      ].join('\n'),
      err: '',
    });
    expect(asked).toEqual([{ query: 'paint a picture', filters: { limit: 20 } }]);
  });

  it('says which agents cannot be called, and once for each reason what would help', async () => {
    const not_callable: FoundAgent['not_callable'] = [
      { code: 'offline', message: 'It is offline.' },
      { code: 'needs_wallet', message: 'It costs lamports, and there is no wallet yet.' },
    ];
    const { root } = await anOracle(
      found([
        { ...PAINTER, not_callable },
        { ...WRITER, pricing: null, not_callable },
      ]),
    );
    const { out, err } = await meshd(root, 'find', 'paint', '--all');
    expect(out).toMatch(/^painter +0.81 +online, needs a wallet /m);
    expect(out).toMatch(/^writer +0.50 +offline, promoted, needs a wallet$/m);
    expect(err).toBe('needs a wallet: It costs lamports, and there is no wallet yet.\n');
  });

  it('finds agents of the running daemon, including its own members', async () => {
    const app = await daemon();
    await registered(app, 'painter', { agent_card: CARD });
    const { exit, out } = await meshd(app.root, 'find', 'paint pictures', '--json');
    const { agents, query_id } = JSON.parse(out) as SearchResult;
    expect([exit, agents[0]?.agent_id, agents[0]?.pricing]).toEqual([0, 'painter', CARD.pricing]);
    expect(query_id).not.toBe('');
    const { out: listed } = await meshd(app.root, 'find', 'questions about this project', '--explain');
    expect(listed).toContain(`${basename(app.root)}-consultant`);
    expect((await meshd(app.root, 'find', 'paint pictures', '--tag', 'image')).out).toMatch(
      /^painter +0\.\d\d +online, needs a wallet +5 lamports\/request +Paints/m,
    );
  });

  it('sends every given filter', async () => {
    const { root, asked } = await anOracle();
    const filters = [
      '--all',
      '--capability',
      'paint',
      '--tag',
      'oil',
      '--tag',
      'canvas',
      '--category',
      'media',
      '--protocol',
      'a2a',
    ];
    const more = [
      '--input',
      'text/plain',
      '--output',
      'image/png',
      '--max-price',
      '500',
      '--currency',
      'lamports',
      '--country',
      'IT',
      '--limit',
      '5',
    ];
    await meshd(root, 'find', 'paint', ...filters, ...more);
    expect(asked[0]?.filters).toEqual({
      online_only: false,
      capability: 'paint',
      tags: ['oil', 'canvas'],
      category: 'media',
      protocols: ['a2a'],
      input_mode: 'text/plain',
      output_mode: 'image/png',
      max_price: 500,
      currency: 'lamports',
      country: 'IT',
      limit: 5,
    });
  });

  it('--explain shows the parts of each score, what each filter excluded and what could not be compared', async () => {
    const why = {
      text: 0.9,
      semantic: 0.7,
      capability: 0,
      reputation: null,
      response_rate: 0.75,
      asked: 4,
      message_through: 2,
      promoted: 0.05,
    };
    const unfilterable = [{ constraint: 'max_price', reason: 'no_price', dropped: 3 }];
    const { root, asked } = await anOracle(
      found([{ ...PAINTER, why }], { unfilterable, filtered: { online_only: 7, country: 0 } }),
    );
    const { exit, out, err } = await meshd(root, 'find', 'paint', '--explain');
    expect([exit, asked[0]?.explain]).toEqual([0, true]);
    expect(out).toMatch(/^AGENT +SCORE +TEXT +MEANING +CAPABILITY +REPUTATION +ANSWERED +MESSAGES +PROMOTED +STATE/);
    expect(out).toMatch(/^painter +0\.81 +0\.90 +0\.70 +0\.00 +– +0\.75 of 4 +2 +0\.05 +online/m);
    expect(err).toBe('--max-price excluded 3: not comparable, without a price\nLeaving out --all excluded 7.\n');
  });

  it('reads pages until the limit is reached, and reports when there are more', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...PAINTER, agent_id: `a-${index}` }));
    const { root, asked } = await anOracle(
      found(many(200), { next_cursor: 'c1' }),
      found(many(50), { next_cursor: 'c2' }),
    );
    const { out, err } = await meshd(root, 'find', 'paint', '--limit', '250');
    expect(asked.map(({ filters }) => filters)).toEqual([{ limit: 200 }, { limit: 50, cursor: 'c1' }]);
    expect(out.trim().split('\n')).toHaveLength(251);
    expect(err).toBe('There are more: --limit 500.\n');
  });

  it('reports when agents of the other projects do not fit beside the own ones', async () => {
    const elsewhere = [{ ...PAINTER, agent_id: 'mill/painter' }, WRITER];
    const { root } = await standInDaemon({
      'POST /projects/search': { agents: elsewhere, count: 2 },
      'POST /v1/search': () => found([PAINTER, WRITER]),
    });
    const { out, err } = await meshd(root, 'find', 'paint', '--limit', '3');
    expect([out.trim().split('\n').length, err]).toEqual([4, 'There are more: --limit 6.\n']);
    const { agents, ...rest } = JSON.parse(
      (await meshd(root, 'find', 'paint', '--limit', '3', '--json')).out,
    ) as object & {
      agents: FoundAgent[];
    };
    expect(agents.map(({ agent_id }) => agent_id)).toEqual(['painter', 'mill/painter', 'writer']);
    expect(rest).toMatchObject({ count: 3, next_cursor: null, left_out: 1 });
  });

  it('--json prints one object with all fields', async () => {
    const { root } = await anOracle(found([PAINTER]));
    const { out, err } = await meshd(root, 'find', 'paint', '--json');
    expect([JSON.parse(out), err]).toEqual([found([PAINTER]), '']);
  });

  it('exits 0 without a match, and suggests what to try', async () => {
    const { root } = await anOracle();
    expect(await meshd(root, 'find', 'paint')).toEqual({
      exit: 0,
      out: '',
      err: 'No online agent matches: --all includes offline ones.\n',
    });
  });

  it('exits 2 for an invalid filter, before the request or by its response', async () => {
    const body = { error: 'bad_request', message: '"filters.country" must match.', path: 'filters.country' };
    const { root, asked } = await anOracle(new Refusal(400, body));
    for (const args of [
      ['--max-price', 'low'],
      ['--max-price', '-1'],
      ['--limit', '0'],
    ]) {
      expect(await meshd(root, 'find', 'paint', ...args)).toMatchObject({ exit: 2, out: '' });
    }
    expect(asked).toEqual([]);
    const { exit, out } = await meshd(root, 'find', 'paint', '--country', 'Italy', '--json');
    expect([exit, JSON.parse(out)]).toEqual([2, body]);
  });

  it('exits 3 without a daemon', async () => {
    const root = temporaryFolder();
    putFiles(root, { '.mesh/team/.keep': '' });
    expect(await meshd(root, 'find', 'paint')).toMatchObject({ exit: 3, out: '' });
  });
});
