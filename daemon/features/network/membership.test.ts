import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NETWORK_NAME_CHARS_MAX } from '../../contract/shared/network.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { decideMembership, MEMBERSHIP_KINDS, rotationBody } from './membership.js';
import { bindDaemon, findDaemonById, isOldKey, type NetworkDaemon } from './network-store.js';

const NETWORK = 'docks';
const NOW = 1_800_000_000_000;

/** A network with one daemon, which sends commands about itself. */
async function aDaemon() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const key = newKey();
  const id = idOf(key);
  await transactions.run((transaction) => bindDaemon(transaction, id, NOW));
  const find = () => findDaemonById(database, id) as NetworkDaemon;
  const send = (kind: string, body: Record<string, unknown>, entity = id) => {
    const command = { schema: 1 as const, id: 'c', kind, entity, at: NOW, daemon: id, body };
    return transactions.run((transaction) =>
      decideMembership(transaction, { network: NETWORK, daemon: find(), command, timeMs: NOW + 7 }),
    );
  };
  return { database, transactions, id, find, send };
}

it('is decided for joining, leaving and another key', () => {
  expect([...MEMBERSHIP_KINDS]).toEqual(['daemon.join', 'daemon.leave', 'daemon.rotate']);
});

it('names a daemon that joins, and notes when it leaves by the clock of the servers', async () => {
  const { id, find, send } = await aDaemon();
  expect(await send('daemon.join', { name: 'Pier' })).toEqual({ daemon: id });
  expect(find()).toMatchObject({ name: 'Pier', left_ms: null });
  expect(await send('daemon.leave', {})).toEqual({ daemon: id });
  expect(find()).toMatchObject({ name: 'Pier', left_ms: NOW + 7 });
  await send('daemon.join', { name: 'Quay' });
  expect(find()).toMatchObject({ name: 'Quay', left_ms: null });
});

it('takes names of 1 to 100 characters that are not blank', async () => {
  const { find, send } = await aDaemon();
  await send('daemon.join', { name: 'x'.repeat(NETWORK_NAME_CHARS_MAX) });
  expect(find().name).toHaveLength(NETWORK_NAME_CHARS_MAX);
  for (const name of ['x'.repeat(NETWORK_NAME_CHARS_MAX + 1), '', ' \n', 7, undefined])
    await expect(send('daemon.join', { name })).rejects.toMatchObject({
      ...{ reason: 'form', code: 'bad_request', message: "A daemon's name is a text of 1 to 100 characters." },
    });
  await send('daemon.join', { name: ' x' });
  expect(find().name).toBe(' x');
});

it.each(['daemon.join', 'daemon.leave', 'daemon.rotate'])('lets no daemon send %s for another one', async (kind) => {
  const { send, find } = await aDaemon();
  await expect(send(kind, { name: 'x' }, 'another')).rejects.toMatchObject({
    ...{ reason: 'owner', code: 'forbidden' },
    message: 'A daemon joins, leaves and changes its key for itself only.',
  });
  expect(find()).toMatchObject({ name: '', left_ms: null });
});

it('replaces a key by one that its holder has signed with, for this daemon in this network', async () => {
  const { database, id, find, send } = await aDaemon();
  const next = newKey();
  const body = rotationBody(NETWORK, id, next);
  expect(body).toEqual({ key: idOf(next), sig: next.sign(`meshd key\n${NETWORK}\n${id}\n${idOf(next)}`) });
  const wrong = { reason: 'signature', message: 'The rotation is not signed by the new key.' };
  for (const forged of [rotationBody('quays', id, next), rotationBody(NETWORK, 'another', next)])
    await expect(send('daemon.rotate', forged)).rejects.toMatchObject(wrong);
  expect(find().key).toBe(id);
  expect(await send('daemon.rotate', body)).toEqual({ daemon: id });
  expect([find().key, isOldKey(database, id)]).toEqual([idOf(next), true]);
});

it('refuses a rotation without a key and a signature', async () => {
  const { id, send } = await aDaemon();
  const { key, sig } = rotationBody(NETWORK, id, newKey());
  for (const body of [{}, { key }, { sig }, { key: 7, sig }, { key, sig: 7 }, { key: `${String(key)}=`, sig }])
    await expect(send('daemon.rotate', body)).rejects.toMatchObject({
      ...{ reason: 'key', code: 'forbidden', message: 'A rotation needs the new key and its signature.' },
    });
});

it('takes no key that a daemon has or had', async () => {
  const { id, send, transactions } = await aDaemon();
  const [next, other] = [newKey(), newKey()];
  await transactions.run((transaction) => bindDaemon(transaction, idOf(other), NOW));
  await send('daemon.rotate', rotationBody(NETWORK, id, next));
  const third = newKey();
  await send('daemon.rotate', rotationBody(NETWORK, id, third));
  for (const used of [other, next, third])
    await expect(send('daemon.rotate', rotationBody(NETWORK, id, used))).rejects.toMatchObject({
      ...{ reason: 'key', message: 'The new key is or was the key of a daemon.' },
    });
});
