import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import { openSqlite } from './sqlite.js';
import { StoreCopies } from './store-copies.js';

function open(files: Record<string, string> = {}) {
  const folder = temporaryFolder(files);
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const keysIn = async (copy: { contents: NodeJS.ReadableStream }) => {
    const path = join(temporaryFolder(), 'copy.db');
    writeFileSync(path, await buffer(copy.contents));
    const read = openSqlite(path);
    onTestFinished(() => void read.close());
    return read.prepare('SELECT nonce FROM used_nonces ORDER BY nonce').pluck().all();
  };
  const insert = (nonce: string) =>
    database.write(() => database.sql("INSERT INTO used_nonces VALUES ('k', ?, 1)").run(nonce));
  return { folder, database, copies: new StoreCopies(database, folder), keysIn, insert };
}

describe('a copy of the store', () => {
  it('holds everything committed, has its whole length, and leaves no file', async () => {
    const { folder, copies, keysIn, insert } = open();
    await insert('a');
    const copy = await copies.make();
    expect(readdirSync(folder)).toEqual([]);
    await insert('later');
    const bytes = await buffer(copy.contents);
    expect([bytes.length, bytes.subarray(0, 15).toString()]).toEqual([copy.bytes, 'SQLite format 3']);
    expect(await keysIn(await copies.make())).toEqual(['a', 'later']);
  });

  it('is made after the one before, also when that one failed', async () => {
    const { folder, database, copies, keysIn, insert } = open();
    await insert('a');
    const { copyTo } = database;
    const steps: string[] = [];
    let count = 0;
    database.copyTo = async (path) => {
      count += 1;
      const own = count;
      steps.push(`begin ${own}`);
      if (own === 1) throw new RangeError('no');
      await copyTo.call(database, path);
      steps.push(`end ${own}`);
    };
    const [first, ...others] = [copies.make(), copies.make(), copies.make()] as const;
    await expect(first).rejects.toThrow(RangeError);
    for (const one of others) expect(await keysIn(await one)).toEqual(['a']);
    expect(steps).toEqual(['begin 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves no file when it cannot be made', async () => {
    const { folder, database, copies } = open();
    database.close();
    await expect(copies.make()).rejects.toThrow('The database connection is not open');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes the copies that a killed daemon left, and nothing else', async () => {
    const id = '0123456789abcdef';
    const left = [`.copy-${id}.db`, `.copy-${id}.db-journal`];
    const others = [`.copy-${id}.dbx`, `x.copy-${id}.db`, `.copy-${id.slice(1)}.db`, `.copy-${id}.db-wal`, 'mesh.db'];
    const { folder, copies } = open(Object.fromEntries([...left, ...others].map((name) => [name, ''])));
    (await copies.make()).contents.destroy();
    expect(readdirSync(folder).sort()).toEqual(others.sort());
  });
});
