import { join } from 'node:path';
import { Type } from 'typebox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MeshError } from '../lib/errors.js';
import { Database } from '../storage/database/database.js';
import { FakeClock } from '../testing/fake-clock.js';
import { putTemplateDatabase } from '../testing/template-database.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { ANY_DAEMON, commandKind } from './command-kinds.js';
import { createChanges } from './embedded-log.js';
import type { Command } from './shared-log.js';

const PUBKEY = Buffer.alloc(32, 251);

function anEmbeddedLog() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  database.sql('CREATE TABLE lamps (id TEXT PRIMARY KEY)').run();
  const clock = new FakeClock();
  const { kinds, log } = createChanges({ database, clock, pubkey: PUBKEY.toString('base64') });
  const decided: Command[] = [];
  kinds.define({
    'lamp.add': commandKind(
      Type.Object({ is_refused: Type.Boolean() }),
      ({ is_refused }, command) => {
        decided.push(command);
        database.sql('INSERT INTO lamps VALUES (?)').run(command.entity);
        if (is_refused) throw new MeshError('slug_taken', 'There is one.');
        return { id: command.entity };
      },
      ANY_DAEMON,
    ),
  });
  const lamps = () => database.sql('SELECT id FROM lamps ORDER BY id').pluck().all();
  return { clock, kinds, log, decided, lamps };
}

describe('the embedded log', () => {
  it('makes commands with the sender’s time, its key and an id of their own, and returns what the decider returned', async () => {
    const { clock, log, decided, lamps } = anEmbeddedLog();
    expect(await log.submit('lamp.add', 'one', { is_refused: false })).toEqual({ id: 'one' });
    await log.submit('lamp.add', 'two', { is_refused: false });
    expect(decided[0]).toEqual({
      ...{ schema: 1, id: expect.stringMatching(/^[0-9a-f-]{36}$/), kind: 'lamp.add', entity: 'one' },
      ...{ at: clock.now(), daemon: PUBKEY.toString('base64url'), body: { is_refused: false } },
    });
    expect(decided[1]?.id).not.toBe(decided[0]?.id);
    expect(lamps()).toEqual(['one', 'two']);
  });

  it('keeps nothing of a refused command, says why, and goes on with the others of the same commit', async () => {
    const { log, kinds, lamps } = anEmbeddedLog();
    const followed: unknown[] = [];
    kinds.onApplied('lamp.add', (result) => void followed.push(result));
    const submit = (id: string, is_refused: boolean) => log.submit('lamp.add', id, { is_refused });
    const outcomes = await Promise.allSettled([submit('a', false), submit('b', true), submit('c', false)]);
    expect(outcomes).toMatchObject([
      { value: { id: 'a' } },
      { reason: { code: 'slug_taken' } },
      { value: { id: 'c' } },
    ]);
    expect([lamps(), followed]).toEqual([
      ['a', 'c'],
      [{ id: 'a' }, { id: 'c' }],
    ]);
  });

  it('resolves after what follows a command has ended', async () => {
    const { log, kinds, lamps } = anEmbeddedLog();
    const seen: unknown[] = [];
    kinds.onApplied('lamp.add', async (_, { entity }) => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push([entity, lamps()]);
    });
    await log.submit('lamp.add', 'one', { is_refused: false });
    expect(seen).toEqual([['one', ['one']]]);
  });

  it('rejects a kind that nobody defined, and takes each name once', async () => {
    const { log, kinds } = anEmbeddedLog();
    await expect(Promise.resolve(log.submit('lamp.sell', 'one', {}))).rejects.toThrow('no kind of command "lamp.sell"');
    const again = commandKind(Type.Object({}), () => undefined, ANY_DAEMON);
    expect(() => kinds.define({ 'lamp.add': again })).toThrow('defined twice');
    kinds.onApplied('lamp.add', () => undefined);
    expect(() => kinds.onApplied('lamp.add', () => undefined)).toThrow('set already');
  });

  it('reads again what is kept in memory, one after the other, once the tables were replaced', async () => {
    const { kinds } = anEmbeddedLog();
    const read: number[] = [];
    kinds.onReplaced(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      read.push(1);
    });
    kinds.onReplaced(() => void read.push(2));
    await kinds.replaced();
    expect(read).toEqual([1, 2]);
  });
});
