import { expect, it } from 'vitest';
import { PEER_STORE_BYTES, PEERS_STORE_BYTES } from '../../contract/limits.js';
import type { OtherUsers } from '../../contract/system.js';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from '../database/database.js';
import { listOtherUsers } from './other-users.js';
import { ALL_PEERS, PeerUsage } from './peer-usage.js';

it('lists the other users whose requests count at present, most bytes first, without the sum as a user', async () => {
  const [folder, clock] = [temporaryFolder(), new FakeClock()];
  const database = new Database(`${folder}/mesh.db`);
  const usage = new PeerUsage(database, folder, clock);
  await database.write(() => {
    const put = database.sql('INSERT INTO peer_usage (uid, bytes, as_of_ms) VALUES (?, ?, ?)');
    for (const [uid, bytes] of [
      [1001, 5_000],
      [-1, 9_000],
      [ALL_PEERS, 14_000],
    ])
      put.run(uid, bytes, clock.now());
    put.run(1002, 100, clock.now() - 86_400_000);
  });
  expect(listOtherUsers(usage)).toEqual({
    identified: process.platform === 'linux',
    users: [
      { uid: null, store_bytes: 9_000, store_bytes_max: PEER_STORE_BYTES },
      { uid: 1001, store_bytes: 5_000, store_bytes_max: PEER_STORE_BYTES },
    ],
    store_bytes: 14_000,
    store_bytes_max: PEERS_STORE_BYTES,
  });
  database.close();
});

it('lists at most a hundred users, and whole bytes', () => {
  let limit = 0;
  const users = listOtherUsers({
    list: (max) => {
      limit = max;
      return [];
    },
    bytesOf: () => 0.5,
  });
  expect([limit, users.store_bytes]).toEqual([100, 1]);
});

it('are none on a machine of one user, for the operator', async () => {
  const app = await testApp();
  expect((await app.call('GET', '/other-users')).body as unknown as OtherUsers).toMatchObject({
    users: [],
    store_bytes: 0,
  });
});
