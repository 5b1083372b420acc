import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { expect, it, onTestFinished } from 'vitest';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import { ANY_DAEMON, commandKind, type Ownership } from '../../shared-log/command-kinds.js';
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

it('refuses a newer schema of a key that no daemon of the network has, and goes on', async () => {
  const { replica, apply } = openReplica();
  const refused = await apply(claim(newKey(), 'b1', { schema: 2 as 1 }));
  expect(refused?.refused).toMatchObject({
    ...{ reason: 'schema', message: expect.stringContaining('No daemon of the network has the key that signed it.') },
  });
  await apply(claim(newKey(), 'b2'));
  expect(replica.berths()).toEqual({ b2: 'Aurora' });
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

it('reads its position from the store, which has none before a network', () => {
  const replica = NetworkReplica.create(temporaryFolder());
  onTestFinished(() => replica.database.close());
  const applier = replica.createApplier();
  expect([applier.sequence, applier.restart()]).toEqual([0, 0]);
  replica.begin('then');
  replica.database.sql('UPDATE network_state SET sequence = 5').run();
  expect([applier.sequence, applier.restart()]).toEqual([5, 5]);
});

it('tells who sent a command, under the id of its daemon, and what the decider was asked', async () => {
  const { apply } = openReplica();
  const [old, next] = [newKey(), newKey()];
  await apply(message(old, 'daemon.rotate', idOf(old), rotationBody(TEST_NETWORK, idOf(old), next)));
  const sent = claim(next, 'b1', { id: '00000000-0000-0000-0000-000000000001' });
  expect(await apply(sent)).toEqual({
    ...{ sequence: 2, id: '00000000-0000-0000-0000-000000000001', key: idOf(next), refused: undefined },
    command: {
      ...{ schema: 1, id: '00000000-0000-0000-0000-000000000001', kind: 'berth.claim', entity: 'b1', at: NOW },
      ...{ daemon: idOf(old), body: { holder: 'Aurora' } },
    },
    outcome: { ok: true, result: { holder: 'Aurora' } },
  });
  const own = await apply(message(next, 'daemon.join', idOf(old), { name: 'Pier' }));
  expect(own).toMatchObject({
    ...{ command: { daemon: idOf(old), kind: 'daemon.join' }, outcome: { ok: true, result: { daemon: idOf(old) } } },
  });
});

it('tells of a message that is no signed command no more than why it was refused', async () => {
  const { apply } = openReplica();
  const refused = await apply({ ...claim(newKey(), 'b1'), data: Buffer.from('{}') });
  const message = 'The message is no signed command.';
  expect(refused).toEqual({
    ...{ sequence: 1, id: undefined, key: undefined, command: undefined },
    outcome: { ok: false, status: 400, code: 'bad_request', message },
    refused: expect.objectContaining({ reason: 'form', message }),
  });
});

it.each<[string, string, (key: SigningKey) => Omit<StreamMessage, 'sequence'>, string]>([
  ['kind', 'bad_request', (key) => message(key, 'berth.sink', 'b1'), '"berth.sink" is no kind of command.'],
  [
    ...(['form', 'bad_request', (key: SigningKey) => message(key, 'berth.claim', 'b1', { holder: 7 })] as const),
    'The body of "berth.claim" has not the form of that kind.',
  ],
  [
    ...(['owner', 'forbidden', (key: SigningKey) => message(key, 'berth.move', 'theirs')] as const),
    '"theirs" belongs to another daemon of the network.',
  ],
])('says what is wrong with a command by its %s', async (reason, code, make, text) => {
  const { apply } = openReplica();
  await apply(claim(newKey(), 'theirs'));
  const applied = await apply(make(newKey()));
  expect(applied).toMatchObject({
    refused: { reason },
    command: undefined,
    outcome: { ok: false, code, message: text },
  });
  expect([applied?.id, applied?.key]).toEqual([expect.any(String), expect.any(String)]);
});

it('says that a command was applied before, and that a key was replaced', async () => {
  const { apply } = openReplica();
  const [old, next] = [newKey(), newKey()];
  const first = claim(old, 'b1', { id: '00000000-0000-0000-0000-000000000001' });
  await apply(first);
  expect((await apply(first))?.outcome).toMatchObject({
    code: 'bad_signature',
    message: 'The command 00000000-0000-0000-0000-000000000001 was applied before.',
  });
  await apply(message(old, 'daemon.rotate', idOf(old), rotationBody(TEST_NETWORK, idOf(old), next)));
  expect((await apply(claim(old, 'b2')))?.outcome).toMatchObject({
    code: 'forbidden',
    message: 'The key that signed the command was replaced by another one.',
  });
});

it('keeps the ids of commands for six minutes of the servers, and when each daemon came', async () => {
  const { replica, apply } = openReplica();
  const key = newKey();
  await apply(claim(key, 'b1'));
  const count = () => replica.database.sql('SELECT count(*) FROM network_commands').pluck().get();
  await apply({ ...claim(key, 'b2', { at: NOW + 360_000 }), timeMs: NOW + 360_000 });
  expect(count()).toBe(2);
  await apply({ ...claim(key, 'b3', { at: NOW + 360_001 }), timeMs: NOW + 360_001 });
  expect(count()).toBe(2);
  expect(listDaemons(replica.database)).toMatchObject([{ id: idOf(key), joined_ms: NOW }]);
});

/** A replica with one more kind of command, which runs `decide`. */
function withKind(decide: () => unknown, ownership: Ownership<Record<string, unknown>> = ANY_DAEMON) {
  const opened = openReplica();
  opened.replica.kinds.define({
    'test.run': commandKind(Type.Record(Type.String(), Type.Unknown()), decide, ownership),
  });
  return { ...opened, run: (entity = 'b1', body = {}) => opened.apply(message(newKey(), 'test.run', entity, body)) };
}

it.each([
  ['is read-only', new MeshError('store_readonly', 'The store is read-only.')],
  ['is full', new MeshError('no_space', 'The disk is full.')],
  ['has failed', Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })],
])('applies nothing more when the store %s, until it begins again', async (_, error) => {
  const state: { error: Error | undefined } = { error };
  const { applier, apply, run, replica } = withKind(() => {
    if (state.error) throw state.error;
    return 'done';
  });
  await expect(run()).rejects.toBe(error);
  await expect(apply(claim(newKey(), 'b2'))).rejects.toBe(error);
  expect([applier.sequence, replica.berths()]).toEqual([0, {}]);
  state.error = undefined;
  applier.restart();
  expect((await run())?.outcome).toEqual({ ok: true, result: 'done' });
});

it.each([
  ['a fault', new Error('a private text')],
  ['a row that is there', Object.assign(new Error('UNIQUE'), { code: 'SQLITE_CONSTRAINT_UNIQUE' })],
  ['another system call', Object.assign(new Error('no entry'), { code: 'ENOENT' })],
])('goes on after %s in a decider, of which it tells nothing', async (_, error) => {
  const { apply, run } = withKind(() => {
    throw error;
  });
  const applied = await run();
  expect(applied?.outcome).toEqual({
    ...{ ok: false, status: 500, code: 'internal', message: 'The change could not be decided.' },
  });
  expect([applied?.refused, applied?.command]).toEqual([undefined, undefined]);
  expect((await apply(claim(newKey(), 'b2')))?.outcome.ok).toBe(true);
});

it('passes on the details of what a decider refuses', async () => {
  const { run } = withKind(() => {
    throw new MeshError('bad_request', 'No.', { details: { path: 'name' } });
  });
  expect((await run())?.outcome).toMatchObject({ ok: false, code: 'bad_request', details: { path: 'name' } });
});

it('undoes a change by which a daemon would take what is another’s', async () => {
  const { replica, apply, run } = withKind(
    () => replica.database.sql("UPDATE test_berths SET holder = 'Pirate'").run().changes,
    { takes: (_, { entity }) => [{ area: 'post', id: entity }] },
  );
  await apply(claim(newKey(), 'b1'));
  expect((await run('b1'))?.refused?.reason).toBe('owner');
  expect(replica.berths()).toEqual({ b1: 'Aurora' });
  expect((await run('b2'))?.outcome.ok).toBe(true);
  expect((await run('b2'))?.refused?.reason).toBe('owner');
});

it('asks for the owner of each thing that a change needs', async () => {
  const { apply, run } = withKind(() => 'done', {
    requires: (body) => (body['needs'] as string[]).map((id) => ({ area: 'post', id })),
  });
  await apply(claim(newKey(), 'theirs'));
  expect((await run('b1', { needs: ['nobodys'] }))?.outcome.ok).toBe(true);
  expect((await run('b1', { needs: ['nobodys', 'theirs'] }))?.refused?.reason).toBe('owner');
});

it('has settled once all that it was given is applied', async () => {
  const { replica, apply, applier } = openReplica();
  void apply(claim(newKey(), 'b1'));
  void apply(claim(newKey(), 'b2'));
  await applier.settled();
  expect(Object.keys(replica.berths())).toEqual(['b1', 'b2']);
});
