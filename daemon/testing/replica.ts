import { join } from 'node:path';
import { Compile } from 'typebox/compile';
import { expect, onTestFinished } from 'vitest';
import { type CommandKind, CommandKinds } from '../shared-log/command-kinds.js';
import { toRefusal } from '../shared-log/outcome.js';
import type { Command, Outcome } from '../shared-log/shared-log.js';
import { digestSharedTables } from '../shared-log/shared-tables.js';
import { Database } from '../storage/database/database.js';
import { putTemplateDatabase } from './template-database.js';
import { temporaryFolder } from './temporary-folder.js';

/** Makes the kinds of commands of a feature over a database. */
export type KindsOver = (database: Database) => Readonly<Record<string, CommandKind>>;

interface Replica {
  database: Database;
  /** Applies commands, as they look after JSON, in this order. */
  apply(commands: readonly Command[]): Promise<Outcome[]>;
  digest(): string;
}

/** A fresh store that has only the deciders, as on a daemon that never saw the requests. */
export function aReplica(kindsOver: KindsOver): Replica {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const kinds = new CommandKinds();
  kinds.define(kindsOver(database));
  const applyOne = async (command: Command): Promise<Outcome> => {
    const read = JSON.parse(JSON.stringify(command)) as Command;
    const schema = kinds.find(read.kind)?.body;
    const errors = schema ? Compile(schema).Errors(read.body) : [`no kind ${read.kind}`];
    expect({ kind: read.kind, errors }).toEqual({ kind: read.kind, errors: [] });
    return database.write(() => kinds.decide(read)).then((result): Outcome => ({ ok: true, result }), toRefusal);
  };
  return {
    database,
    async apply(commands) {
      const outcomes: Outcome[] = [];
      for (const command of commands) outcomes.push(await applyOne(command));
      return outcomes;
    },
    digest: () => digestSharedTables(database),
  };
}

/**
 * Applies the commands of one store to two fresh ones and expects that all decided alike: the same outcomes, and the
 * same rows in all three.
 */
export async function expectSameOnReplicas(
  { database, commands }: { database: Database; commands: readonly Command[] },
  kindsOver: KindsOver,
): Promise<Outcome[]> {
  const [first, second] = [aReplica(kindsOver), aReplica(kindsOver)];
  expect(first.digest()).toBe(second.digest());
  const empty = first.digest();
  const outcomes = await first.apply(commands);
  expect(await second.apply(commands)).toEqual(outcomes);
  expect([first.digest(), second.digest()]).toEqual(Array(2).fill(digestSharedTables(database)));
  expect(first.digest()).not.toBe(empty);
  return outcomes;
}

/**
 * Applies two commands for one id in both orders, each on two fresh stores. Expects that the first one applied wins and
 * that the other is refused with `code`.
 */
export async function expectFirstWins(
  [one, other]: readonly [Command, Command],
  kindsOver: KindsOver,
  code: string,
  before: readonly Command[] = [],
): Promise<void> {
  const digests: string[] = [];
  for (const order of [
    [one, other],
    [other, one],
  ]) {
    const [first, second] = [aReplica(kindsOver), aReplica(kindsOver)];
    for (const replica of [first, second]) {
      await replica.apply(before);
      expect(await replica.apply(order)).toMatchObject([{ ok: true }, { ok: false, code }]);
    }
    expect(second.digest()).toBe(first.digest());
    digests.push(first.digest());
  }
  expect(new Set(digests).size).toBe(2);
}
