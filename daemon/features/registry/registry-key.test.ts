import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { type ARegistry, aRegistry } from '../../testing/apps/a-registry.js';
import { fetchRecord, type Registered, recordEvents, registered } from '../../testing/apps/registering.js';

const PATH = '/v1/agents/me/key';
const aKey = () => new SigningKey(SigningKey.newSeed());

function sign(app: ARegistry, key: SigningKey, body: object): string {
  return signMeshSig(key, { method: 'PUT', path: PATH, body: JSON.stringify(body) }, app.clock.now());
}

async function bind(app: ARegistry, agent: Registered, key: SigningKey, named = key.pubkey) {
  const body = { pubkey: named };
  return app.call('PUT', PATH, body, { ...agent.as, 'mesh-sig': sign(app, key, body) });
}

describe('PUT /v1/agents/me/key', () => {
  it('binds the key that signs the request and marks the agent verified', async () => {
    const app = await aRegistry();
    const key = aKey();
    const agent = await registered(app, 'painter', { pubkey: key.pubkey });
    expect(await fetchRecord(app, 'painter')).toMatchObject({ pubkey: key.pubkey, verified: false });
    expect(app.registry.agentOfKey(key.pubkey)).toBeUndefined();
    const events = recordEvents(app);
    const { status, body } = await bind(app, agent, key);
    expect([status, body]).toMatchObject([200, { agent_id: 'painter', pubkey: key.pubkey, verified: true }]);
    expect(app.registry.agentOfKey(key.pubkey)).toBe('painter');
    expect(events).toEqual(['agent.updated v1 painter']);
  });

  it('requires both the Bearer token and a signature by the named key', async () => {
    const app = await aRegistry();
    const [key, other] = [aKey(), aKey()];
    const agent = await registered(app, 'painter');
    const body = { pubkey: key.pubkey };
    const put = async (headers: Record<string, string>) => (await app.call('PUT', PATH, body, headers)).body;
    expect(await put(agent.as)).toMatchObject({ error: 'bad_signature' });
    expect(await put({ 'mesh-sig': sign(app, key, body) })).toMatchObject({ error: 'unauthorized' });
    expect(await put({ ...agent.as, 'mesh-sig': sign(app, other, body) })).toMatchObject({
      error: 'bad_signature',
      message: 'Sign the request with the key that it names.',
    });
    expect(await put({ ...agent.as, 'mesh-sig': sign(app, key, { pubkey: other.pubkey }) })).toMatchObject({
      error: 'bad_signature',
    });
    expect(await fetchRecord(app, 'painter')).toMatchObject({ pubkey: null, verified: false });
  });

  it('accepts a signature once, and none older than two minutes', async () => {
    const app = await aRegistry();
    const key = aKey();
    const agent = await registered(app, 'painter');
    const body = { pubkey: key.pubkey };
    const headers = { ...agent.as, 'mesh-sig': sign(app, key, body) };
    expect((await app.call('PUT', PATH, body, headers)).status).toBe(200);
    expect((await app.call('PUT', PATH, body, headers)).body).toMatchObject({ error: 'bad_signature' });
    const late = { ...agent.as, 'mesh-sig': sign(app, key, body) };
    app.clock.advance(121_000);
    expect((await app.call('PUT', PATH, body, late)).body).toMatchObject({ error: 'bad_signature' });
  });

  it('binds a key to one agent only and removes it from the previous one', async () => {
    const app = await aRegistry();
    const key = aKey();
    const [first, second] = [await registered(app, 'painter'), await registered(app, 'writer')];
    await bind(app, first, key);
    const events = recordEvents(app);
    await bind(app, second, key);
    expect(await fetchRecord(app, 'painter')).toMatchObject({ pubkey: null, verified: false });
    expect(await fetchRecord(app, 'writer')).toMatchObject({ pubkey: key.pubkey, verified: true });
    expect(app.registry.agentOfKey(key.pubkey)).toBe('writer');
    expect(events.sort()).toEqual(['agent.updated v1 painter', 'agent.updated v1 writer']);
  });

  it('replaces an earlier key, and unbinds the key on deregistration', async () => {
    const app = await aRegistry();
    const [key, next] = [aKey(), aKey()];
    const agent = await registered(app, 'painter');
    await bind(app, agent, key);
    await bind(app, agent, next);
    expect([app.registry.agentOfKey(key.pubkey), app.registry.agentOfKey(next.pubkey)]).toEqual([undefined, 'painter']);
    await app.call('DELETE', '/v1/agents/me', undefined, agent.as);
    expect(app.registry.agentOfKey(next.pubkey)).toBeUndefined();
    expect((await bind(app, agent, next)).status).toBe(404);
  });
});
