import { describe, expect, it } from 'vitest';
import type { Tier1Card } from '../../contract/network/agents.js';
import type { PublicCard } from '../../contract/network/card.js';
import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import type { AiCatalog, Tier2Result } from '../../contract/network/site.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { PRINTER_CARD } from '../../testing/apps/an-agent.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const JSON_ONLY = { accept: 'application/json' };

const CARD: Tier1Card = { ...PRINTER_CARD, endpoint: 'https://printer.example/agents/one/?x=1' };

async function onHub(app: TestApp, agent_id: string, agent_card?: object): Promise<void> {
  const reply = await app.call('POST', '/agents/register', {
    agent_id,
    capabilities: ['print'],
    ...(agent_card ? { agent_card } : {}),
  });
  expect([agent_id, reply.status]).toEqual([agent_id, 200]);
}

async function onV1(app: TestApp, agent_id: string, more: object = {}): Promise<void> {
  const reply = await app.call('POST', '/v1/agents/register', { agent_id, ...more });
  expect([agent_id, reply.status]).toEqual([agent_id, 200]);
}

async function houseAgent(app: TestApp, member: string): Promise<string> {
  const { registrations } = (await app.call('GET', '/registrations')).body as SelfRegistrationList;
  return registrations.find((one) => one.member === member)?.surfaces.hub.agent_id ?? '';
}

describe('/agent/:id', () => {
  it('shows the endpoint that a heartbeat moved in the record, its card, the page and the search', async () => {
    const app = await testApp();
    const [before, after] = ['https://old.example/', 'https://new.example/'];
    const agents = { carded: { agent_card: { endpoint: before, description: 'Prints.' } }, bare: { endpoint: before } };
    for (const [agent_id, more] of Object.entries(agents)) {
      const { body } = await app.call('POST', '/v1/agents/register', { agent_id, description: 'Prints.', ...more });
      const authorization = { authorization: `Bearer ${(body as { token: string }).token}` };
      expect((await app.call('POST', '/v1/agents/me/heartbeat', { endpoint: after }, authorization)).status).toBe(200);
      const record = (await app.call('GET', `/v1/agents/${agent_id}`)).body as {
        endpoint: string;
        agent_card: unknown;
      };
      expect(record.endpoint).toBe(after);
      if (agent_id === 'carded') expect(record.agent_card).toEqual({ endpoint: after, description: 'Prints.' });
      expect((await app.call('GET', `/agent/${agent_id}`, undefined, JSON_ONLY)).body).toEqual({
        endpoint: after,
        description: 'Prints.',
      });
      expect((await app.call('GET', `/agent/${agent_id}`, undefined, HTML)).text).not.toContain('old.example');
      expect((await app.call('GET', `/v1/search?q=${agent_id}`)).body).toMatchObject({
        agents: expect.arrayContaining([expect.objectContaining({ agent_id, endpoint: after })]),
      });
    }
  });

  it('returns the page to a browser and the Tier-1 card to a program, and varies by Accept', async () => {
    const app = await testApp();
    await onHub(app, 'Printer', CARD);
    for (const headers of [JSON_ONLY, {}]) {
      const card = await app.call('GET', '/agent/printer', undefined, headers);
      expect(card).toMatchObject({ status: 200, body: CARD });
      expect(card.headers.get('vary')).toBe('Accept');
      expect(card.headers.get('content-type')).toContain('application/json');
    }
    const page = await app.call('GET', '/agent/printer', undefined, HTML);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('vary')).toBe('Accept');
    for (const said of [
      'Printer',
      'Prints posters on demand.',
      '$0.25 per poster',
      'media.print',
      'application/pdf',
      'Online',
      'Not yet rated',
    ]) {
      expect(page.text).toContain(said);
    }
    expect(page.text).toContain('https://printer.example/agents/one/v1/');
  });

  it('responds 404 in the same form to an agent that is not registered, including a catalog entry', async () => {
    const app = await testApp();
    const entry = {
      agent_id: 'listed',
      name: 'Listed',
      description: 'x',
      url: 'https://listed.example',
      tags: [],
      source: 'list',
    };
    expect((await app.call('POST', '/v1/catalog', { entries: [entry] })).status).toBe(200);
    for (const id of ['nobody', 'listed', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', 'a%00b']) {
      const page = await app.call('GET', `/agent/${id}`, undefined, HTML);
      expect([id, page.status, page.headers.get('content-type')]).toEqual([id, 404, 'text/html; charset=utf-8']);
      expect(page.headers.get('vary')).toBe('Accept');
      expect(page.text).not.toContain('<script');
      const json = await app.call('GET', `/agent/${id}`, undefined, JSON_ONLY);
      expect(json).toMatchObject({ status: 404, body: { error: 'not_found' } });
      expect(json.headers.get('vary')).toBe('Accept');
      expect((await app.call('GET', `/agent/${id}/.well-known/agent.json`)).status).toBe(404);
      expect((await app.call('GET', `/agent/${id}/tier2`)).status).toBe(404);
    }
  });

  it("shows an agent of the unified API, an agent without a card, and prefers the hub's data", async () => {
    const app = await testApp();
    await onV1(app, 'plotter', { description: 'Plots lines.', endpoint: 'https://plotter.example' });
    await onV1(app, 'both', { agent_card: { description: 'Said on v1.' } });
    await onHub(app, 'both', { description: 'Said on the hub.' });
    expect((await app.call('GET', '/agent/plotter', undefined, JSON_ONLY)).body).toEqual({
      endpoint: 'https://plotter.example',
      description: 'Plots lines.',
    });
    expect((await app.call('GET', '/agent/plotter', undefined, HTML)).text).toContain('Plots lines.');
    expect((await app.call('GET', '/agent/both', undefined, JSON_ONLY)).body).toEqual({
      description: 'Said on the hub.',
    });
  });

  it('shows when an offline agent was last seen', async () => {
    const app = await testApp();
    await onHub(app, 'printer', CARD);
    app.clock.advance(3 * 3_600_000);
    const { text } = await app.call('GET', '/agent/printer', undefined, HTML);
    expect(text).toContain('Offline');
    expect(text).toContain('<time datetime="2026-11-21T12:00:00.000Z" title="2026-11-21 12:00 UTC">3 hours ago</time>');
  });

  it('shows the reputation with the number of reports', async () => {
    const app = await testApp();
    await onHub(app, 'printer', CARD);
    for (const quality of [1, 0.5]) {
      const path = '/v1/agents/printer/feedback';
      const body = JSON.stringify({ dims: { quality } });
      const signed = signMeshSig(new SigningKey(SigningKey.newSeed()), { method: 'POST', path, body }, app.clock.now());
      expect((await app.call('POST', path, body, { 'mesh-sig': signed })).status).toBe(200);
    }
    const { text } = await app.call('GET', '/agent/printer', undefined, HTML);
    expect(text).toContain('<strong>0.75</strong> of 1 from <strong>2</strong> signed reports');
    expect(text).toContain('href="/v1/reputation/printer/reports"');
  });

  it('shows a member of this daemon with skills, examples and a working command', async () => {
    const app = await testApp();
    const id = await houseAgent(app, 'consultant');
    const { text } = await app.call('GET', `/agent/${id}`, undefined, HTML);
    const card = (await app.call('GET', '/team/consultant/.well-known/agent.json')).body as PublicCard;
    expect(text).toContain(`<h1><bdi>${card.name}</bdi></h1>`);
    expect(text).toContain(card.skills[0]?.name);
    expect(text).toContain(`${app.address}/team/consultant/ask`);
    expect(text).toContain('$CONSULTANT_TOKEN');
    expect(text).not.toContain(await app.getToken('consultant'));
  });

  it('loads only its own style sheet and runs no scripts', async () => {
    const app = await testApp();
    await onHub(app, 'printer', CARD);
    const page = await app.call('GET', '/agent/printer', undefined, HTML);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|script-src/);
    expect(page.text.match(/\b(?:src|href)="[^"]*"/g)?.filter((one) => !/^href="(?:\/|data:,")/.test(one))).toEqual([]);
    expect(page.text).not.toMatch(/<script|style=|\son[a-z]+=/i);
    const style = await app.call('GET', '/site.css');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.text).not.toMatch(/url\(|@import/);
  });

  it('shows hostile text literally in every field', async () => {
    const app = await testApp();
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '"><svg/onload=alert(1)>',
      "'-alert(1)-'",
      '</title><script>alert(1)</script>',
      '</textarea><iframe src=javascript:alert(1)>',
      '{{constructor.constructor("alert(1)")()}}',
      `\${alert(1)}`,
      '\u202egnitirw\u202c \u2066x\u2069',
      '&lt;b&gt;',
    ];
    for (const [i, text] of hostile.entries()) {
      const id = `agent-${i}`;
      await onHub(app, id, {
        description: text,
        tags: [text.slice(0, 64)],
        protocols: ['http', text.slice(0, 32)],
        pricing: { unit: text.slice(0, 64), amount: 1, currency: 'lamports' },
        endpoint: `https://agent.example/${encodeURIComponent(text)}/'"<x>`,
      });
      const page = await app.call('GET', `/agent/${id}`, undefined, HTML);
      expect(page.status).toBe(200);
      const markup = page.text.replace(
        /<\/?(?:html|head|meta|title|link|body|main|header|footer|section|article|div|dl|dt|dd|ul|li|p|h[123]|code|pre|bdi|time|span|strong|a|meter)\b[^<>]*>|<!doctype html>/g,
        '',
      );
      expect([text, markup.match(/[<>]/g)]).toEqual([text, null]);
      expect(page.text).not.toMatch(/<[^>]*\son\w+=|javascript:alert\(1\)"|[\u202a-\u202e\u2066-\u2069]/i);
    }
  });

  it('quotes everything in its command for the shell', async () => {
    const app = await testApp();
    await onHub(app, 'printer', { endpoint: "https://printer.example/';id;'/$(id)/`id`", protocols: ['http'] });
    const { text } = await app.call('GET', '/agent/printer', undefined, HTML);
    expect(text).toContain('/&#39;\\&#39;&#39;;id;&#39;\\&#39;&#39;/$(id)/');
  });
});

describe('/agent/:id/.well-known/agent.json', () => {
  it('returns the card of a member of this daemon as the member serves it', async () => {
    const app = await testApp();
    const id = await houseAgent(app, 'consultant');
    const own = await app.call('GET', '/team/consultant/.well-known/agent.json');
    const proxied = await app.call('GET', `/agent/${id.toUpperCase()}/.well-known/agent.json`);
    expect(proxied).toMatchObject({ status: 200, body: own.body });
    expect(proxied.headers.get('access-control-allow-origin')).toBe('*');
    expect(proxied.headers.get('etag')).toBe(own.headers.get('etag'));
    const etag = own.headers.get('etag') ?? '';
    const conditions = [etag, `W/${etag}`, `"other", ${etag}`, '*', '"other"', etag.slice(1, -1)];
    for (const path of [`/agent/${id}/.well-known/agent.json`, '/team/consultant/.well-known/agent.json']) {
      const statuses = [];
      for (const condition of conditions)
        statuses.push((await app.call('GET', path, undefined, { 'if-none-match': condition })).status);
      expect(statuses).toEqual([304, 304, 304, 304, 200, 200]);
    }
  });

  it('redirects to the endpoint of any other agent', async () => {
    const app = await testApp();
    await onHub(app, 'printer', CARD);
    await onHub(app, 'homeless');
    const reply = await app.call('GET', '/agent/printer/.well-known/agent.json');
    expect([reply.status, reply.headers.get('location')]).toEqual([
      307,
      'https://printer.example/agents/one/.well-known/agent.json',
    ]);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect((await app.call('GET', '/agent/homeless/.well-known/agent.json')).status).toBe(404);
  });

  it('responds 404 when the member is hidden', async () => {
    const app = await testApp();
    const id = await houseAgent(app, 'consultant');
    await app.call('PATCH', '/team/consultant', { exposure: 'internal' });
    expect((await app.call('GET', `/agent/${id}/.well-known/agent.json`)).status).toBe(404);
    expect((await app.call('GET', `/agent/${id}`, undefined, HTML)).status).toBe(404);
  });
});

describe('/agent/:id/tier2', () => {
  it("reads the card at an allowed endpoint, including this daemon's own, and uses that of a member directly", async () => {
    const app = await testApp();
    await onHub(app, 'guest', { endpoint: `${app.address}/team/consultant` });
    const fetched = (await app.call('GET', '/agent/guest/tier2')).body as Tier2Result;
    expect(fetched).toMatchObject({
      agent_id: 'guest',
      ok: true,
      hosted: false,
      reason: null,
      url: `${app.address}/team/consultant/.well-known/agent.json`,
      card: { name: 'Consultant', skills: [{ id: 'ask' }] },
    });
    const own = (await app.call('GET', `/agent/${await houseAgent(app, 'consultant')}/tier2`)).body as Tier2Result;
    expect(own).toMatchObject({ ok: true, hosted: true, card: { name: 'Consultant' } });
  });

  it('returns the reason when there is no card', async () => {
    const app = await testApp();
    const { port } = new URL(app.address);
    const wrong: [string, object | undefined, string][] = [
      ['metadata', { endpoint: 'https://169.254.169.254/latest' }, 'blocked_address'],
      ['inside', { endpoint: 'https://10.0.0.7' }, 'blocked_address'],
      ['own-tls', { endpoint: `https://127.0.0.1:${Number(port) - 1}` }, 'blocked_address'],
      ['unlisted', { endpoint: `http://127.0.0.1:${Number(port) - 1}` }, 'blocked_address'],
      ['low-port', { endpoint: 'https://agent.example:22' }, 'blocked_port'],
      ['no-card', { endpoint: `${app.address}/team/nobody` }, 'refused'],
      ['homeless', undefined, 'no_endpoint'],
    ];
    for (const [id, card, reason] of wrong) {
      await onHub(app, id, card);
      expect((await app.call('GET', `/agent/${id}/tier2`)).body).toMatchObject({
        agent_id: id,
        ok: false,
        card: null,
        reason,
        message: expect.any(String),
      });
      app.clock.advance(1000);
    }
  });
});

describe('/.well-known/ai-catalog.json', () => {
  it('has one entry per exposed member', async () => {
    const app = await testApp();
    const reply = await app.call('GET', '/.well-known/ai-catalog.json');
    expect(reply.headers.get('content-type')).toBe('application/ai-catalog+json; charset=utf-8');
    const { specVersion, host, entries } = JSON.parse(reply.text) as AiCatalog;
    expect([specVersion, host.documentationUrl]).toEqual(['1.0', `${app.address}/docs`]);
    expect(entries).toHaveLength(1);
    const [entry] = entries;
    expect(entry).toMatchObject({
      displayName: 'Consultant',
      type: 'application/a2a-agent-card+json',
      url: `${app.address}/team/consultant/.well-known/agent-card.json`,
      capabilities: ['ask'],
    });
    expect(entry?.identifier).toMatch(/^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$/);
    expect((await app.call('GET', new URL(entry?.url ?? '').pathname)).status).toBe(200);
    await app.call('PATCH', '/team/consultant', { exposure: 'internal' });
    expect((JSON.parse((await app.call('GET', '/.well-known/ai-catalog.json')).text) as AiCatalog).entries).toEqual([]);
  });
});
