import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import type { ReportBody } from '../../contract/network/reputation.js';
import { Bus } from '../../events/bus.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { parseMeshSig, signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { makeReceipt } from '../../lib/crypto/receipt.js';
import { MeshError } from '../../lib/errors.js';
import { newRequestId } from '../../lib/ids.js';
import { Database } from '../../storage/database/database.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ReportCommands, type ReportedAgents } from './report-commands.js';
import { recompute } from './report-log.js';
import { Reputation, type ReputationPorts } from './reputation.js';
import { ReputationStore } from './reputation-store.js';

const DAY_MS = 86_400_000;
const daemon = new SigningKey(SigningKey.newSeed());

/** A bureau with the agents `Printer` and `plotter`, the first of which the daemon hosts as its member `print`. */
function bureau({
  ports = {},
  agents = {},
  folder = temporaryFolder({}),
}: {
  ports?: Partial<ReputationPorts>;
  agents?: Partial<ReportedAgents>;
  folder?: string;
} = {}) {
  const database = new Database(putTemplateDatabase(join(folder, 'mesh.db')));
  let isOpen = true;
  const close = () => {
    if (isOpen) database.close();
    isOpen = false;
  };
  onTestFinished(close);
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => events.push(event));
  const bound = new Map<string, string>();
  const store = new ReputationStore(database);
  const shared = embeddedChanges(database, clock, daemon.pubkey);
  const known: ReportedAgents = {
    findAgent: (agentId) => ['Printer', 'plotter'].find((id) => id.toLowerCase() === agentId.toLowerCase()),
    agentOfKey: (pubkey) => bound.get(pubkey),
    ...agents,
  };
  const { self } = shared.owners;
  const commands = new ReportCommands(store, shared.owners, known);
  const reputation = new Reputation({
    ...{ store, agents: known, commands, shared, bus, clock },
    ports: {
      isOwnKey: (agentId, pubkey) => agentId === 'Printer' && pubkey === daemon.pubkey,
      isAnswerFrom: (agentId, { pubkey, member }) =>
        pubkey === daemon.pubkey && member === 'print' && agentId === 'Printer',
      pubkey: daemon.pubkey,
      isSettled: async () => false,
      counts: () => ({ message_through_count: 3, impression_count: 40 }),
      ...ports,
    },
  });
  const file = (
    by: SigningKey,
    report: ReportBody,
    { about = 'Printer', key }: { about?: string; key?: string } = {},
  ) => {
    const request = { method: 'POST', path: `/v1/agents/${about}/feedback`, body: JSON.stringify(report) };
    const signed = { ...parseMeshSig(signMeshSig(by, request, clock.now())), request };
    const idempotency =
      key === undefined ? undefined : { scope: `report ${by.pubkey} ${about}`, key, body_sha256: request.body };
    return reputation.file(about, report, signed, idempotency);
  };
  /** Inserts reports by `count` different unbound keys, half of them good, as filed by a daemon. */
  const insertMany = (count: number, by = 'one') =>
    database.write(() => {
      database
        .sql(
          `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ?)
           INSERT INTO reputation_reports (agent_key, agent_id, reporter, ts, nonce, method, path, body, sig, quality, proof,
             filed_at, daemon)
           SELECT 'printer', 'Printer', 'r' || i, 0, i, 'POST', '/', '{}', '', i % 2, 'unbound', ?, ? FROM numbers`,
        )
        .run(count, Math.floor(clock.now() / 1000), by);
    });
  const proofs = (about = 'Printer') => reputation.log(about, { limit: 200 }).reports.map(({ proof }) => proof);
  const { kinds } = shared;
  return {
    reputation,
    database,
    store,
    commands,
    kinds,
    clock,
    events,
    bound,
    file,
    insertMany,
    proofs,
    close,
    folder,
    self,
  };
}

function receipt({ member = 'print', key = daemon, request_id = newRequestId() } = {}) {
  const facts = {
    request_id,
    member,
    member_sha256: 'a'.repeat(64),
    question: 'Print this?',
    answer: 'Printed.',
    citations: [],
    client: 'builtin',
    model: 'builtin',
    created_at: '2026-11-21T11:59:00.000Z',
    finished_at: '2026-11-21T12:00:00.000Z',
  };
  return makeReceipt(facts, key) as unknown as Record<string, unknown>;
}

const BAD = { dims: { reliability: 0, quality: 0, speed: 0, settlement: 0 } };
const GOOD = { dims: { reliability: 1, quality: 1, speed: 1, settlement: 1 } };

describe('Filing a report', () => {
  it('returns the resulting score and publishes reputation.filed', async () => {
    const { file, reputation, events } = bureau();
    expect(await file(newKey(), { success: true, latency_ms: 15_500, quality: 5 })).toEqual({
      ok: true,
      score: 0.888889,
      dims: { reliability: 1, speed: 0.5, quality: 1, settlement: null },
    });
    expect(reputation.of('printer')).toEqual({
      agent_id: 'Printer',
      score: 0.888889,
      dims: { reliability: 1, speed: 0.5, quality: 1 },
      reports: 1,
      message_through_count: 3,
      impression_count: 40,
      status: 'rated',
      as_of: 1_795_262_400,
    });
    expect(events).toMatchObject([{ type: 'reputation.filed', agent_id: 'Printer', report: 1 }]);
  });

  it('that could not be committed counts nowhere, and its proof can be used again', async () => {
    const { file, reputation, database, events, proofs } = bureau();
    await file(newKey(), GOOD);
    const before = [reputation.of('Printer'), reputation.getScore('Printer')];
    const offered = receipt();
    const commit = vi.spyOn(database, 'write').mockImplementationOnce((change) =>
      Database.prototype.write.call(database, () => {
        change();
        throw new MeshError('no_space', 'The disk is full.');
      }),
    );
    await expect(file(newKey(), { ...BAD, receipt: offered })).rejects.toMatchObject({ code: 'no_space' });
    expect(commit).toHaveBeenCalledOnce();
    expect([reputation.of('Printer'), reputation.getScore('Printer')]).toEqual(before);
    expect(events).toHaveLength(1);
    await file(newKey(), { ...GOOD, receipt: offered });
    expect(proofs()).toEqual(['unbound', 'receipt']);
  });

  it('leaves an agent without reports not yet rated', () => {
    const { reputation } = bureau();
    expect(reputation.of('Printer')).toMatchObject({ score: null, dims: {}, reports: 0, status: 'not_yet_rated' });
    expect(reputation.getScore('Printer')).toBeNull();
  });

  it('rejects a report about an agent that is not registered', async () => {
    const { file, reputation } = bureau();
    await expect(file(newKey(), GOOD, { about: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
    expect(() => reputation.of('nobody')).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => reputation.log('nobody', {})).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it("rejects a report by the supplier's bound key, whatever the case of its id, and by the key of its hosting daemon", async () => {
    const { file, bound, reputation } = bureau();
    const own = newKey();
    bound.set(own.pubkey, 'PRINTER');
    for (const key of [own, daemon]) await expect(file(key, GOOD)).rejects.toMatchObject({ code: 'self_report' });
    await file(daemon, GOOD, { about: 'plotter' });
    expect(reputation.of('Printer').reports).toBe(0);
  });

  it('rejects a report that exceeds the size limit of the public log', async () => {
    const { file } = bureau();
    await expect(file(newKey(), { ...GOOD, receipt: { long: 'x'.repeat(9000) } })).rejects.toMatchObject({
      code: 'too_large',
    });
  });

  it('accepts 8 KiB a report, as bytes of its body, and no byte more', async () => {
    const { file, reputation } = bureau();
    const sized = (bytes: number) => {
      const around = Buffer.byteLength(JSON.stringify({ ...GOOD, receipt: { long: '€' } }));
      return { ...GOOD, receipt: { long: `€${'x'.repeat(bytes - around)}` } };
    };
    expect(Buffer.byteLength(JSON.stringify(sized(8192)))).toBe(8192);
    await file(newKey(), sized(8192));
    await expect(file(newKey(), sized(8193))).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('8192 bytes'),
    });
    expect(reputation.of('Printer').reports).toBe(1);
  });
});

describe('Report weight', () => {
  it('depends on its receipt, its bound key, or neither', async () => {
    const { file, bound, reputation } = bureau();
    const known = newKey();
    bound.set(known.pubkey, 'plotter');
    await file(newKey(), { ...GOOD, receipt: receipt() });
    await file(known, GOOD);
    await file(newKey(), GOOD);
    expect(
      reputation
        .log('Printer', {})
        .reports.map(({ proof, weight, reporter_agent_id }) => [proof, weight, reporter_agent_id]),
    ).toEqual([
      ['receipt', 1, null],
      ['bound', 0.25, 'plotter'],
      ['unbound', 0.05, null],
    ]);
  });

  it('ignores a receipt that another daemon signed, that is about another agent, or that was modified', async () => {
    const { file, proofs } = bureau();
    const honest = receipt();
    for (const offered of [
      receipt({ key: newKey() }),
      receipt({ member: 'other' }),
      { ...honest, answer_sha256: 'b'.repeat(64) },
      { ...honest, extra: 1 },
      {},
    ]) {
      await file(newKey(), { ...GOOD, receipt: offered });
    }
    await file(newKey(), { ...GOOD, receipt: honest }, { about: 'plotter' });
    expect(proofs()).toEqual(Array(5).fill('unbound'));
    expect(proofs('plotter')).toEqual(['unbound']);
  });

  it('counts a receipt once, whoever presents it again, even concurrently', async () => {
    const { file, proofs } = bureau();
    const one = receipt();
    const reporter = newKey();
    await Promise.all([reporter, newKey(), newKey()].map((key) => file(key, { ...GOOD, receipt: one })));
    await file(reporter, { ...BAD, receipt: one });
    expect(proofs()).toEqual(['receipt', 'unbound', 'unbound', 'unbound']);
  });

  it('is 1 with a settled payment, once per payment', async () => {
    const payment = { network: 'solana:local', signature: 'paid' };
    const { file, proofs } = bureau({ ports: { isSettled: async ({ signature }) => signature === 'paid' } });
    await file(newKey(), { ...GOOD, payment });
    await file(newKey(), { ...GOOD, payment });
    // The local network has two names.
    await file(newKey(), { ...GOOD, payment: { ...payment, network: 'solana:local-01234567' } });
    await file(newKey(), { ...GOOD, payment: { ...payment, signature: 'pending' } });
    expect(proofs()).toEqual(['payment', 'unbound', 'unbound', 'unbound']);
  });

  it('counts a payment only for the reporter that made it', async () => {
    const buyer = newKey();
    const isSettled: ReputationPorts['isSettled'] = async (_payment, _agent, reporter) => reporter === buyer.pubkey;
    const { file, proofs, reputation } = bureau({ ports: { isSettled } });
    const paid = (number: number) => ({ ...GOOD, payment: { network: 'solana:local', signature: `paid ${number}` } });
    for (let number = 0; number < 3; number += 1) await file(newKey(), paid(number));
    expect([proofs(), reputation.getCredit('Printer')]).toEqual([['unbound', 'unbound', 'unbound'], null]);
    for (let number = 0; number < 3; number += 1) await file(buyer, paid(number));
    expect([proofs().slice(3), reputation.getCredit('printer')]).toEqual([['payment', 'payment', 'payment'], 1]);
  });

  it('ignores a payment whose settlement is unknown', async () => {
    const { file, proofs } = bureau();
    await file(newKey(), { ...GOOD, payment: { network: 'solana:local', signature: 'paid' } });
    expect(proofs()).toEqual(['unbound']);
  });

  it('does not change when the key is bound later', async () => {
    const { file, bound, proofs } = bureau();
    const key = newKey();
    await file(key, GOOD);
    bound.set(key.pubkey, 'plotter');
    await file(key, GOOD);
    expect(proofs()).toEqual(['unbound', 'bound']);
  });
});

describe('Sybil resistance', () => {
  it('lets a thousand unbound keys move a score less than one bad report with a receipt from a bound key', async () => {
    const drill = async (attack: (made: ReturnType<typeof bureau>) => Promise<void>) => {
      const made = bureau();
      for (let i = 0; i < 3; i += 1)
        await made.file(newKey(), { dims: { reliability: 0.7, quality: 0.7 }, receipt: receipt() });
      const from = made.reputation.getScore('Printer') as number;
      await attack(made);
      return (made.reputation.getScore('Printer') as number) - from;
    };
    const praised = await drill(async ({ file }) => {
      await Promise.all(Array.from({ length: 1000 }, () => file(newKey(), GOOD)));
    });
    const blamed = await drill(async ({ file, bound }) => {
      const served = newKey();
      bound.set(served.pubkey, 'plotter');
      await file(served, { ...BAD, receipt: receipt() });
    });
    expect(praised).toBeGreaterThan(0);
    expect(praised).toBeLessThan(-blamed);
  });

  it('takes a thousand reports of unbound keys about an agent from one daemon in thirty days', async () => {
    const { file, bound, clock, insertMany, self } = bureau();
    await insertMany(1000, 'another');
    await insertMany(999, self);
    clock.advance(DAY_MS);
    await file(newKey(), GOOD);
    const refused = { code: 'overloaded', message: expect.stringContaining('Bind this key') };
    await expect(file(newKey(), GOOD)).rejects.toMatchObject(refused);
    await file(newKey(), GOOD, { about: 'plotter' });
    await file(newKey(), { ...GOOD, receipt: receipt() });
    const known = newKey();
    bound.set(known.pubkey, 'plotter');
    await file(known, GOOD);
    clock.advance(29 * DAY_MS - 1_000);
    await expect(file(newKey(), GOOD)).rejects.toMatchObject(refused);
    clock.advance(1_000);
    await file(newKey(), GOOD);
  });
});

describe('Score', () => {
  it('reflects a new report immediately and decays over time', async () => {
    const { file, reputation, clock } = bureau();
    const flood = newKey();
    for (let i = 0; i < 10; i += 1) await file(flood, { ...BAD, receipt: receipt() });
    expect(reputation.getScore('Printer')).toBe(0);
    clock.advance(90 * DAY_MS);
    for (let i = 0; i < 5; i += 1) await file(newKey(), { ...GOOD, receipt: receipt() });
    expect(reputation.getScore('Printer')).toBe(0.5);
    clock.advance(90 * DAY_MS);
    expect(reputation.getScore('printer')).toBe(0.5);
    clock.advance(90 * DAY_MS);
    // The ten old reports, decayed to an eighth, are below the cap; the five newer ones have decayed at the same rate.
    expect(reputation.getScore('Printer')).toBe(reputation.of('Printer').score);
  });

  it('is computed at most once a second for a long log, together with its number of reports', async () => {
    const { file, reputation, clock, insertMany } = bureau();
    await insertMany(5001);
    const reporter = newKey();
    const first = await file(reporter, { ...GOOD, receipt: receipt() });
    expect(first.score).toBe(0.969994);
    const before = reputation.of('Printer');
    await file(reporter, { ...BAD, receipt: receipt() });
    expect(reputation.of('Printer')).toEqual(before);
    clock.advance(1000);
    expect(reputation.of('Printer')).toMatchObject({ reports: before.reports + 1, as_of: before.as_of + 1 });
    expect(reputation.getScore('Printer')).toBeLessThan(before.score as number);
  });

  it('is the same after a restart', async () => {
    const first = bureau();
    for (const body of [GOOD, BAD, { success: true, quality: 3 }])
      await first.file(newKey(), { ...body, receipt: receipt() });
    const told = first.reputation.of('Printer');
    first.close();
    const second = bureau({ folder: first.folder });
    expect(second.reputation.getScore('PRINTER')).toBe(told.score);
    expect(second.reputation.of('Printer')).toEqual(told);
  });

  it('stays readable after its agent was removed', async () => {
    let isGone = false;
    const { file, reputation } = bureau({ agents: { findAgent: (id) => (isGone ? undefined : id) } });
    await file(newKey(), GOOD);
    isGone = true;
    expect(reputation.of('PRINTER')).toMatchObject({ agent_id: 'Printer', score: 1 });
    expect(reputation.log('printer', {}).count).toBe(1);
  });
});

describe('A score that is kept', () => {
  /** Five reports by one key each, then fifty by one key, which cannot weigh more than five. */
  const capped = async ({ file, clock }: ReturnType<typeof bureau>) => {
    for (let i = 0; i < 5; i += 1) await file(newKey(), { ...GOOD, receipt: receipt() });
    clock.advance(30_000);
    const flood = newKey();
    for (let i = 0; i < 50; i += 1) await file(flood, { ...BAD, receipt: receipt() });
  };

  it('is computed anew after a minute while a cap binds, and when the clock was set back', async () => {
    const made = bureau();
    await capped(made);
    const { reputation, clock } = made;
    const first = reputation.getScore('Printer');
    clock.advance(60_000);
    expect(reputation.getScore('Printer')).toBe(first);
    clock.advance(1_000);
    const later = reputation.getScore('Printer') as number;
    expect(later).toBeLessThan(first as number);
    clock.step(-61_000);
    expect(reputation.getScore('Printer')).toBe(first);
  });

  it('is that of the second in which it is asked for by its record', async () => {
    const made = bureau();
    await capped(made);
    const { reputation, clock } = made;
    const { score, as_of } = reputation.of('Printer');
    clock.advance(60_000);
    expect(reputation.of('Printer')).toMatchObject({ as_of: as_of + 60, score: expect.closeTo(score as number, 5) });
    expect(reputation.of('Printer').score).not.toBe(score);
  });

  it('of a long log stays for the second, and the next one has all reports', async () => {
    const { file, reputation, clock, insertMany } = bureau();
    await insertMany(5_000);
    const reporter = newKey();
    const first = await file(reporter, { ...GOOD, receipt: receipt() });
    const kept = reputation.getScore('Printer');
    expect(first.score).toBe(kept);
    expect((await file(reporter, { ...BAD, receipt: receipt() })).score).toBe(kept);
    expect(reputation.getScore('Printer')).toBe(kept);
    clock.advance(1_000);
    expect(reputation.getScore('Printer')).toBeLessThan(kept as number);
  });

  it('of a log that had 5,000 reports before is that of each report', async () => {
    const { file, reputation, insertMany } = bureau();
    await insertMany(4_999);
    const reporter = newKey();
    const before = await file(reporter, { ...GOOD, receipt: receipt() });
    expect(reputation.getScore('Printer')).toBe(before.score);
    const after = await file(reporter, { ...BAD, receipt: receipt() });
    expect(after.score).toBeLessThan(before.score);
    expect(reputation.getScore('Printer')).toBe(after.score);
  });

  it('is there from the first report on, although none was there when it was asked for', async () => {
    const { file, reputation } = bureau();
    expect([reputation.getScore('Printer'), reputation.getCredit('Printer')]).toEqual([null, null]);
    await file(newKey(), GOOD);
    expect(reputation.getScore('PRINTER')).toBe(1);
    expect(reputation.getScore('plotter')).toBeNull();
  });

  it('is gone with the reports about its agent', async () => {
    let isGone = false;
    const { file, reputation, commands, database } = bureau({
      agents: { findAgent: (id) => (isGone ? undefined : id) },
    });
    for (let i = 0; i < 3; i += 1) await file(newKey(), { ...GOOD, receipt: receipt() });
    expect([reputation.getScore('Printer'), reputation.of('Printer').reports]).toEqual([1, 3]);
    isGone = true;
    await database.write(() => commands.agentGone('Printer'));
    reputation.forget('PRINTER');
    expect(reputation.getScore('Printer')).toBeNull();
    expect(() => reputation.of('Printer')).toThrow(expect.objectContaining({ code: 'not_found' }));
    isGone = false;
    expect(reputation.of('Printer')).toMatchObject({ score: null, dims: {}, reports: 0 });
  });

  it('stays when its agent is forgotten without its reports', async () => {
    const { file, reputation } = bureau();
    await file(newKey(), GOOD);
    reputation.getScore('Printer');
    reputation.forget('printer');
    expect([reputation.getScore('Printer'), reputation.of('Printer').reports]).toEqual([1, 1]);
  });

  it('is read again once the shared tables were replaced', async () => {
    const { file, reputation, insertMany, database, kinds } = bureau();
    await file(newKey(), GOOD);
    expect([reputation.getScore('Printer'), reputation.of('Printer').reports]).toEqual([1, 1]);
    await insertMany(2);
    await kinds.replaced();
    expect(reputation.of('Printer').reports).toBe(3);
    await database.write(() => void database.sql("UPDATE reputation_reports SET agent_key = 'plotter'").run());
    await kinds.replaced();
    expect([reputation.getScore('Printer'), reputation.getScore('plotter')]).toEqual([null, expect.any(Number)]);
  });

  it('rests on at most 200 logs in memory, of which the oldest goes first', async () => {
    const { file, reputation, insertMany, clock } = bureau({ agents: { findAgent: (id) => id } });
    await file(newKey(), GOOD);
    expect(reputation.of('Printer').reports).toBe(1);
    await insertMany(2);
    const readOthers = (from: number, count: number) => {
      for (let i = from; i < from + count; i += 1) reputation.of(`agent-${i}`);
      clock.advance(1_000);
    };
    readOthers(0, 199);
    expect(reputation.of('Printer').reports).toBe(1);
    readOthers(199, 1);
    expect(reputation.of('Printer').reports).toBe(3);
  });
});

describe('The record of an agent', () => {
  it('names it as it is registered, else as its first report does, else as it was asked for', async () => {
    const counted: string[] = [];
    let registered: string | undefined = 'Printer';
    const { file, reputation } = bureau({
      agents: { findAgent: () => registered },
      ports: {
        counts: (id) => {
          counted.push(id);
          return { message_through_count: 1, impression_count: 2 };
        },
      },
    });
    expect(reputation.of('printer').agent_id).toBe('Printer');
    await file(newKey(), GOOD);
    registered = undefined;
    expect(reputation.of('PRINTER').agent_id).toBe('Printer');
    expect(counted).toEqual(['Printer', 'PRINTER']);
  });
});

describe('A report before it is sent', () => {
  it('is refused by the same rules, with the same words', async () => {
    const { file, reputation } = bureau();
    await expect(file(newKey(), GOOD, { about: 'nobody' })).rejects.toMatchObject({
      message: 'There is no such agent.',
    });
    await expect(file(newKey(), { dims: {} })).rejects.toMatchObject({ details: { path: 'dims' } });
    expect(reputation.of('Printer').reports).toBe(0);
  });

  it('is looked at for its proofs once each is there', async () => {
    const asked: unknown[] = [];
    const payment = { network: 'solana:local', signature: 'paid' };
    const { file, proofs } = bureau({
      ports: {
        isAnswerFrom: (agent, { request_id }) => asked.push([agent, request_id]) > 0,
        isSettled: async (...given) => asked.push(given) > 0,
      },
    });
    const reporter = newKey();
    await file(reporter, GOOD);
    await file(reporter, { ...GOOD, receipt: {} });
    expect(asked).toEqual([]);
    await file(reporter, { ...GOOD, payment, receipt: receipt({ request_id: 'req-1' }) });
    expect(asked).toEqual([
      ['Printer', 'req-1'],
      [payment, 'Printer', reporter.pubkey],
    ]);
    expect(proofs()).toEqual(['unbound', 'unbound', 'receipt']);
  });
});

describe('Credit', () => {
  it('rests on what this daemon has seen itself, above a minimum, whatever the case of the id', async () => {
    const { file, reputation, store, database, clock } = bureau();
    for (let i = 0; i < 2; i += 1) await file(newKey(), { ...GOOD, receipt: receipt() });
    const told = { ...{ agent_id: 'Printer', reporter: 'r', reporter_agent_id: null, ts: 0, sig: '', body: '{}' } };
    const row = { ...told, method: 'POST', path: '/', filed_at: Math.floor(clock.now() / 1_000), dims: { quality: 0 } };
    await database.write(() => {
      for (const nonce of ['1', '2', '3'])
        store.insert({ ...row, nonce, proof: 'receipt' }, { daemon: 'another', seen: 'receipt', key: nonce });
    });
    reputation.forget('Printer');
    expect(reputation.getCredit('Printer')).toBeNull();
    await file(newKey(), { ...GOOD, receipt: receipt() });
    expect([reputation.getCredit('PRINTER'), reputation.getScore('Printer')]).toEqual([1, 0.85]);
  });
});

describe('Public log', () => {
  it('has fifty reports a page unless another number is wanted, and a cursor only when there are more', async () => {
    const { reputation, insertMany } = bureau();
    await insertMany(51);
    const first = reputation.log('Printer', {});
    expect([first.count, first.reports.length, first.next_cursor]).toEqual([50, 50, '50']);
    const rest = reputation.log('Printer', { cursor: '50' });
    expect([rest.reports.map(({ seq }) => seq), rest.next_cursor]).toEqual([[51], null]);
    expect(reputation.log('Printer', { limit: 51 }).next_cursor).toBeNull();
    expect(reputation.log('Printer', { cursor: '0', limit: 1 }).reports[0]?.seq).toBe(1);
    const none = reputation.log('plotter', {});
    expect([none.reports, none.next_cursor]).toEqual([[], null]);
  });

  it('names the keys of all daemons whose receipts count, each once', async () => {
    const { reputation, database } = bureau();
    const other = newKey();
    await database.write(() => {
      const join = database.sql('INSERT INTO network_daemons (id, key, name, joined_ms) VALUES (?, ?, ?, 1)');
      for (const key of [daemon, other]) join.run(idOf(key), idOf(key), key.pubkey);
    });
    const keys = reputation.log('Printer', {}).rules.known_daemons;
    expect([keys[0], [...keys].sort()]).toEqual([daemon.pubkey, [daemon.pubkey, other.pubkey].sort()]);
  });

  it('pages oldest first, includes the rule, and suffices to recompute the score', async () => {
    const { file, reputation, bound, clock } = bureau();
    const known = newKey();
    bound.set(known.pubkey, 'plotter');
    for (let i = 0; i < 7; i += 1) {
      await file(known, { success: i % 2 === 0, latency_ms: i * 3000, quality: 1 + (i % 5), paid: true });
      await file(newKey(), { ...GOOD, receipt: receipt() });
      await file(newKey(), BAD);
      clock.advance(11 * DAY_MS);
    }
    const rows = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = reputation.log('Printer', cursor === '' ? { limit: 4 } : { limit: 4, cursor });
      expect(page.count).toBe(page.reports.length);
      expect(page.rules).toMatchObject({
        reporter_weight_max: 5,
        unbound_weight_max: 0.25,
        known_daemons: [daemon.pubkey],
      });
      rows.push(...page.reports);
      cursor = page.next_cursor;
    }
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
    const { score, dims, as_of } = reputation.of('Printer');
    const found = recompute('printer', JSON.parse(JSON.stringify(rows)), { known_daemons: [daemon.pubkey] }, as_of);
    expect(found.problems).toEqual([]);
    expect(found.standing).toMatchObject({ score, dims });
  });

  it.each(['x', '-1', '1.5', 'Infinity'])('rejects the cursor %j', (cursor) => {
    const { reputation } = bureau();
    expect(() => reputation.log('Printer', { cursor })).toThrow(
      expect.objectContaining({
        ...{ code: 'bad_request', message: '"cursor" must be the next_cursor of an earlier page.' },
        details: { path: 'cursor' },
      }),
    );
  });

  it('reveals every modification when it is verified', async () => {
    const { file, reputation } = bureau();
    const once = receipt();
    await file(newKey(), { ...GOOD, receipt: once });
    await file(newKey(), { ...BAD, receipt: once });
    await file(newKey(), { ...GOOD, receipt: receipt({ key: newKey() }) });
    const { reports, rules } = reputation.log('Printer', {});
    const [first, second, third] = reports as [(typeof reports)[0], (typeof reports)[0], (typeof reports)[0]];
    const said = (rows: typeof reports, agent = 'Printer') =>
      recompute(agent, rows, rules, 1_795_262_400).problems.map((one) => one.said);
    expect(said([first, second, third])).toEqual([]);
    expect(said([{ ...first, body: first.body.replace('1', '0') }]).join()).toMatch(/signature/);
    expect(said([{ ...first, sig: second.sig }]).join()).toMatch(/signature/);
    expect(said([{ ...first, path: '/v1/agents/plotter/feedback' }]).join()).toMatch(/no report about this agent/);
    expect(said([first], 'plotter').join()).toMatch(/no report about this agent/);
    expect(said([{ ...first, dims: { quality: 0.5 } }]).join()).toMatch(/dimensions/);
    expect(said([{ ...second, weight: 1 }]).join()).toMatch(/weighs 1/);
    expect(said([{ ...first, filed_at: first.filed_at + 300 }]).join()).toMatch(/not filed when/);
    expect(said([first, { ...first, seq: 9 }]).join()).toMatch(/nonce was used before.*receipt was used before/);
    expect(said([second, first]).join()).toMatch(/out of order/);
    expect(said([first, { ...second, proof: 'receipt', weight: 1 }]).join()).toMatch(/receipt was used before/);
    expect(said([{ ...third, proof: 'receipt', weight: 1 }]).join()).toMatch(/no known daemon/);
    expect(said([{ ...second, proof: 'payment', weight: 1 }]).join()).toMatch(/names no payment/);
  });
});

describe('Report with an Idempotency-Key', () => {
  it('is filed once and returns the same result; another body is rejected', async () => {
    const { file, reputation, events } = bureau();
    const reporter = newKey();
    const first = await file(reporter, GOOD, { key: 'k' });
    await file(newKey(), BAD);
    expect(await file(reporter, GOOD, { key: 'k' })).toEqual(first);
    await expect(file(reporter, BAD, { key: 'k' })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await file(newKey(), GOOD, { key: 'k' });
    expect(reputation.of('Printer').reports).toBe(3);
    expect(events).toHaveLength(3);
  });
});
