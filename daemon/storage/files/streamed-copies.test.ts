import fs, { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { StreamedCopies } from './streamed-copies.js';

function someCopies() {
  const folder = join(temporaryFolder(), 'copies');
  return { folder, copies: new StreamedCopies(folder, '.tar') };
}

it('writes files that only the user can read, and reads them again', async () => {
  const { folder, copies } = someCopies();
  await copies.write('b', Readable.from([Buffer.from('one '), Buffer.from('two')]));
  await copies.write('a', Readable.from([Buffer.from('first')]));
  expect(readdirSync(folder).sort()).toEqual(['a.tar', 'b.tar']);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'b.tar')).mode & 0o777]).toEqual([0o700, 0o600]);
  expect([await text(copies.read('b')), await copies.list()]).toEqual(['one two', ['a', 'b']]);
});

it('lists only whole files, and none before the first one', async () => {
  const { folder, copies } = someCopies();
  expect(await copies.list()).toEqual([]);
  await copies.write('a', Readable.from([]));
  const broken = async function* () {
    yield Buffer.from('half of it');
    throw new Error('the source broke');
  };
  await expect(copies.write('b', Readable.from(broken()))).rejects.toThrow('the source broke');
  writeFileSync(join(folder, 'c.tar.gz'), '');
  expect(await copies.list()).toEqual(['a']);
  expect(readFileSync(join(folder, 'a.tar'), 'utf8')).toBe('');
});

it('removes a file, and what is half-written of it', async () => {
  const { folder, copies } = someCopies();
  await copies.remove('a');
  await copies.write('a', Readable.from([]));
  writeFileSync(join(folder, 'a.tar.new'), '');
  await copies.remove('a');
  expect(readdirSync(folder)).toEqual([]);
});

it('says when its folder cannot be read', async () => {
  const place = join(temporaryFolder({ file: '' }), 'file');
  await expect(new StreamedCopies(place, '.tar').list()).rejects.toMatchObject({ code: 'ENOTDIR' });
});

it('lists names in the order of the names themselves', async () => {
  const { copies } = someCopies();
  for (const name of ['a-b', 'a']) await copies.write(name, Readable.from([]));
  expect(await copies.list()).toEqual(['a', 'a-b']);
});

it('brings a file to the disk before it gets its name', async () => {
  const { folder, copies } = someCopies();
  const fsync = vi.spyOn(fs, 'fsync').mockImplementation((_, done) => {
    expect(readdirSync(folder)).toEqual(['a.tar.new']);
    expect(readFileSync(join(folder, 'a.tar.new'), 'utf8')).toBe('whole');
    done(null);
  });
  onTestFinished(() => fsync.mockRestore());
  await copies.write('a', Readable.from([Buffer.from('whole')]));
  expect(fsync).toHaveBeenCalledTimes(1);
});
