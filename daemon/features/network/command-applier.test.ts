import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import type { Command } from '../../shared-log/shared-log.js';
import { NetworkReplica, TEST_NETWORK } from '../../testing/apps/network-replica.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { commandSubject, type StreamMessage, signCommand } from './command-envelope.js';
import { rotationBody } from './membership.js';
import { listDaemons } from './network-store.js';

const NOW = Date.UTC(2026, 10, 21, 12);

/** A stream in memory, and a store that applies it. */
function openReplica() {
  const replica = NetworkReplica.create(temporaryFolder());
  onTestFinished(() => replica.database.close());
  replica.begin('then');
  const applier = replica.createApplier();
  let sequence = 0;
  const apply = (message: Omit<StreamMessage, 'sequence'>) => {
    sequence += 1;
    return applier.apply({ ...message, sequence });
  };
  return { replica, applier, apply, keys: () => listDaemons(replica.database).map(({ key }) => key) };
}

/** A signed message as the stream delivers it; `changes` are made before it is signed. */
function message(key: SigningKey, kind: string, entity: string, body = {}, changes: Partial<Command> = {}) {
  const command: Command = { schema: 1, id: randomUUID(), kind, entity, at: NOW, daemon: idOf(key), body, ...changes };
  return {
    subject: commandSubject(TEST_NETWORK, command),
    data: Buffer.from(signCommand(key, TEST_NETWORK, command)),
    timeMs: NOW,
  };
}

const claim = (key: SigningKey, berth: string, changes: Partial<Command> = {}) =>
  message(key, 'berth.claim', berth, { holder: 'Aurora' }, changes);

it('applies a command with its sequence, and no message twice', async () => {
  const { replica, applier } = openReplica();
  const first = { ...claim(newKey(), 'b1'), sequence: 7 };
  const [once, twice] = await Promise.all([applier.apply(first), applier.apply(first)]);
  expect(once).toMatchObject({ sequence: 7, outcome: { ok: true, result: { holder: 'Aurora' } } });
  expect([twice, applier.sequence, replica.berths()]).toEqual([undefined, 7, { b1: 'Aurora' }]);
});

it('refuses what the decider refuses, without a trace but the position', async () => {
  const { replica, applier, apply } = openReplica();
  const key = newKey();
  const results = await Promise.all([apply(claim(key, 'b1')), apply(claim(key, 'b1')), apply(claim(key, 'b2'))]);
  expect(results.map((applied) => applied?.outcome)).toMatchObject([
    { ok: true },
    { ok: false, status: 409, code: 'agent_id_claimed' },
    { ok: true },
  ]);
  expect([applier.sequence, Object.keys(replica.berths())]).toEqual([3, ['b1', 'b2']]);
});

it.each<[string, (key: SigningKey) => Omit<StreamMessage, 'sequence'>]>([
  ['signature', (key) => claim(newKey(), 'b1', { daemon: idOf(key) })],
  [
    'signature',
    (key) => {
      const genuine = claim(key, 'b1');
      return { ...genuine, data: Buffer.from(genuine.data.toString().replace('Aurora', 'Borneo')) };
    },
  ],
  ['clock', (key) => claim(key, 'b1', { at: NOW - 2 * 3_600_000 })],
  ['clock', (key) => claim(key, 'b1', { at: NOW + 121_000 })],
  ['subject', (key) => ({ ...claim(key, 'b1'), subject: commandSubject(TEST_NETWORK, { kind: 'a.b', entity: 'b1' }) })],
  ['schema', (key) => claim(key, 'b1', { id: 'not a uuid' })],
  ['kind', (key) => message(key, 'berth.sink', 'b1')],
  ['form', () => ({ ...claim(newKey(), 'b1'), data: Buffer.from('{') })],
  ['form', () => ({ ...claim(newKey(), 'b1'), data: Buffer.from('['.repeat(10_000)) })],
  ['owner', (key) => message(key, 'daemon.leave', idOf(newKey()))],
])('refuses a command by its %s, and goes on', async (reason, make) => {
  const { replica, apply } = openReplica();
  const key = newKey();
  const [refused, next] = await Promise.all([apply(make(key)), apply(claim(key, 'b2'))]);
  expect(refused?.refused?.reason).toBe(reason);
  expect(next?.outcome).toMatchObject({ ok: true });
  expect(replica.berths()).toEqual({ b2: 'Aurora' });
});

it('refuses a replay, even of a command that its decider had refused', async () => {
  const { replica, apply } = openReplica();
  const [mine, others] = [newKey(), newKey()];
  const late = claim(others, 'b1');
  await Promise.all([claim(mine, 'b1'), late, message(mine, 'berth.free', 'b1')].map(apply));
  const replay = await apply(late);
  expect([replay?.refused?.reason, replay?.id, replica.berths()]).toEqual(['replay', undefined, {}]);
  const muchLater = await apply({ ...late, timeMs: NOW + 3_600_000 });
  expect(muchLater?.refused?.reason).toBe('clock');
});

it('lets only the owner change and remove what a daemon made', async () => {
  const { replica, apply } = openReplica();
  const [mine, other] = [newKey(), newKey()];
  const results = await Promise.all([
    apply(claim(mine, 'b1')),
    apply(message(other, 'berth.move', 'b1', { holder: 'Pirate' })),
    apply(message(other, 'berth.free', 'b1')),
    apply(message(mine, 'berth.move', 'b1', { holder: 'Calypso' })),
  ]);
  expect(results.map((applied) => applied?.refused?.reason)).toEqual([undefined, 'owner', 'owner', undefined]);
  expect(replica.berths()).toEqual({ b1: 'Calypso' });
  await Promise.all([apply(message(mine, 'berth.free', 'b1')), apply(claim(other, 'b1'))]);
  expect((await apply(message(other, 'berth.move', 'b1', { holder: 'Pirate' })))?.outcome.ok).toBe(true);
});

it('binds a key by its first command, and replaces it only by a rotation that both keys sign', async () => {
  const { apply, keys } = openReplica();
  const [old, next, thief] = [newKey(), newKey(), newKey()];
  const id = idOf(old);
  await apply(claim(old, 'b1'));
  const stolen = { ...rotationBody(TEST_NETWORK, id, thief), key: idOf(next) };
  const refused = await apply(message(old, 'daemon.rotate', id, stolen));
  expect([refused?.refused?.reason, keys()]).toEqual(['signature', [id]]);
  await apply(message(old, 'daemon.rotate', id, rotationBody(TEST_NETWORK, id, next)));
  expect(keys()).toEqual([idOf(next)]);
  const [before, after] = await Promise.all([
    apply(message(old, 'berth.free', 'b1')),
    apply(message(next, 'berth.free', 'b1')),
  ]);
  expect([before?.refused?.reason, after?.outcome.ok]).toEqual(['key', true]);
});

it('stops at a signed command of a newer schema, and applies nothing after it', async () => {
  const { replica, applier, apply } = openReplica();
  const key = newKey();
  const newer = claim(key, 'b2', { schema: 2 as 1 });
  const results = await Promise.allSettled([apply(claim(key, 'b1')), apply(newer), apply(claim(key, 'b3'))]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect([applier.sequence, replica.berths()]).toEqual([1, { b1: 'Aurora' }]);
  expect(results[1]).toMatchObject({ reason: { name: 'UnknownSchemaError', schema: 2, daemon: idOf(key) } });
  // Unsigned, it stops nobody.
  const forged = claim(newKey(), 'b2', { schema: 2 as 1, daemon: idOf(key) });
  applier.restart();
  expect((await applier.apply({ ...forged, sequence: 2 }))?.refused?.reason).toBe('signature');
});

it('gives two stores the same rows, however their messages are grouped', async () => {
  const [one, other] = [openReplica(), openReplica()];
  const [mine, others] = [newKey(), newKey()];
  const race = Array.from({ length: 30 }, (_, index) => claim(index % 2 === 0 ? mine : others, `b${index % 10}`));
  const messages = [...race, message(mine, 'berth.free', 'b2'), race[12] as (typeof race)[number]];
  await Promise.all(messages.map(one.apply));
  for (const each of messages) await other.apply(each);
  expect(one.replica.digest()).toBe(other.replica.digest());
  expect(Object.keys(one.replica.berths())).toHaveLength(9);
});
