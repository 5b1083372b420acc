import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FileReport } from '../../contract/commands/reputation.js';
import type { ReportBody } from '../../contract/network/reputation.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { parseMeshSig, signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { makeReceipt } from '../../lib/crypto/receipt.js';
import { newRequestId } from '../../lib/ids.js';
import { Owners } from '../../shared-log/owners.js';
import type { Command } from '../../shared-log/shared-log.js';
import { Database } from '../../storage/database/database.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { RECEIPT_FACTS } from '../../testing/receipt-facts.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type FiledReport, ReportCommands } from './report-commands.js';
import { ReputationStore, reportScope } from './reputation-store.js';

const NOW = 1_795_262_400_500;
const GOOD: ReportBody = { dims: { quality: 1 } };
const PAYMENT = { network: 'solana:local', signature: 'paid' };
const BOUND = 'plotter';

interface Sent {
  by?: SigningKey;
  about?: string;
  /** The daemon that sends the command. */
  from?: SigningKey;
  proofs?: FileReport['proofs'];
  key?: FileReport['key'];
  at?: number;
  path?: string;
  nonce?: string;
}

/** The decider about reports on the agents `Printer` and `horn`, over a database of its own. */
function deciding() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const self = newKey();
  const bound = new Map<string, string>();
  const agents = new Set(['Printer', 'horn']);
  const store = new ReputationStore(database);
  const commands = new ReportCommands(store, new Owners(database, self.pubkey), {
    findAgent: (agentId) => [...agents].find((id) => id.toLowerCase() === agentId.toLowerCase()),
    agentOfKey: (pubkey) => bound.get(pubkey),
  });
  const kind = commands.kinds['reputation.file'] ?? expect.fail('no such kind');
  const commandOf = (report: object | string, sent: Sent): Command => {
    const { by = newKey(), about = 'Printer', from = self, proofs = [], key = null, at = NOW } = sent;
    const { path = `/v1/agents/${about}/feedback` } = sent;
    const body = typeof report === 'string' ? report : JSON.stringify(report);
    const request = { method: 'POST', path, body };
    const signature = parseMeshSig(signMeshSig(by, request, at));
    const given = { request, signature, proofs, key };
    return { schema: 1, id: 'id', kind: 'reputation.file', entity: about, at, daemon: idOf(from), body: given };
  };
  const decide = (command: Command) => database.write(() => kind.decide(command) as FiledReport);
  const file = (report: object | string = GOOD, sent: Sent = {}) => decide(commandOf(report, sent));
  const own = (area: 'hub' | 'registry', by: SigningKey, entity = 'printer') =>
    database.write(() => void database.sql('INSERT INTO network_owners VALUES (?, ?, ?)').run(area, entity, idOf(by)));
  const list = (about = 'Printer') => store.list(about, 0, 100);
  const proofs = (about = 'Printer') => list(about).map(({ proof }) => proof);
  return { database, store, self, bound, agents, commands, kind, commandOf, decide, file, own, list, proofs };
}

const receiptOf = (key: SigningKey, request_id = newRequestId()) =>
  makeReceipt({ ...RECEIPT_FACTS, request_id }, key) as unknown as Record<string, unknown>;

describe('A filed report', () => {
  it('is in the log as it was signed, under the id as registered, at the second in which it was sent', async () => {
    const { file, list, bound } = deciding();
    const reporter = newKey();
    bound.set(reporter.pubkey, BOUND);
    const report = { success: true, latency_ms: 15_500, quality: 2, paid: true };
    expect(await file(report, { by: reporter, about: 'PRINTER' })).toEqual({
      agent_id: 'Printer',
      report: 1,
      isNew: true,
    });
    expect(list()).toEqual([
      {
        ...{ seq: 1, agent_id: 'Printer', reporter: reporter.pubkey, reporter_agent_id: BOUND, ts: 1_795_262_400 },
        ...{ nonce: expect.any(String), sig: expect.any(String), method: 'POST' },
        ...{ path: '/v1/agents/PRINTER/feedback', body: JSON.stringify(report) },
        ...{ dims: { reliability: 1, speed: 0.5, quality: 0.25, settlement: 1 } },
        ...{ weight: 0.25, proof: 'bound', filed_at: 1_795_262_400 },
      },
    ]);
  });

  it('needs an agent that is registered', async () => {
    const { file } = deciding();
    await expect(file(GOOD, { about: 'nobody' })).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'There is no such agent.' },
    });
  });

  it('has at most 8 KiB as bytes, whoever sends it', async () => {
    const { file } = deciding();
    const sized = (bytes: number) => {
      const around = Buffer.byteLength(JSON.stringify({ ...GOOD, receipt: { long: '€' } }));
      return { ...GOOD, receipt: { long: `€${'x'.repeat(bytes - around)}` } };
    };
    expect((await file(sized(8_192))).isNew).toBe(true);
    await expect(file(sized(8_193))).rejects.toMatchObject({
      code: 'too_large',
      message: 'A report is at most 8192 bytes: all of it stands in the public log.',
    });
  });

  it('was signed by its reporter within two minutes of the time of its command', async () => {
    const { commandOf, decide } = deciding();
    const command = commandOf(GOOD, {});
    const { request, signature } = command.body as unknown as FileReport;
    const forged = { ...command.body, request: { ...request, body: JSON.stringify({ dims: { quality: 0 } }) } };
    const refused = { code: 'bad_signature' };
    await expect(decide({ ...command, body: forged })).rejects.toMatchObject(refused);
    await expect(decide({ ...command, at: signature.ts * 1_000 + 120_001 })).rejects.toMatchObject(refused);
    expect((await decide({ ...command, at: signature.ts * 1_000 + 120_000 })).isNew).toBe(true);
  });

  it.each<[string, object | string, Sent]>([
    ['about another agent', GOOD, { path: '/v1/agents/horn/feedback' }],
    ['to another route', GOOD, { path: '/v1/agents/Printer/feedbacks' }],
    ['of another form', { dims: { beauty: 1 } }, {}],
    ['that is no JSON', '{', {}],
  ])('cannot be a signed request %s', async (_name, report, sent) => {
    const { file, list } = deciding();
    await expect(file(report, sent)).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'What was signed is no report about this agent.' },
    });
    expect(list()).toEqual([]);
  });

  it('has dimensions of one kind', async () => {
    await expect(deciding().file({ dims: {} })).rejects.toMatchObject({ details: { path: 'dims' } });
  });

  it('has a nonce of which its reporter made no use about the agent', async () => {
    const { commandOf, decide, bound } = deciding();
    const reporter = newKey();
    bound.set(reporter.pubkey, BOUND);
    const command = commandOf(GOOD, { by: reporter });
    await decide(command);
    await expect(decide(command)).rejects.toMatchObject({
      code: 'bad_signature',
      message: 'This nonce was used before: sign every request with a fresh one.',
    });
  });
});

describe('A report about oneself', () => {
  const refused = {
    code: 'self_report',
    message: 'Nobody reports about themselves: this key is the supplier’s own.',
  };

  it('is refused for a key that the agent has bound, in any case', async () => {
    const { file, bound } = deciding();
    const own = newKey();
    bound.set(own.pubkey, 'pRINTER');
    await expect(file(GOOD, { by: own })).rejects.toMatchObject(refused);
    expect((await file(GOOD, { by: own, about: 'horn' })).isNew).toBe(true);
  });

  it.each(['hub', 'registry'] as const)('is refused for the daemon that hosts it on the %s', async (area) => {
    const { file, own } = deciding();
    const host = newKey();
    await own(area, host);
    await expect(file(GOOD, { by: host })).rejects.toMatchObject(refused);
    expect((await file(GOOD, { by: host, about: 'horn' })).isNew).toBe(true);
    expect((await file()).isNew).toBe(true);
  });

  it('is left to the host itself, which knows its members', async () => {
    const { file, own } = deciding();
    const host = newKey();
    await own('hub', host);
    expect((await file(GOOD, { by: host, from: host })).isNew).toBe(true);
  });
});

describe('The proof of a report', () => {
  it('is believed of a sender that hosts the agent on each surface where it is listed', async () => {
    const { file, own, proofs, self } = deciding();
    const other = newKey();
    const paid = (signature: string) => ({ ...GOOD, payment: { ...PAYMENT, signature } });
    await file(paid('1'), { proofs: ['payment'] });
    await own('hub', self);
    await file(paid('2'), { proofs: ['payment'] });
    await file(paid('3'), { proofs: ['payment'], from: other });
    await own('registry', other);
    await file(paid('4'), { proofs: ['payment'] });
    await file(paid('5'), { proofs: ['payment'], from: other });
    expect(proofs()).toEqual(['payment', 'payment', 'unbound', 'unbound', 'unbound']);
  });

  it('that is not believed leaves the weight of the key, and credit with the daemon that saw it', async () => {
    const { file, own, bound, store, self, list } = deciding();
    await own('hub', newKey());
    const reporter = newKey();
    bound.set(reporter.pubkey, BOUND);
    await file({ ...GOOD, payment: PAYMENT }, { by: reporter, proofs: ['payment'] });
    expect(list().map(({ proof, weight }) => [proof, weight])).toEqual([['bound', 0.25]]);
    const seenBy = (key: SigningKey) => store.listWeighed('Printer', { afterSeq: 0, self: idOf(key) })[0]?.own_proof;
    expect([seenBy(self), seenBy(newKey())]).toEqual(['payment', null]);
  });

  it('counts once for each sender, a payment by its network and signature', async () => {
    const { file, proofs } = deciding();
    const pay = (payment: object, from?: SigningKey) =>
      file({ ...GOOD, payment }, { proofs: ['payment'], ...(from && { from }) });
    await pay(PAYMENT);
    await pay(PAYMENT);
    await pay({ ...PAYMENT, network: 'solana:main' });
    await pay({ ...PAYMENT, signature: 'paid too' });
    await pay(PAYMENT, newKey());
    expect(proofs()).toEqual(['payment', 'unbound', 'payment', 'payment', 'payment']);
  });

  it('is a receipt that the sender has signed', async () => {
    const { file, proofs, self } = deciding();
    const other = newKey();
    const served = receiptOf(self);
    const show = (receipt: object, from = self) => file({ ...GOOD, receipt }, { proofs: ['receipt'], from });
    await show(served);
    await show(served);
    await show(receiptOf(self));
    await show(receiptOf(other));
    await show(receiptOf(other), other);
    await show({ ...receiptOf(self), answer_sha256: 'f'.repeat(64) });
    expect(proofs()).toEqual(['receipt', 'unbound', 'receipt', 'unbound', 'receipt', 'unbound']);
  });

  it('is none when the report lacks what its sender has verified', async () => {
    const { file, proofs } = deciding();
    await file(GOOD, { proofs: ['receipt', 'payment'] });
    expect(proofs()).toEqual(['unbound']);
  });

  it('is the first one of which no use was made', async () => {
    const { file, proofs, self } = deciding();
    const receipt = receiptOf(self);
    const both = { ...GOOD, receipt, payment: PAYMENT };
    for (let at = 0; at < 3; at += 1) await file(both, { proofs: ['receipt', 'payment'] });
    expect(proofs()).toEqual(['receipt', 'payment', 'unbound']);
  });
});

describe('An Idempotency-Key', () => {
  it('lets a repeat return the first report, and file nothing', async () => {
    const { file, list, bound } = deciding();
    const by = newKey();
    bound.set(by.pubkey, BOUND);
    const key = { scope: 'elsewhere', key: 'once', body_sha256: 'a'.repeat(64) };
    expect(await file(GOOD, { by, key })).toMatchObject({ report: 1, isNew: true });
    await file();
    expect(await file(GOOD, { by, key })).toEqual({ agent_id: 'Printer', report: 1, isNew: false });
    expect(list()).toHaveLength(2);
  });

  it('is kept for a day by the time of the commands', async () => {
    const { file } = deciding();
    const by = newKey();
    const key = { scope: 'same', key: 'once', body_sha256: 'a'.repeat(64) };
    const day = 86_400_000;
    await file(GOOD, { by, key });
    expect((await file(GOOD, { by, key, at: NOW + day - 1 })).isNew).toBe(false);
    expect((await file(GOOD, { by, key, at: NOW + day })).isNew).toBe(true);
  });

  it('is one of its reporter about one agent', async () => {
    const { file } = deciding();
    const by = newKey();
    const key = { scope: 'same', key: 'once', body_sha256: 'a'.repeat(64) };
    for (const sent of [{ by }, { by: newKey() }, { by, about: 'horn' }])
      expect((await file(GOOD, { ...sent, key })).isNew).toBe(true);
  });
});

it('At most a thousand reports of unbound keys about an agent come from one daemon in thirty days', async () => {
  const { file, store, database, self, bound } = deciding();
  const row = { ...{ agent_id: 'Printer', reporter: 'r', reporter_agent_id: null, ts: 0, method: 'POST', path: '/' } };
  const second = Math.floor(NOW / 1_000);
  await database.write(() => {
    for (let at = 0; at < 1_000; at += 1)
      store.insert(
        {
          ...row,
          nonce: String(at),
          body: '',
          sig: '',
          dims: {},
          proof: 'unbound',
          filed_at: second - 30 * 86_400 + 1,
        },
        { daemon: idOf(self), seen: null, key: null },
      );
  });
  const refused = {
    code: 'overloaded',
    message:
      'Within 30 days at most 1000 reports about an agent are taken of keys that no agent has bound. Bind this key to ' +
      'an agent, or show a receipt.',
  };
  await expect(file()).rejects.toMatchObject(refused);
  const known = newKey();
  bound.set(known.pubkey, BOUND);
  expect((await file(GOOD, { by: known })).isNew).toBe(true);
  expect((await file({ ...GOOD, payment: PAYMENT }, { proofs: ['payment'] })).isNew).toBe(true);
  expect((await file(GOOD, { from: newKey() })).isNew).toBe(true);
  expect((await file(GOOD, { at: NOW + 1_000 })).isNew).toBe(true);
});

it('A bound reporter reports by the daemon of its agent, an unbound one by any', () => {
  const { kind, commandOf, bound } = deciding();
  const reporter = newKey();
  const command = commandOf(GOOD, { by: reporter });
  const required = () => kind.ownership.requires?.(command.body, command);
  expect(required()).toEqual([]);
  bound.set(reporter.pubkey, 'Plotter');
  expect(required()).toEqual([{ area: 'registry', id: 'plotter' }]);
});

it('Reports about an agent go once no surface lists it, with the answers to repeats and its name in its own', async () => {
  const { commands, file, database, list, bound, agents } = deciding();
  const [by, own] = [newKey(), newKey()];
  bound.set(own.pubkey, 'PRINTER');
  const key = { scope: 'x', key: 'once', body_sha256: 'a'.repeat(64) };
  await file(GOOD, { by, key });
  await file(GOOD, { by, key, about: 'horn' });
  await file(GOOD, { by: own, about: 'horn' });
  await database.write(() => commands.agentGone('printer'));
  expect(list()).toHaveLength(1);
  agents.delete('Printer');
  await database.write(() => commands.agentGone('PRINTER'));
  expect(list()).toEqual([]);
  expect(list('horn').map(({ reporter_agent_id }) => reporter_agent_id)).toEqual([null, null]);
  const scopes = database.sql('SELECT scope FROM shared_answers').pluck().all();
  expect(scopes).toEqual([reportScope('horn', by.pubkey)]);
});
