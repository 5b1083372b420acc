import { describe, expect, it } from 'vitest';
import type { AgentCard, PublicCard } from '../../contract/network/card.js';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { passDeadline } from '../../testing/apps/past-deadline.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const CARD = '/team/consultant/.well-known/agent.json';
const STRICT = '/team/consultant/.well-known/agent-card.json';
const bearer = async (app: TestApp) => ({ authorization: `Bearer ${await app.getToken('consultant')}` });

describe('Tier-2 card of an exposed member', () => {
  it('has the required fields, the interfaces of A2A 0.3 and 1.0, and no credential', async () => {
    const app = await testApp();
    const reply = await app.call('GET', CARD);
    const card = reply.body as PublicCard;
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('cache-control')).toBe('max-age=60');
    expect(card).toMatchObject({
      name: 'Consultant',
      url: `${app.address}/team/consultant`,
      version: expect.any(String),
      description: expect.any(String),
      defaultInputModes: expect.any(Array),
      defaultOutputModes: expect.any(Array),
      protocols: ['http', 'a2a', 'mcp'],
      pricing: { unit: 'request', amount: 0, currency: 'free' },
      availability: { now: true },
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true, pushNotifications: true },
      security: [{ memberToken: [] }],
    });
    expect(card.skills).toHaveLength(1);
    const [skill] = card.skills;
    expect(skill).toMatchObject({
      id: 'ask',
      tags: expect.any(Array),
      input_schema: { type: 'object' },
      output_schema: { type: 'object' },
    });
    expect(skill?.examples.length).toBeGreaterThanOrEqual(2);
    expect(card.supportedInterfaces.map(({ url }) => url)).toContain(`${app.address}/team/consultant/ask`);
    expect(reply.text).not.toContain(await app.getToken('consultant'));
    expect(reply.text).not.toContain(app.root);
  });

  it('shows availability, contact and rate_limits of the member, which are checked when they are saved', async () => {
    const app = await testApp();
    const keys = {
      availability: { now: false, window_hours: 'Mon-Fri 08:00-18:00 UTC', sla: '4 seconds' },
      contact: { mailto: 'mailto:lamps@example.com' },
      rate_limits: { per_ip_per_minute: 2 },
    };
    expect(await app.call('PATCH', '/team/consultant', keys)).toMatchObject({ status: 200, body: keys });
    expect((await app.call('GET', CARD)).body).toMatchObject(keys);
    for (const [path, patch] of [
      ['availability.from', { availability: { from: '8' } }],
      ['contact', { contact: 'me' }],
      ['rate_limits.per_ip_per_minute', { rate_limits: { per_ip_per_minute: 0 } }],
    ] as const) {
      const refused = await app.call('PATCH', '/team/consultant', patch);
      expect([refused.status, refused.body]).toMatchObject([400, { path }]);
    }
  });

  it('rate_limits of the member go on over an edit of its file, with what was counted', async () => {
    const app = await testApp();
    const patch = (body: object) => app.call('PATCH', '/team/consultant', body);
    const ask = async () =>
      (await app.call('POST', '/team/consultant/v1/ask', { text: 'Which port?' }, await bearer(app))).status;
    await patch({ rate_limits: { per_day: 1 } });
    expect(await ask()).toBe(200);
    expect((await patch({ description: 'Knows it.' })).status).toBe(200);
    expect(await ask()).toBe(429);
    await patch({ rate_limits: { per_day: 2 } });
    expect([await ask(), await ask()]).toEqual([200, 429]);
  });

  it.each(['ask', 'v1/ask', 'mcp', 'a2a'])('rate_limits of the member bound its calls over /%s', async (way) => {
    const app = await testApp();
    await app.call('PATCH', '/team/consultant', { rate_limits: { per_ip_per_hour: 2 } });
    const headers = {
      authorization: `Bearer ${await app.getToken('consultant')}`,
      accept: 'application/json, text/event-stream',
      ...(way === 'a2a' ? { 'a2a-version': '1.0' } : {}),
    };
    const text = 'On which port does it listen?';
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] };
    const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
    const body =
      way === 'mcp'
        ? rpc('tools/call', { name: 'ask_consultant', arguments: { text } })
        : way === 'a2a'
          ? rpc('SendMessage', { message })
          : { text };
    const call = () => app.call('POST', `/team/consultant/${way}`, body, headers);
    const isRefused = async () => /too_many_requests|2 calls an? hour/.test((await call()).text);
    expect([await isRefused(), await isRefused(), await isRefused()]).toEqual([false, false, true]);
  });

  it('changes its version with the member file and responds 304 while it is unchanged', async () => {
    const app = await testApp();
    const first = await app.call('GET', CARD);
    const etag = first.headers.get('etag') ?? '';
    expect((await app.call('GET', CARD, undefined, { 'if-none-match': etag })).status).toBe(304);
    await app.call('PATCH', '/team/consultant', { description: 'Knows the lamps.' });
    const second = await app.call('GET', CARD, undefined, { 'if-none-match': etag });
    expect(second.status).toBe(200);
    expect((second.body as PublicCard).version).not.toBe((first.body as PublicCard).version);
    expect((second.body as PublicCard).description).toBe('Knows the lamps.');
  });

  it('responds 404 identically for unknown and internal members, and after a member was hidden', async () => {
    const app = await testApp();
    const of = (id: string) => app.call('GET', `/team/${id}/.well-known/agent.json`);
    const [unknown, internal] = await Promise.all([of('nobody'), of('developer')]);
    expect([unknown.status, unknown.text]).toEqual([404, internal.text]);
    await app.call('PATCH', '/team/consultant', { exposure: 'internal' });
    for (const path of [CARD, STRICT, '/team/consultant/health'])
      expect((await app.call('GET', path)).status).toBe(404);
  });

  it('has a strict A2A 1.0 form with only the fields of its schema', async () => {
    const app = await testApp();
    const card = (await app.call('GET', STRICT, undefined, { 'a2a-version': '1.0' })).body as AgentCard;
    expect(Object.keys(card).sort()).toEqual([
      'capabilities',
      'defaultInputModes',
      'defaultOutputModes',
      'description',
      'name',
      'securityRequirements',
      'securitySchemes',
      'skills',
      'supportedInterfaces',
      'version',
    ]);
    expect(Object.keys(card.skills[0] ?? {}).sort()).toEqual(['description', 'examples', 'id', 'name', 'tags']);
  });

  it.each([
    ['0.3', true],
    ['0.3.0', true],
    ['1.0', false],
    ['', true],
    ['none', true],
    ['1.0.1', false],
  ])('is at agent-card.json the one of the A2A version that is asked for: %s', async (version, isLegacy) => {
    const app = await testApp();
    const reply = await app.call('GET', STRICT, undefined, version === 'none' ? {} : { 'a2a-version': version });
    expect([reply.status, reply.headers.get('vary')]).toEqual([200, 'A2A-Version']);
    const { url, preferredTransport, protocolVersion, additionalInterfaces } = reply.body as Partial<PublicCard>;
    const at = `${app.address}/team/consultant`;
    expect({ url, preferredTransport, protocolVersion }).toEqual(
      isLegacy ? { url: at, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' } : {},
    );
    expect(additionalInterfaces?.[0]?.url).toBe(isLegacy ? `${at}/a2a` : undefined);
    // What a client of 1.0 that sends no header reads in either.
    const strict = await app.call('GET', STRICT, undefined, { 'a2a-version': '1.0' });
    const { supportedInterfaces, securityRequirements, capabilities } = strict.body as AgentCard;
    expect(capabilities['extendedAgentCard']).toBe(true);
    expect(reply.body).toMatchObject({ supportedInterfaces, securityRequirements, capabilities });
    const tag = reply.headers.get('etag') ?? '';
    const again = { 'if-none-match': tag, ...(version === 'none' ? {} : { 'a2a-version': version }) };
    expect((await app.call('GET', STRICT, undefined, again)).status).toBe(304);
  });

  it('contains the pricing and payment declared in the member file', async () => {
    const app = await testApp();
    const pricing = [{ unit: 'request', amount: 5000, currency: 'lamports', network: 'solana:local' }];
    const payment = { modes: ['x402'], wallet: encodeBase58(Buffer.alloc(32, 5)) };
    await app.call('PATCH', '/team/consultant', { pricing, payment });
    expect((await app.call('GET', CARD)).body).toMatchObject({ pricing, payment });
  });
});

describe('Health record', () => {
  it('identifies its agent', async () => {
    const app = await testApp();
    expect((await app.call('GET', '/team/consultant/health')).body).toEqual({
      ok: true,
      agent_id: 'consultant',
      upstream_ready: true,
    });
  });
});

describe('Skill ask', () => {
  it.each(['text', 'prompt', 'query'])('responds with the completed answer to a question given as %s', async (key) => {
    const app = await testApp();
    const reply = await app.call(
      'POST',
      '/team/consultant/v1/ask',
      { [key]: 'On which port does it listen?' },
      await bearer(app),
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      request_id: expect.stringMatching(/^req-/),
      result_text: expect.stringContaining('8123'),
      client: 'builtin',
      model: 'builtin',
    });
  });

  it("requires exactly one question, a known skill and the member's token", async () => {
    const app = await testApp();
    const call = async (skill: string, body: object, headers?: Record<string, string>) =>
      (await app.call('POST', `/team/consultant/v1/${skill}`, body, headers ?? (await bearer(app)))).status;
    expect(await call('ask', {})).toBe(400);
    expect(await call('ask', { text: 'a', query: 'b' })).toBe(400);
    expect(await call('ask', { text: 'a', more: 1 })).toBe(400);
    expect(await call('fly', { text: 'a' })).toBe(404);
    expect(await call('ask', { text: 'a' }, {})).toBe(401);
    expect(await call('ask', { text: 'a' }, { authorization: 'Bearer mk_wrong' })).toBe(401);
  });

  it('responds 504 deadline with the request id after 120 s, and the request continues', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const calling = app.call('POST', '/team/consultant/v1/ask', { text: 'Why?' }, await bearer(app));
    const id = await passDeadline(app, agent, calling);
    agent.finishAll();
    expect((await app.poll('consultant', id, 30)).status).toBe('done');
  });

  it('keeps the answer from a token that was replaced meanwhile', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const calling = app.call('POST', '/team/consultant/v1/ask', { text: 'Why?' }, await bearer(app));
    await agent.untilHeld(1);
    await app.call('POST', '/team/consultant/token/rotate');
    agent.finishAll();
    expect(await calling).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    const requests = (await app.call('GET', '/requests')).body;
    expect(requests).toMatchObject({ requests: [{ status: 'done' }] });
  });

  it('responds 503 when the member could not answer', async () => {
    const app = await testApp({
      clients: [
        new ScriptedAgent('acp', async function* () {
          yield { type: 'text', text: 'half' } as const;
          throw new Error('broken pipe');
        }),
      ],
    });
    const reply = await app.call('POST', '/team/consultant/v1/ask', { text: 'Why?' }, await bearer(app));
    expect([reply.status, (reply.body as { error: string }).error]).toEqual([503, 'overloaded']);
  });
});

describe('Wrong tokens', () => {
  it('result in 429 after twenty a minute, while the right token is always accepted', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('x'))] });
    const statuses: number[] = [];
    for (let i = 0; i < 22; i += 1)
      statuses.push(
        (await app.call('POST', '/team/consultant/ask', { text: 'x' }, { authorization: `Bearer mk_${i}` })).status,
      );
    expect(statuses.slice(0, 20).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(20)).toEqual([429, 429]);
    expect((await app.call('POST', '/team/consultant/ask', { text: 'x' }, await bearer(app))).status).toBe(202);
  });
});
