import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createReportLog } from './app/compose-reputation.js';
import type { FileReport } from './contract/commands/reputation.js';
import { Bus } from './events/bus.js';
import { HubCommands } from './features/hub/hub-commands.js';
import { HubStore } from './features/hub/hub-store.js';
import { CommandApplier } from './features/network/command-applier.js';
import { commandSubject, signCommand } from './features/network/command-envelope.js';
import { putState } from './features/network/network-store.js';
import { RegistryCommands } from './features/registry/registry-commands.js';
import { RegistryStore } from './features/registry/registry-store.js';
import { Reputation } from './features/reputation/reputation.js';
import { sha256 } from './lib/crypto/digests.js';
import type { SigningKey } from './lib/crypto/ed25519.js';
import { parseMeshSig, signMeshSig } from './lib/crypto/mesh-sig.js';
import { makeReceipt } from './lib/crypto/receipt.js';
import { CommandKinds } from './shared-log/command-kinds.js';
import { Owners } from './shared-log/owners.js';
import type { Command, SharedLog } from './shared-log/shared-log.js';
import { digestSharedTables } from './shared-log/shared-tables.js';
import { Database } from './storage/database/database.js';
import { Transactions } from './storage/database/transaction.js';
import { embeddedChanges } from './testing/embedded-changes.js';
import { FakeClock } from './testing/fake-clock.js';
import { idOf, newKey } from './testing/network-samples.js';
import { RECEIPT_FACTS } from './testing/receipt-facts.js';
import { expectFirstWins, expectSameOnReplicas } from './testing/replica.js';
import { putTemplateDatabase } from './testing/template-database.js';
import { temporaryFolder } from './testing/temporary-folder.js';

const NETWORK = 'harbour';
const NOW = Date.UTC(2026, 10, 21, 12);
const KEY_DIGEST = sha256('key').toString('base64url');
const GOOD = { dims: { quality: 1 } };

function openStore(): Database {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  return database;
}

/** The deciders of both directories and of the reports about their agents, as a daemon composes them. */
function reportingKinds(database: Database, owners = new Owners(database, '')) {
  const { commands } = createReportLog({ database, shared: { owners } });
  const gone = (agentId: string) => commands.agentGone(agentId);
  return {
    ...new HubCommands(new HubStore(database), gone).kinds,
    ...new RegistryCommands(new RegistryStore(database), gone).kinds,
    ...commands.kinds,
  };
}

const onV1 = () => ({ rid: randomUUID(), api_key_sha256: KEY_DIGEST, pubkey: null, profile: {} });
const onHub = () => ({
  ...{ rid: randomUUID(), api_key_sha256: KEY_DIGEST, description: null, capabilities: [] },
  ...{ card: null, is_verified: false },
});

/** A report of `by` about an agent; `changes` are made after it is signed. */
function aReport(by: SigningKey, about: string, said: object = GOOD, changes: Partial<FileReport> = {}) {
  const request = { method: 'POST' as const, path: `/v1/agents/${about}/feedback`, body: JSON.stringify(said) };
  const signature = parseMeshSig(signMeshSig(by, request, NOW));
  return { request, signature, proofs: [], key: null, ...changes } satisfies FileReport;
}

const paid = (number: number) => ({ ...GOOD, payment: { network: 'solana:local', signature: `paid ${number}` } });

it('leave the same rows on every replica, and are deleted with the last registration of their agent', async () => {
  const database = openStore();
  const clock = new FakeClock(NOW);
  const { kinds, log, commands } = embeddedChanges(database, clock);
  kinds.define(reportingKinds(database));
  const submit = (kind: string, entity: string, body: object) =>
    Promise.resolve(log.submit<{ report: number }>(kind, entity, { ...body })).catch(
      ({ code }: { code: string }) => code,
    );
  const reporter = newKey();
  const registration = onV1();
  await submit('registry.register', 'Painter', registration);
  const hub = await submit('hub.register', 'painter', onHub());
  const first = aReport(reporter, 'painter');
  const key = { scope: 'ignored', key: 'k', body_sha256: 'a'.repeat(64) };
  const filed = [
    await submit('reputation.file', 'painter', first),
    await submit('reputation.file', 'painter', first),
    await submit('reputation.file', 'painter', aReport(reporter, 'painter', paid(1), { proofs: ['payment'], key })),
    await submit('reputation.file', 'painter', aReport(reporter, 'painter', paid(1), { proofs: ['payment'], key })),
    await submit('reputation.file', 'nobody', aReport(reporter, 'nobody')),
  ];
  expect(filed).toEqual([
    { agent_id: 'painter', report: 1, isNew: true },
    'bad_signature',
    { agent_id: 'painter', report: 2, isNew: true },
    { agent_id: 'painter', report: 2, isNew: false },
    'not_found',
  ]);
  const count = (table: string) => database.sql(`SELECT count(*) FROM ${table}`).pluck().get();
  await submit('hub.deregister', 'painter', { agent: hub });
  expect([count('reputation_reports'), count('shared_answers')]).toEqual([2, 1]);
  await submit('registry.deregister', 'Painter', { rid: registration.rid });
  expect([count('reputation_reports'), count('shared_answers')]).toEqual([0, 0]);
  await submit('registry.register', 'painter', onV1());
  await submit('reputation.file', 'painter', aReport(newKey(), 'painter'));
  await expectSameOnReplicas({ database, commands }, reportingKinds);
  const [register] = commands as [Command];
  const racing = [0, 1].map(() => {
    const body = aReport(reporter, 'painter', GOOD, { signature: first.signature, request: first.request });
    return { ...register, kind: 'reputation.file', body };
  }) as unknown as [Command, Command];
  racing[1] = { ...racing[1], body: { ...racing[1].body, proofs: ['payment'] }, daemon: idOf(newKey()) };
  await expectFirstWins(racing, reportingKinds, 'bad_signature', [register]);
});

/**
 * Two daemons whose stores apply the same stream: `one` hosts the agent painter, `other` printer with its bound key.
 */
async function twoDaemons() {
  const [one, other, printer] = [newKey(), newKey(), newKey()];
  const stores = [one, other].map((key) => {
    const database = openStore();
    putState(database, { network: NETWORK, identity: 'then', sequence: 0, loading: null });
    const owners = new Owners(database, key.pubkey);
    const kinds = new CommandKinds();
    kinds.define(reportingKinds(database, owners));
    const applier = new CommandApplier({ database, transactions: new Transactions(database), network: NETWORK, kinds });
    return { database, owners, applier };
  });
  let sequence = 0;
  /** What became of a command of a daemon, which is the same on both. */
  const send = async (by: SigningKey, kind: string, entity: string, body: object): Promise<unknown> => {
    sequence += 1;
    const command = {
      schema: 1 as const,
      id: randomUUID(),
      kind,
      entity,
      at: NOW,
      daemon: idOf(by),
      body: { ...body },
    };
    const data = Buffer.from(signCommand(by, NETWORK, command));
    const message = { sequence, subject: commandSubject(NETWORK, command), data, timeMs: NOW };
    const applied = await Promise.all(stores.map(({ applier }) => applier.apply(message)));
    const [first, second] = applied.map((result) => {
      if (result?.outcome.ok === false) return result.refused?.reason ?? result.outcome.code;
      return result?.outcome.ok ? result.outcome.result : undefined;
    });
    expect(second).toEqual(first);
    expect(new Set(stores.map(({ database }) => digestSharedTables(database))).size).toBe(1);
    return first;
  };
  const registrations = { painter: onV1(), printer: onV1() };
  await send(one, 'registry.register', 'painter', registrations.painter);
  await send(other, 'registry.register', 'printer', registrations.printer);
  await send(other, 'registry.bind-key', 'printer', { rid: registrations.printer.rid, pubkey: printer.pubkey });
  const file = (by: SigningKey, body: FileReport, about = 'painter') => send(by, 'reputation.file', about, body);
  const listProofs = () =>
    stores[0]?.database.sql('SELECT proof FROM reputation_reports ORDER BY seq').pluck().all() as string[];
  /** The bureau of one of the daemons. */
  const bureau = (index: number) => {
    const { database, owners } = stores[index] as (typeof stores)[number];
    const log: SharedLog = { isShared: true, submit: () => Promise.reject(new Error('no servers')) };
    return new Reputation({
      ...createReportLog({ database, shared: { owners } }),
      shared: { kinds: new CommandKinds(), log, owners },
      bus: new Bus(new FakeClock(NOW)),
      clock: new FakeClock(NOW),
      ports: {
        isOwnKey: () => false,
        isAnswerFrom: () => false,
        pubkey: [one, other][index]?.pubkey ?? '',
        isSettled: async () => false,
        counts: () => ({ message_through_count: 0, impression_count: 0 }),
      },
    });
  };
  return { one, other, printer, registrations, send, file, listProofs, bureaus: [bureau(0), bureau(1)] as const };
}

it('of an agent are taken from its own daemon alone, signed as they are, once, about a registered agent', async () => {
  const { one, other, printer, file, listProofs } = await twoDaemons();
  const genuine = aReport(printer, 'painter');
  const forged = (changes: Partial<FileReport>) => ({ ...aReport(newKey(), 'painter'), ...changes });
  expect(await file(one, genuine)).toBe('owner');
  expect(await file(other, genuine)).toMatchObject({ report: 1 });
  expect(await file(other, genuine)).toBe('bad_signature');
  expect(await file(one, forged({ request: { ...genuine.request, body: '{"success":true}' } }))).toBe('bad_signature');
  const { signature } = forged({});
  expect(await file(one, forged({ signature: { ...signature, ts: signature.ts - 121 } }))).toBe('bad_signature');
  expect(await file(one, aReport(newKey(), 'printer'))).toBe('bad_request');
  expect(await file(one, aReport(newKey(), 'painter', { dims: { charm: 1 } }))).toBe('bad_request');
  expect(await file(one, aReport(newKey(), 'nobody'), 'nobody')).toBe('not_found');
  expect(await file(other, aReport(printer, 'printer'), 'printer')).toBe('self_report');
  // The key of the daemon that hosts painter: it alone knows whether painter is a member of its own.
  expect(await file(other, aReport(one, 'painter'))).toBe('self_report');
  expect(await file(one, aReport(one, 'painter'))).toMatchObject({ report: 2 });
  expect(listProofs()).toEqual(['bound', 'unbound']);
});

it('are proven in the score by the host of their agent, and for credit by the daemon that gives it', async () => {
  const { one, other, file, listProofs, bureaus } = await twoDaemons();
  const withReceipt = (key: SigningKey) => ({ ...GOOD, receipt: makeReceipt(RECEIPT_FACTS, key) });
  const offer = (by: SigningKey, said: object, proof: 'payment' | 'receipt') =>
    file(by, aReport(newKey(), 'painter', said, { proofs: [proof] }));
  for (const number of [1, 2, 3]) await offer(other, paid(number), 'payment');
  expect(listProofs()).toEqual(['unbound', 'unbound', 'unbound']);
  expect(bureaus.map((bureau) => bureau.getCredit('painter'))).toEqual([null, 1]);
  // What another daemon said of these payments takes nothing from them.
  for (const number of [1, 1, 2, 3]) await offer(one, paid(number), 'payment');
  for (const key of [one, one, other]) await offer(one, withReceipt(key), 'receipt');
  expect(listProofs().slice(3)).toEqual(['payment', 'unbound', 'payment', 'payment', 'receipt', 'unbound', 'unbound']);
  bureaus[0].forget('painter');
  expect(bureaus[0].getCredit('painter')).toBe(1);
  const [first, second] = bureaus.map((bureau) => {
    bureau.forget('painter');
    const { rules, reports } = bureau.log('painter', { limit: 200 });
    return { of: bureau.of('painter'), reports, known: [...rules.known_daemons].sort() };
  });
  expect(second).toEqual(first);
  expect(first).toMatchObject({ of: { reports: 10, score: 1 }, known: [one.pubkey, other.pubkey].sort() });
});

it('are gone on both daemons before another one registers the id, and none follows them', async () => {
  const { one, other, registrations, send, file, listProofs, bureaus } = await twoDaemons();
  await file(one, aReport(newKey(), 'painter'));
  expect(bureaus.map((bureau) => bureau.of('painter').reports)).toEqual([1, 1]);
  expect(await send(other, 'registry.deregister', 'painter', { rid: registrations.painter.rid })).toBe('owner');
  await send(one, 'registry.deregister', 'painter', { rid: registrations.painter.rid });
  expect(await file(one, aReport(newKey(), 'painter'))).toBe('not_found');
  await send(other, 'registry.register', 'Painter', onV1());
  expect(listProofs()).toEqual([]);
  for (const bureau of bureaus) bureau.forget('painter');
  expect(bureaus.map((bureau) => bureau.of('painter'))).toMatchObject(Array(2).fill({ reports: 0, score: null }));
});
