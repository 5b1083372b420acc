import { describe, expect, it } from 'vitest';
import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import type { Command } from '../../shared-log/shared-log.js';
import { aRegistry } from '../../testing/apps/a-registry.js';
import { CARD, ENTRY, registered } from '../../testing/apps/registering.js';
import { expectFirstWins, expectSameOnReplicas, type KindsOver } from '../../testing/replica.js';
import { RegistryCommands } from './registry-commands.js';
import { RegistryStore } from './registry-store.js';

const kindsOver: KindsOver = (database) => new RegistryCommands(new RegistryStore(database)).kinds;

describe('commands of the unified API', () => {
  it('leave the same rows on every replica, refusals and what an agent changes of itself included', async () => {
    const app = await aRegistry();
    await app.call('POST', '/v1/catalog', { entries: [ENTRY, { ...ENTRY, agent_id: 'gilder', name: 'Gilder' }] });
    const painter = await registered(app, 'Painter', { agent_card: CARD, capabilities: ['paint'] });
    await app.call('POST', '/v1/agents/register', { agent_id: 'painter' });
    await app.clock.advance(7_000);
    await app.call('POST', '/v1/agents/me/heartbeat', undefined, painter.as);
    await app.call('PATCH', '/v1/agents/me', { description: 'Paints boats.', avail_status: 'busy' }, painter.as);
    await app.call('POST', '/v1/agents/me/state', { availability: { now: false } }, painter.as);
    const { agent_id, api_key } = painter;
    await app.call('POST', '/v1/agents/token', { agent_id, api_key });
    const gilder = await registered(app, 'gilder');
    const claims = ({ token }: { token: string }) => app.registry.recognize(token) as AgentClaims;
    const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
    await app.registry.bindKey(claims(gilder), key(1));
    await app.registry.bindKey(claims(painter), key(1));
    await app.call('DELETE', '/v1/agents/me', undefined, gilder.as);
    await app.call('POST', '/v1/agents/me/heartbeat', undefined, gilder.as);
    const outcomes = await expectSameOnReplicas(app, kindsOver);
    expect(outcomes.filter(({ ok }) => !ok)).toMatchObject([{ code: 'agent_id_claimed' }, { code: 'not_found' }]);
    expect(new Set(app.commands.map(({ kind }) => kind)).size).toBe(7);
    expect(JSON.stringify(app.commands)).not.toContain(api_key);
  });

  it('give an id to the first of two senders, whichever it is', async () => {
    const app = await aRegistry();
    await Promise.all(
      ['Ada', 'ada'].map((agent_id) => app.call('POST', '/v1/agents/register', { agent_id, capabilities: [agent_id] })),
    );
    const [one, other] = app.commands as [Command, Command];
    await expectFirstWins([one, other], kindsOver, 'agent_id_claimed');
  });
});
