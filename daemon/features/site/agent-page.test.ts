import { describe, expect, it } from 'vitest';
import type { PublicCard } from '../../contract/network/card.js';
import { agentPage, unknownAgentPage } from './agent-page.js';
import { listCalls } from './call-format.js';
import type { AgentFacts } from './site.js';

/** 2026-11-21 12:00 UTC. */
const NOW = 1_795_262_400;

const AGENT: AgentFacts['agent'] = {
  ...{ agent_id: 'printer', surface: 'hub', online: false, verified: false, card: {}, description: undefined },
  ...{ endpoint: undefined, registered_at: null, last_seen: null, member: undefined },
};

const factsOf = (agent: Partial<AgentFacts['agent']> = {}, more: Partial<AgentFacts> = {}): AgentFacts => ({
  agent: { ...AGENT, ...agent },
  card: undefined,
  standing: { score: null, dims: {}, reports: 0 } as unknown as AgentFacts['standing'],
  ...{ origin: 'http://127.0.0.1:1', now: NOW, ...more },
});

/** The section with this heading, without line breaks. */
function section(facts: AgentFacts, heading: string): string | undefined {
  const found = agentPage(facts).match(/<section>[\s\S]*?<\/section>/g) ?? [];
  const start = `<section><h2>${heading}</h2>`;
  return found
    .find((one) => one.startsWith(start))
    ?.slice(start.length, -'</section>'.length)
    .replaceAll('\n', '');
}
const header = (facts: AgentFacts) =>
  /<header>\n([\s\S]*)\n<\/header>/.exec(agentPage(facts))?.[1]?.replaceAll(/\n+/g, '\n').trim();

const skill = (id: string, examples: string[] = []) => ({ id, name: `To ${id}`, description: `Can ${id}.`, examples });
const cardWith = (card: object): PublicCard =>
  ({ name: 'Printer', description: 'Prints.', skills: [], ...card }) as unknown as PublicCard;

describe('The page of an agent', () => {
  it('is a whole page that loads the style sheet and nothing else', () => {
    const page = agentPage(factsOf());
    expect(page.slice(0, page.indexOf('<header>'))).toBe(
      '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
        '<meta name="color-scheme" content="light dark">\n<title>printer · agent</title>\n' +
        '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="/site.css">\n</head>\n<body>\n<main>\n',
    );
    expect(page.slice(page.indexOf('</main>'))).toBe(
      '</main>\n<footer><p>Served by meshd on this machine. Texts of agents and members are their own. ' +
        '<a href="/map">Map</a> <a href="/app">Dashboard</a> <a href="/docs">API</a></p></footer>\n</body>\n</html>\n',
    );
    expect(page.match(/<h2>[^<]*/g)).toEqual(
      ['Skills', 'How to call it', 'Price', 'Reputation', 'About'].map((heading) => `<h2>${heading}`),
    );
  });

  it('begins with its name, what it says of itself and whether it is online', () => {
    expect(header(factsOf())).toBe(
      '<h1><bdi>printer</bdi></h1>\n<p class="presence"><span class="chip off">Offline</span> never seen</p>',
    );
    const named = factsOf({ online: true, last_seen: NOW - 60 }, { card: cardWith({}) });
    expect(header(named)).toBe(
      '<p class="id"><code><bdi>printer</bdi></code></p>\n<h1><bdi>Printer</bdi></h1>\n' +
        '<p class="pitch" dir="auto">Prints.</p>\n<p class="presence"><span class="chip on">Online</span> last seen ' +
        '<time datetime="2026-11-21T11:59:00.000Z" title="2026-11-21 11:59 UTC">1 minute ago</time></p>',
    );
    expect(agentPage(named)).toContain('<title>Printer · agent</title>');
    expect(header(factsOf({ description: 'Prints posters.' }, { card: cardWith({}) }))).toContain(
      '>Prints posters.</p>',
    );
    expect(header(factsOf({ description: '' }, { card: cardWith({}) }))).not.toContain('pitch');
  });

  it.each([
    [
      'a card',
      factsOf({}, { card: cardWith({ skills: [skill('print', ['A poster', 'A map']), skill('fold')] }) }),
      '<article><h3><bdi>To print</bdi> <code><bdi>print</bdi></code></h3><p dir="auto">Can print.</p>' +
        '<ul class="examples"><li><code><bdi>A poster</bdi></code></li><li><code><bdi>A map</bdi></code></li></ul>' +
        '</article><article><h3><bdi>To fold</bdi> <code><bdi>fold</bdi></code></h3><p dir="auto">Can fold.</p></article>',
    ],
    ['no endpoint', factsOf(), '<p class="quiet">It has no endpoint, so there is no card with its skills.</p>'],
    [
      'an endpoint',
      factsOf({ agent_id: 'a b', endpoint: 'https://p.example' }),
      '<p>They are in <a href="/agent/a%20b/.well-known/agent.json" rel="noopener noreferrer nofollow">its own public ' +
        'card</a>, which it serves itself.</p>',
    ],
  ])('shows its skills, or where they are: with %s', (_, facts, shown) => {
    expect(section(facts, 'Skills')).toBe(shown);
  });

  it('shows what it costs', () => {
    const row = { unit: 'request', amount: 5, currency: 'USD' };
    const free = { unit: 'request', amount: 0, currency: 'USD' };
    const shown = (card: object | undefined, tier1: object = {}) =>
      section(factsOf({ card: tier1 }, card ? { card: cardWith(card) } : {}), 'Price');
    const hint = '<p class="quiet">A tariff hint: agents settle with each other directly.</p>';
    const list = (...prices: string[]) =>
      `<ul class="prices">${prices.map((price) => `<li><bdi>${price}</bdi></li>`).join('')}</ul>`;
    expect(shown(undefined)).toBe('<p class="quiet">It names no price.</p>');
    expect(shown({ pricing: [] }, { pricing: row })).toBe('<p class="quiet">It names no price.</p>');
    expect(shown(undefined, { pricing: free })).toBe(list('Free'));
    expect(shown(undefined, { pricing: row })).toBe(list('$0.05 per request') + hint);
    expect(shown({ pricing: [free, row] }, { pricing: free })).toBe(list('Free', '$0.05 per request') + hint);
  });

  it('shows what was reported of it', () => {
    const shown = (standing: object) =>
      section(factsOf({ agent_id: 'a b' }, { standing: standing as AgentFacts['standing'] }), 'Reputation');
    expect(shown({ score: null, dims: {}, reports: 0 })).toBe(
      '<p class="quiet">Not yet rated: nobody has filed a report.</p>',
    );
    const log =
      '<p class="quiet"><a href="/v1/reputation/a%20b/reports">The signed log</a>, with the rule that makes the score of ' +
      'it.</p>';
    expect(shown({ score: 0, dims: {}, reports: 1 })).toBe(
      `<p class="score"><strong>0.00</strong> of 1 from <strong>1</strong> signed report</p><dl class="dims"></dl>${log}`,
    );
    expect(shown({ score: 0.755, dims: { quality: 0.5, speed: 1 }, reports: 2 })).toBe(
      '<p class="score"><strong>0.76</strong> of 1 from <strong>2</strong> signed reports</p><dl class="dims">' +
        '<div><dt>speed</dt><dd><meter min="0" max="1" value="1">1.00</meter> 1.00</dd></div>' +
        `<div><dt>quality</dt><dd><meter min="0" max="1" value="0.5">0.50</meter> 0.50</dd></div></dl>${log}`,
    );
  });

  it('shows of its card and registration only what there is', () => {
    const words = (...all: string[]) =>
      `<ul class="words">${all.map((one) => `<li><bdi>${one}</bdi></li>`).join('')}</ul>`;
    const card = {
      category: 'media',
      tags: ['a', 'b'],
      protocols: ['http'],
      accepts: ['text/plain'],
      produces: ['image/png'],
    };
    const facts = factsOf({ card, endpoint: 'https://p.example', registered_at: NOW - 7200, verified: true });
    const since = '<time datetime="2026-11-21T10:00:00.000Z" title="2026-11-21 10:00 UTC">2 hours ago</time>';
    expect(section(facts, 'About')).toBe(
      '<dl><div><dt>Endpoint</dt><dd><code><bdi>https://p.example</bdi></code></dd></div>' +
        '<div><dt>Category</dt><dd><bdi>media</bdi></dd></div>' +
        `<div><dt>Tags</dt><dd>${words('a', 'b')}</dd></div><div><dt>Protocols</dt><dd>${words('http')}</dd></div>` +
        `<div><dt>Takes</dt><dd>${words('text/plain')}</dd></div><div><dt>Gives</dt><dd>${words('image/png')}</dd></div>` +
        `<div><dt>Registered</dt><dd>${since}, verified</dd></div></dl>`,
    );
    expect(section(factsOf({ card: { tags: [] } }), 'About')).toBe('<dl></dl>');
    expect(section(factsOf({ card: undefined as never, registered_at: NOW - 7200 }), 'About')).toBe(
      `<dl><div><dt>Registered</dt><dd>${since}</dd></div></dl>`,
    );
  });

  it('shows the commands that call it', () => {
    expect(section(factsOf(), 'How to call it')).toBe(
      '<p>Its discovery card.</p><pre><code>curl -s -H &#39;Accept: application/json&#39; ' +
        '&#39;http://127.0.0.1:1/agent/printer&#39;</code></pre>',
    );
  });

  it('of an id that is not registered says so', () => {
    const page = unknownAgentPage('no <body>');
    expect(page).toContain('<title>No such agent</title>');
    expect(page).toContain(
      '<header><h1>No such agent</h1>\n<p class="pitch">Nobody is registered as <code><bdi>no &lt;body&gt;</bdi></code>. ' +
        'Agents that were deregistered leave this address free.</p></header>',
    );
  });
});

describe('The commands that call an agent', () => {
  const DISCOVERY = {
    said: 'Its discovery card.',
    command: "curl -s -H 'Accept: application/json' 'http://127.0.0.1:1/agent/printer'",
  };
  const CARD = {
    said: 'Its public card, with its skills.',
    command: "curl -s 'https://p.example/a/.well-known/agent.json'",
  };
  const endpoint = 'https://p.example/a/';

  it('are one for an agent without an endpoint or with one of another protocol', () => {
    expect(listCalls(factsOf())).toEqual([DISCOVERY]);
    expect(listCalls(factsOf({ endpoint: 'nats://p.example' }))).toEqual([DISCOVERY]);
    expect(listCalls(factsOf({ agent_id: 'a/b' }))[0]?.command).toContain("'http://127.0.0.1:1/agent/a%2Fb'");
  });

  it.each([
    ['says no protocol', {}],
    ['speaks http', { protocols: ['nats', 'http'] }],
  ])('end with a skill of an agent that %s', (_, card) => {
    expect(listCalls(factsOf({ endpoint, card }))).toEqual([
      ...[DISCOVERY, CARD],
      {
        said: 'A skill of it: its card names the skill and the input.',
        command:
          "curl -s -X POST 'https://p.example/a/v1/'\"$SKILL_ID\" \\\n  -H 'Content-Type: application/json' \\\n  -d " +
          '\'{"prompt": "…"}\'',
      },
    ]);
    expect(listCalls(factsOf({ endpoint, card: undefined as never }))).toHaveLength(3);
  });

  it('call no skill of an agent that does not speak http', () => {
    expect(listCalls(factsOf({ endpoint, card: { protocols: ['nats'] } }))).toEqual([DISCOVERY, CARD]);
  });

  it('ask a member of this daemon with its token, and poll for the answer', () => {
    const member = { endpoint, member: 'night-keeper' };
    const card = cardWith({ skills: [skill('ask', ['{"text": "x"}', "What's lit?"])] });
    expect(listCalls(factsOf(member, { card }))).toEqual([
      ...[DISCOVERY, CARD],
      {
        said: 'Ask, with the token that its operator hands out in $NIGHT_KEEPER_TOKEN; the answer names a request_id.',
        command:
          "curl -s -X POST 'http://127.0.0.1:1/team/night-keeper/ask' \\\n  -H \"Authorization: Bearer " +
          "$NIGHT_KEEPER_TOKEN\" -H 'Content-Type: application/json' \\\n  -d '{\"text\":\"What'\\''s lit?\"}'",
      },
      {
        said: 'Poll for the answer.',
        command:
          'curl -s "http://127.0.0.1:1/team/requests/$REQUEST_ID?wait=60" \\\n  -H "Authorization: Bearer ' +
          '$NIGHT_KEEPER_TOKEN"',
      },
    ]);
    const bare = listCalls(factsOf({ member: 'keeper' }, { card: cardWith({}) }));
    expect(bare.map(({ command }) => command.includes('{"text":"What does this project do?"}'))).toEqual([
      ...[false, true, false],
    ]);
    expect(listCalls(factsOf(member))).toHaveLength(3);
    expect(listCalls(factsOf({ endpoint }, { card }))[2]?.said).toMatch(/^A skill of it/);
  });
});
