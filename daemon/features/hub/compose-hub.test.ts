import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import * as errorsContract from '../../contract/errors.js';
import * as agentsContract from '../../contract/network/agents.js';
import * as hubContract from '../../contract/network/hub.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { PartnerKeys } from '../../http/callers/partner-key.js';
import type { PeerLimits } from '../../http/callers/peer-limits.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import { MeshError } from '../../lib/errors.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import { anAgent } from '../../testing/apps/an-agent.js';
import { serverWith } from '../../testing/apps/server-with.js';
import { caller } from '../../testing/caller.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { SocketClient } from '../../testing/processes/socket-client.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { composeHub } from './compose-hub.js';

/** The hub on a server, with limits of other users that call `carry` for each frame. */
async function composed(carry?: (bytes: number, work: () => Promise<void>) => Promise<void>) {
  const clock = new FakeClock();
  const gone: string[] = [];
  const log: string[] = [];
  const contract = [errorsContract, agentsContract, hubContract];
  const limits = { carry: (_: Socket, bytes: number, work: () => Promise<void>) => carry?.(bytes, work) };
  let shared: SharedChanges | undefined;
  const server = await serverWith({ root: temporaryFolder(), clock, contract, log }, (parts) => {
    shared = parts.shared;
    const wrong = new WrongCredentials(clock);
    return composeHub({
      ...{ ...parts, clock, wrong, partners: new PartnerKeys([], wrong) },
      tokens: new AgentTokens('hub', Buffer.alloc(32, 1), clock),
      gone: (agentId) => void gone.push(agentId),
      ...(carry && { peerLimits: limits as unknown as PeerLimits }),
    });
  });
  const app = { call: caller(server.address) };
  const [lamp, horn] = [await anAgent(app, 'lamp'), await anAgent(app, 'horn')];
  const live = async (token: string) => {
    const client = new SocketClient(`${server.address.replace('http', 'ws')}/agents/ws?token=${token}`);
    await new Promise((resolve) => client.socket.once('open', resolve));
    return client;
  };
  return { ...server, clock, gone, log, lamp, horn, live, replaced: () => shared?.kinds.replaced() };
}

const SAY = JSON.stringify({ type: 'send', to: 'horn', payload: 'fog' });

describe('The composed hub', () => {
  it('carries each frame by the limits of other users, whose refusal and failure the client is told', async () => {
    const carried: number[] = [];
    const failures = [undefined, new MeshError('no_space', 'Full.'), new Error('a defect')];
    const { lamp, live, log, database } = await composed((bytes, work) => {
      carried.push(bytes);
      const failure = failures.shift();
      return failure ? Promise.reject(failure) : work();
    });
    const client = await live(lamp.token);
    for (const answer of [{ type: 'room_created' }, { error: 'no_space', message: 'Full.' }, { error: 'internal' }]) {
      client.socket.send(SAY);
      expect(await client.next()).toMatchObject(answer);
    }
    expect(carried).toEqual(Array(3).fill(SAY.length));
    expect(database.sql('SELECT count(*) FROM hub_messages').pluck().get()).toBe(1);
    const told = log.filter((line) => line.includes('could not be carried out')).map((line) => JSON.parse(line));
    expect(told).toMatchObject([
      { level: 50, area: 'agents', msg: 'a frame could not be carried out', err: { message: 'a defect' } },
    ]);
  });

  it('deletes what else is about an agent that goes, closes its sockets, and tells of messages', async () => {
    const { lamp, horn, live, gone, surface } = await composed();
    const told: string[] = [];
    surface.onSent(({ from, to }) => void told.push(`${from} ${to}`));
    const client = await live(horn.token);
    await lamp.call('POST', '/agents/messages', { to: 'horn', payload: 1 });
    expect([surface.sockets, surface.queuedBytes, told]).toEqual([1, 0, ['lamp horn']]);
    await horn.call('DELETE', '/agents/me');
    expect([await client.closed, gone]).toEqual([{ code: 4401, reason: 'this registration is over' }, ['horn']]);
  });

  it('closes the sockets of registrations that are not among those by which all were replaced', async () => {
    const { lamp, horn, live, database, replaced, surface } = await composed();
    const [client] = [await live(horn.token), await live(lamp.token)];
    database.sql("DELETE FROM hub_agents WHERE agent_id = 'horn'").run();
    await replaced();
    expect([await client.closed, surface.sockets]).toEqual([{ code: 4401, reason: 'this registration is over' }, 1]);
  });

  it('has no timer left once it has stopped, and has written what it noted', async () => {
    const { clock, lamp, surface, database } = await composed();
    clock.advance(1_000);
    await lamp.call('PATCH', '/agents/me', {});
    expect(clock.pending).toBeGreaterThan(0);
    await surface.stop();
    expect(clock.pending).toBe(0);
    const seen = database.sql('SELECT last_seen_ms FROM hub_watermarks ORDER BY agent LIMIT 1').pluck().get();
    expect(seen).toBe(clock.now());
  });
});
