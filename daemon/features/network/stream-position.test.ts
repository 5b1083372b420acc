import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { JetStreamManager } from '@nats-io/jetstream';
import { expect, it, onTestFinished } from 'vitest';
import type { Command } from '../../shared-log/shared-log.js';
import { Database } from '../../storage/database/database.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { commandSubject, signCommand } from './command-envelope.js';
import { checkPosition, LostChangesError } from './stream-position.js';

const NETWORK = 'docks';
const NOW = 1_800_000_000_000;
const key = newKey();

/** A store that has applied one command, which is number 3, and servers whose number 3 is `held`. */
function aPosition({ held = 'same' as 'same' | 'another' | 'none' | 'forged' | 'late' } = {}) {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const command: Command = {
    ...{ schema: 1, id: randomUUID(), kind: 'berth.claim', entity: 'b1', at: NOW, daemon: idOf(key), body: {} },
  };
  if (held === 'same') database.sql('INSERT INTO network_commands VALUES (?, ?)').run(command.id, NOW);
  const signed = signCommand(held === 'forged' ? newKey() : key, NETWORK, command);
  const asked: unknown[][] = [];
  const getMessage = async (...query: unknown[]) => {
    asked.push(query);
    const time = new Date(held === 'late' ? NOW + 7_200_000 : NOW);
    return held === 'none'
      ? null
      : { seq: 3, subject: commandSubject(NETWORK, command), data: Buffer.from(signed), time };
  };
  const manager = { streams: { getMessage } } as unknown as JetStreamManager;
  const check = (sequence: number, last_seq: number) =>
    checkPosition(manager, database, NETWORK, sequence, { state: { last_seq } as never });
  return { check, asked };
}

it('is right where the servers hold the command that was applied last', async () => {
  const { check, asked } = aPosition();
  await check(3, 3);
  await check(3, 9);
  expect(asked).toEqual(Array(2).fill(['MESHD_docks', { seq: 3 }]));
});

it('is right before the first command, whatever the servers hold', async () => {
  const { check, asked } = aPosition({ held: 'another' });
  await check(0, 0);
  await check(0, 9);
  expect(asked).toEqual([]);
});

it('is lost where the servers have fewer commands, or another one of its number', async () => {
  const { check } = aPosition();
  const lost = check(3, 2);
  await expect(lost).rejects.toThrow('their newest change is number 2, this daemon’s 3');
  await expect(lost).rejects.toBeInstanceOf(LostChangesError);
  const replaced = aPosition({ held: 'another' }).check(3, 9);
  await expect(replaced).rejects.toThrow('their change number 3 is not the one that is applied here');
  await expect(replaced).rejects.toBeInstanceOf(LostChangesError);
});

it.each(['none', 'forged', 'late'] as const)(
  'is right where that message is erased or refused by all: %s',
  async (held) => {
    await expect(aPosition({ held }).check(3, 9)).resolves.toBeUndefined();
  },
);
