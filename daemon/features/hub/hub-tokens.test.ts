import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentRecord, Registration } from '../../contract/network/hub.js';
import { anAgent, LAMP_CARD as CARD } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';

const lookup = async (app: HubApp, id: string): Promise<AgentRecord> => (await app.call('GET', `/agents/${id}`)).body;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('Bearer token of the hub', () => {
  const ROUTES = [
    ['PATCH', '/agents/me'],
    ['POST', '/agents/me/state'],
    ['DELETE', '/agents/me'],
    ['POST', '/agents/messages'],
    ['GET', '/agents/messages'],
    ['POST', '/agents/messages/ack'],
    ['GET', '/agents/messages/lamp-agent/history'],
    ['POST', '/agents/channels'],
    ['GET', '/agents/channels'],
    ['POST', '/agents/channels/x/join'],
    ['POST', '/agents/channels/x/leave'],
    ['POST', '/agents/channels/x/send'],
    ['PUT', '/agents/contacts/lamp-agent'],
    ['DELETE', '/agents/contacts/lamp-agent'],
    ['GET', '/agents/contacts'],
  ] as const;

  it('is required on every authenticated route, which responds 401 before it reads the body', async () => {
    const app = await hubApp();
    const { token, apiKey } = await anAgent(app, 'lamp-agent');
    const wrong = [
      undefined,
      'Bearer',
      'Bearer x',
      `Bearer ${token}x`,
      `Bearer ${apiKey}`,
      `Basic ${token}`,
      `Bearer ${token} ${token}`,
    ];
    for (const [method, path] of ROUTES) {
      for (const authorization of wrong) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : '{"nonsense":1}';
        const reply = await app.call(method, path, body, authorization === undefined ? {} : { authorization });
        expect([method, path, reply.status, (reply.body as { error: string }).error]).toEqual([
          method,
          path,
          401,
          'unauthorized',
        ]);
      }
    }
    expect((await lookup(app, 'lamp-agent')).agent_id).toBe('lamp-agent');
  });

  it('is not accepted by the unified API, nor the reverse', async () => {
    const app = await testApp();
    const hub = await anAgent(app, 'lamp-agent');
    const v1 = (await app.call('POST', '/v1/agents/register', { agent_id: 'lamp-agent' })).body as Registration;
    expect((await app.call('POST', '/v1/agents/me/heartbeat', undefined, bearer(hub.token))).status).toBe(401);
    expect((await app.call('DELETE', '/agents/me', undefined, bearer(v1.token))).status).toBe(401);
  });

  it('is valid for 24 hours', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    app.clock.step(86_400_000 - 1000);
    expect((await agent.call('PATCH', '/agents/me', {})).status).toBe(200);
    app.clock.step(1000);
    expect((await agent.call('PATCH', '/agents/me', {})).status).toBe(401);
  });

  it('stays valid after a restart of the daemon', async () => {
    const clock = new FakeClock();
    const app = await hubApp({ clock });
    const agent = await anAgent(app, 'lamp-agent', { agent_card: CARD });
    await app.stop();
    const again = await hubApp({ root: app.root, clock });
    expect((await again.call('PATCH', '/agents/me', {}, bearer(agent.token))).status).toBe(200);
    expect(await lookup(again, 'lamp-agent')).toMatchObject({ agent_card: CARD, online: true });
  });

  it('appears in no log line and no event, nor does the api_key', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent', { agent_card: CARD });
    await agent.call('PATCH', '/agents/me', { description: 'x' });
    await app.call('POST', '/agents/token', { agent_id: 'lamp-agent', api_key: `${agent.apiKey}0` });
    await agent.call('DELETE', '/agents/me');
    expect(app.events.length).toBeGreaterThan(2);
    expect(app.log.length).toBeGreaterThan(2);
    const told = [JSON.stringify(app.events), ...app.log].join('\n');
    expect(told).not.toContain(agent.token);
    expect(told).not.toContain(agent.apiKey);
  });
});

it('is not stored in the database, nor is the api_key', async () => {
  const app = await hubApp();
  const agent = await anAgent(app, 'lamp-agent');
  await app.stop();
  const files = readdirSync(app.root).filter((name) => name.startsWith('mesh.db'));
  expect(files).toContain('mesh.db');
  for (const name of files) {
    const bytes = readFileSync(`${app.root}/${name}`);
    expect(bytes.includes('lamp-agent')).toBe(true);
    expect(bytes.includes(agent.apiKey)).toBe(false);
    expect(bytes.includes(Buffer.from(agent.apiKey, 'hex'))).toBe(false);
    expect(bytes.includes(agent.token)).toBe(false);
  }
});
