import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Dims, Proof } from '../../contract/network/reputation.js';
import { Database } from '../../storage/database/database.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ReputationStore, reportScope } from './reputation-store.js';

interface Inserted {
  agent_id?: string;
  reporter?: string;
  reporter_agent_id?: string | null;
  nonce?: string;
  dims?: Dims;
  proof?: Proof;
  filed_at?: number;
  daemon?: string;
  seen?: Proof | null;
  key?: string | null;
}

function aStore() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const store = new ReputationStore(database);
  const insert = ({ daemon = 'one', seen = null, key = null, ...more }: Inserted = {}) =>
    database.write(() =>
      store.insert(
        {
          ...{ agent_id: 'Printer', reporter: 'r', reporter_agent_id: null, ts: 3, nonce: 'n', method: 'POST' },
          ...{ path: '/p', body: '{}', sig: 's', dims: {}, proof: 'unbound', filed_at: 4, ...more },
        },
        { daemon, seen, key },
      ),
    );
  return { database, store, insert };
}

describe('The store of reports', () => {
  it('returns each column as it was put, and only the dimensions that there are', async () => {
    const { store, insert } = aStore();
    const more = { reporter: 'r1', reporter_agent_id: 'Horn', nonce: 'n1', proof: 'receipt', filed_at: 9 } as const;
    expect(await insert({ ...more, dims: { reliability: 0, settlement: 1 } })).toBe(1);
    expect(await insert({ ...more, nonce: 'n2', dims: { speed: 0.5, quality: 0.25 } })).toBe(2);
    const same = { agent_id: 'Printer', ts: 3, method: 'POST', path: '/p', body: '{}', sig: 's', ...more, weight: 1 };
    expect(store.list('PRINTER', 0, 9)).toEqual([
      { ...same, seq: 1, dims: { reliability: 0, settlement: 1 } },
      { ...same, nonce: 'n2', seq: 2, dims: { speed: 0.5, quality: 0.25 } },
    ]);
    expect(store.listWeighed('printer', { afterSeq: 0, self: 'one' })[0]).toEqual({
      ...{ seq: 1, reporter: 'r1', proof: 'receipt', filed_at: 9, own_proof: null },
      dims: { reliability: 0, settlement: 1 },
    });
  });

  it('lists the reports about one agent after one of them, in their order', async () => {
    const { store, insert } = aStore();
    for (const agent_id of ['Printer', 'horn', 'PRINTER', 'printer']) await insert({ agent_id });
    const seqs = (rows: { seq: number }[]) => rows.map(({ seq }) => seq);
    expect(seqs(store.list('printer', 0, 9))).toEqual([1, 3, 4]);
    expect(seqs(store.list('printer', 1, 9))).toEqual([3, 4]);
    expect(seqs(store.list('printer', 0, 2))).toEqual([1, 3]);
    expect(seqs(store.listWeighed('Printer', { afterSeq: 1, self: '' }))).toEqual([3, 4]);
    expect(store.listReported().sort()).toEqual(['horn', 'printer']);
  });

  it('knows a proof as its own when this daemon saw it, or it is older than networks', async () => {
    const { store, insert } = aStore();
    await insert({ daemon: 'one', seen: 'receipt' });
    await insert({ daemon: 'two', seen: 'payment' });
    await insert({ daemon: '', seen: 'payment' });
    const seen = (self: string) =>
      store.listWeighed('Printer', { afterSeq: 0, self }).map(({ own_proof }) => own_proof);
    expect(seen('one')).toEqual(['receipt', null, 'payment']);
    expect(seen('two')).toEqual([null, 'payment', 'payment']);
  });

  it('knows which proofs a sender has used, and those from before networks for all', async () => {
    const { store, insert, database } = aStore();
    await insert({ daemon: 'one', key: 'receipt 1' });
    await insert({ daemon: '', key: 'x' });
    await database.write(
      () => void database.sql("UPDATE reputation_reports SET proof_key = 'old' WHERE seq = 2").run(),
    );
    expect(store.isSpent('one', 'receipt 1')).toBe(true);
    expect(store.isSpent('two', 'receipt 1')).toBe(false);
    expect(store.isSpent('one', 'receipt 2')).toBe(false);
    expect(store.isSpent('one', 'old')).toBe(true);
    expect(store.isSpent('', 'one receipt 1')).toBe(false);
  });

  it('counts the reports of unbound keys that a daemon filed about an agent after a time', async () => {
    const { store, insert } = aStore();
    await insert({ filed_at: 10 });
    await insert({ filed_at: 11, agent_id: 'PRINTER' });
    await insert({ filed_at: 11, proof: 'bound' });
    await insert({ filed_at: 11, daemon: 'two' });
    await insert({ filed_at: 11, agent_id: 'horn' });
    expect([9, 10, 11].map((since) => store.countUnbound('printer', 'one', since))).toEqual([2, 1, 0]);
  });

  it('knows a nonce by the agent, the reporter and itself', async () => {
    const { store, insert } = aStore();
    await insert();
    expect(store.hasNonce('PRINTER', 'r', 'n')).toBe(true);
    expect(store.hasNonce('horn', 'r', 'n')).toBe(false);
    expect(store.hasNonce('Printer', 'q', 'n')).toBe(false);
    expect(store.hasNonce('Printer', 'r', 'm')).toBe(false);
  });

  it('forgets the reports about an agent, its name in its own, and what repeats would get', async () => {
    const { store, insert, database } = aStore();
    await insert();
    await insert({ agent_id: 'horn', reporter_agent_id: 'PRINTER' });
    await insert({ agent_id: 'horn', reporter_agent_id: 'bell' });
    const once = (scope: string, change: () => string) =>
      database.write(() => store.once({ scope, key: 'k', body_sha256: 'b' }, 1, change));
    const scopes = [reportScope('Printer', 'r'), reportScope('Printers', 'r')] as const;
    expect(scopes).toEqual(['report printer r', 'report printers r']);
    for (const scope of scopes) expect(await once(scope, () => 'first')).toBe('first');
    await database.write(() => store.forget('PRINTER'));
    expect(store.list('printer', 0, 9)).toEqual([]);
    expect(store.list('horn', 0, 9).map(({ reporter_agent_id }) => reporter_agent_id)).toEqual([null, 'bell']);
    expect(await once(scopes[0], () => 'second')).toBe('second');
    expect(await once(scopes[1], () => 'second')).toBe('first');
  });
});
