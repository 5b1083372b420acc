import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SigningKey } from './lib/crypto/ed25519.js';
import { signMeshSig } from './lib/crypto/mesh-sig.js';
import { openSqlite } from './storage/database/sqlite.js';
import { anAgent } from './testing/apps/an-agent.js';
import { CARD, registered } from './testing/apps/registering.js';
import { type TestApp, testApp } from './testing/apps/test-app.js';

const GONE = 'Vanishing-Painter';

/** Returns the columns of all tables that contain `word`, ignoring case, as `table.column`. */
function cellsWith(root: string, word: string): string[] {
  const sqlite = openSqlite(join(root, '.mesh/state/mesh.db'), { readonly: true });
  const tables = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
  const found = tables.flatMap(({ name }) =>
    (sqlite.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[]).flatMap((row) =>
      Object.entries(row)
        .filter(([, value]) =>
          String(Buffer.isBuffer(value) ? value.toString('latin1') : value)
            .toLowerCase()
            .includes(word.toLowerCase()),
        )
        .map(([column]) => `${name}.${column}`),
    ),
  );
  sqlite.close();
  return [...new Set(found)].sort();
}

async function report(app: TestApp, key: SigningKey, agent: string): Promise<number> {
  const path = `/v1/agents/${agent}/feedback`;
  const body = JSON.stringify({ success: true });
  const signed = signMeshSig(key, { method: 'POST', path, body }, app.clock.now());
  return (await app.call('POST', path, body, { 'mesh-sig': signed })).status;
}

/** Leaves a trace of the agent wherever the daemon keeps one. Returns how to deregister it on each surface. */
async function leaveTraces(app: TestApp) {
  const onHub = await anAgent(app, GONE, { agent_card: CARD, description: 'Paints and goes.' });
  const peer = await anAgent(app, 'peer');
  const onV1 = await registered(app, GONE, { agent_card: CARD });
  await registered(app, 'peer');

  const key = new SigningKey(SigningKey.newSeed());
  const body = JSON.stringify({ pubkey: key.pubkey });
  const signed = signMeshSig(key, { method: 'PUT', path: '/v1/agents/me/key', body }, app.clock.now());
  expect((await app.call('PUT', '/v1/agents/me/key', body, { ...onV1.as, 'mesh-sig': signed })).status).toBe(200);
  expect(await report(app, key, 'peer')).toBe(200);
  expect(await report(app, new SigningKey(SigningKey.newSeed()), GONE)).toBe(200);

  await onHub.call('POST', '/agents/messages', { to: 'peer', payload: { hello: 1 } });
  await peer.call('POST', '/agents/messages', { to: GONE, payload: { hello: 2 } });
  const { channel } = (await onHub.call('POST', '/agents/channels', { name: 'Paint talk' })).body as {
    channel: { id: string };
  };
  await peer.call('POST', `/agents/channels/${channel.id}/join`);
  await onHub.call('POST', `/agents/channels/${channel.id}/send`, { payload: 3 });
  await onHub.call('PUT', '/agents/contacts/peer');
  await peer.call('PUT', `/agents/contacts/${GONE}`);
  for (const pair of [
    { requester: 'peer', agent_id: GONE },
    { requester: GONE, agent_id: 'peer' },
  ])
    expect((await app.call('POST', '/v1/feedback', { ...pair, kind: 'message_through' })).status).toBe(200);
  expect((await app.call('POST', '/v1/search', { query: 'paints' })).text).toContain(GONE);
  return { onHub, onV1 };
}

it('no table contains an agent that was deleted on both surfaces', async () => {
  const app = await testApp();
  const { onHub, onV1 } = await leaveTraces(app);
  expect((await onHub.call('DELETE', '/agents/me')).status).toBe(200);
  expect((await app.call('GET', `/v1/reputation/${GONE}`)).body).toMatchObject({ reports: 1 });
  expect((await app.call('DELETE', '/v1/agents/me', undefined, onV1.as)).status).toBe(200);
  expect((await app.call('GET', `/v1/reputation/${GONE}`)).status).toBe(404);
  // The agent's reports about others still count for them.
  expect((await app.call('GET', '/v1/reputation/peer')).body).toMatchObject({ reports: 1, message_through_count: 2 });
  await app.stop();
  expect(cellsWith(app.root, GONE)).toEqual([]);
});

it('the searched tables contain the agent while it is registered', async () => {
  const app = await testApp();
  await leaveTraces(app);
  await app.stop();
  expect(cellsWith(app.root, GONE)).toEqual(
    expect.arrayContaining([
      'oracle_impressions.agent_key',
      'oracle_messages_through.agent_key',
      'oracle_messages_through.requester_key',
      'reputation_reports.agent_id',
      'reputation_reports.reporter_agent_id',
    ]),
  );
});
