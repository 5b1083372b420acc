import { describe, expect, it } from 'vitest';
import type { RegistryList } from '../../contract/network/registry.js';
import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import type { Command } from '../../shared-log/shared-log.js';
import { aRegistry } from '../../testing/apps/a-registry.js';
import { CARD, ENTRY, fetchRecord, registered } from '../../testing/apps/registering.js';
import { aReplica, expectFirstWins, expectSameOnReplicas, type KindsOver } from '../../testing/replica.js';
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
    await app.clock.advance(60_000);
    await app.call('PATCH', '/v1/agents/me', { description: 'Paints boats.', avail_status: 'busy' }, painter.as);
    await app.call('POST', '/v1/agents/me/state', { availability: { now: false } }, painter.as);
    const { agent_id, api_key } = painter;
    await app.call('POST', '/v1/agents/token', { agent_id, api_key });
    await app.call('PATCH', '/v1/agents/me', { description: 'Paints boats.' }, painter.as);
    const gilder = await registered(app, 'gilder');
    const claims = ({ token }: { token: string }) => app.registry.recognize(token) as AgentClaims;
    const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
    await app.registry.bindKey(claims(gilder), key(1));
    await app.registry.bindKey(claims(painter), key(1));
    await Promise.all([1, 2].map(() => app.call('DELETE', '/v1/agents/me', undefined, gilder.as)));
    const outcomes = await expectSameOnReplicas(app, kindsOver);
    expect(outcomes.filter(({ ok }) => !ok)).toMatchObject([{ code: 'agent_id_claimed' }, { code: 'not_found' }]);
    expect(new Set(app.commands.map(({ kind }) => kind)).size).toBe(7);
    expect(JSON.stringify(app.commands)).not.toContain(api_key);
  });

  it('note signs of life in memory, known at once, and send one command a minute for all agents', async () => {
    const app = await aRegistry();
    // What is noted is written each full minute from here on.
    await app.clock.advance(30_000);
    const agents = await Promise.all(
      Array.from({ length: 10 }, (_, number) => registered(app, `painter-${number}`, { agent_card: CARD })),
    );
    const listSent = () => app.commands.filter(({ kind }) => kind !== 'registry.register');
    const listStored = () => app.database.sql('SELECT DISTINCT last_seen_ms FROM registry_seen').pluck().all();
    const countLive = async () => ((await app.call('GET', '/v1/agents?live=true')).body as RegistryList).count;
    const registeredMs = app.clock.now();
    await app.clock.advance(280_000);
    for (let beat = 0; beat < 10; beat += 1)
      for (const { token } of agents) {
        const said = beat % 2 === 0 ? undefined : { agent_card: CARD };
        await app.registry.heartbeat(app.registry.recognize(token) as AgentClaims, said);
      }
    const seenMs = app.clock.now();
    expect([listSent(), listStored()]).toEqual([[], [registeredMs]]);
    expect(await fetchRecord(app, 'painter-7')).toMatchObject({ live: true, last_seen: seenMs / 1000 });
    // What the table holds is older than five minutes now.
    await app.clock.advance(21_000);
    expect([await countLive(), app.registry.isLive('painter-7')]).toEqual([10, true]);
    await app.clock.advance(29_000);
    await expect.poll(listSent).toMatchObject([{ kind: 'registry.seen', entity: 'seen' }]);
    await expect.poll(listStored).toEqual([seenMs]);
    expect([await countLive(), await fetchRecord(app, 'painter-7')]).toMatchObject([10, { last_seen: seenMs / 1000 }]);
    const outcomes = await expectSameOnReplicas(app, kindsOver);
    expect(outcomes.at(-1)).toMatchObject({ ok: true, result: { length: 10 } });
  });

  it('take nobody as seen later than it was said, nor one that is gone', async () => {
    const app = await aRegistry();
    const [painter, printer] = [await registered(app, 'painter'), await registered(app, 'printer')];
    await app.call('DELETE', '/v1/agents/me', undefined, printer.as);
    const [register] = app.commands as [Command];
    const seen = [1, 2, 3].map((agent) => ({ agent, ms: register.at + 3_600_000 }));
    const replica = aReplica(kindsOver);
    const outcomes = await replica.apply([...app.commands, { ...register, kind: 'registry.seen', body: { seen } }]);
    expect(outcomes.at(-1)).toEqual({
      ok: true,
      result: [{ agent_id: painter.agent_id, ms: register.at, isAway: false }],
    });
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
