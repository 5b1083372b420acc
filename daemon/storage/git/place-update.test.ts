import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { PlaceUpdate } from './place-update.js';

it('a lock of a place is never seen without its name, and only its own name takes it again', async () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  const repository = await GitRepository.open(root, { PATH: process.env['PATH'], HOME: '/nonexistent' });
  if (!repository) throw new Error('no repository');
  const head = git(root, 'rev-parse', 'HEAD').trim();
  const move = { before: head, after: head, name: 'meshd one' };
  const seen = new Set<string>();
  const openLock = () => {
    try {
      return openSync(join(root, '.git/index.lock'), 'r');
    } catch {
      return undefined;
    }
  };
  // Looks once in each turn of the event loop, between the steps of the lock.
  const look = () => {
    const lock = openLock();
    if (lock !== undefined) {
      seen.add(readFileSync(lock, 'latin1'));
      closeSync(lock);
    }
    looking = setImmediate(look);
  };
  let looking = setImmediate(look);
  for (let round = 0; round < 20; round += 1) await (await PlaceUpdate.lock(repository, move)).unlock();
  clearImmediate(looking);
  expect([...seen]).toEqual(['meshd one']);

  const place = await PlaceUpdate.lock(repository, move);
  await expect(PlaceUpdate.lock(repository, { ...move, name: 'meshd two' })).rejects.toMatchObject({
    code: 'in_flight',
  });
  await (await PlaceUpdate.lock(repository, move)).unlock();
  await place.unlock();
});
