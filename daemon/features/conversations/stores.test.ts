import { describe, expect, it } from 'vitest';
import type { Citation } from '../../contract/asks.js';
import { conversationsAlone } from '../../testing/parts/conversations-alone.js';
import type { ConversationsStore } from './conversations-store.js';
import { turnView } from './turns-store.js';

const BLANK = {
  ...{ member: null, agent_type: 'custom', title: '', client: null, model: null, effort: null },
  ...{ isolation: null, place_of: null, from_outside: 0, created_ms: 1_000 },
};
type Row = Partial<Parameters<ConversationsStore['put']>[1]> & { conv: string };
type NewMessage = Parameters<ConversationsStore['putMessage']>[1];

const aMessage = (facts: Partial<NewMessage>): NewMessage => ({
  ...{ id: 'm', conv: 'a', turn: 't', role: 'user', text: 'Why?', created_ms: 1_000 },
  ...facts,
});

/** Stores with a conversation for each of `rows`, in this order. */
async function stored(...rows: Row[]) {
  const alone = conversationsAlone();
  const { transactions, store, turns } = alone;
  await transactions.run((transaction) => {
    for (const row of rows) store.put(transaction, { ...BLANK, ...row });
  });
  const change = (run: Parameters<typeof transactions.run>[0]) => transactions.run(run);
  const putTurn = (turn: string, conv: string) =>
    change((transaction) =>
      turns.put(transaction, { turn, conv, profile: 'operator', text: `text of ${turn}`, created_ms: 1_000 }),
    );
  const putMessages = (...facts: Partial<NewMessage>[]) =>
    transactions.run((transaction) => facts.map((one) => store.putMessage(transaction, aMessage(one))));
  return { ...alone, change, putTurn, putMessages };
}

const convs = (rows: readonly { conv: string }[]) => rows.map(({ conv }) => conv).join('');

describe('the store of conversations', () => {
  it('holds what was given, begun at its creation', async () => {
    const { store } = await stored({
      ...{ conv: 'a', member: 'developer', agent_type: 'audit', title: 'Lights', client: 'acp', model: 'm-1' },
      ...{ effort: 'high', isolation: 'worktree', from_outside: 1 },
    });
    expect(store.find('a')).toEqual({
      ...{ seq: 1, conv: 'a', member: 'developer', agent_type: 'audit', title: 'Lights', client: 'acp', model: 'm-1' },
      ...{ effort: 'high', isolation: 'worktree', place: null, place_reason: '', place_of: null, from_outside: 1 },
      ...{ pinned: 0, archived: 0, sessions: '{}', created_ms: 1_000, updated_ms: 1_000, read_seq: 0 },
      ...{ schedule_id: null, schedule_title: null },
    });
    expect(store.find('b')).toBeUndefined();
  });

  it('changes the fields that are given, of one conversation', async () => {
    const { store, change } = await stored({ conv: 'a' }, { conv: 'b' });
    const before = store.find('b');
    await change((transaction) => {
      store.putChange(transaction, 'a', {});
      store.putChange(transaction, 'a', { title: 'Lights', pinned: 1 });
    });
    expect(store.find('a')).toMatchObject({ title: 'Lights', pinned: 1, archived: 0, agent_type: 'custom' });
    expect(store.find('b')).toEqual(before);
  });

  it('lists and counts those of a member that are not archived, the newest first', async () => {
    const { store, change } = await stored(
      { conv: 'a', member: 'developer' },
      { conv: 'b', member: 'developer' },
      { conv: 'c', member: 'developer' },
      { conv: 'd', member: 'deployer' },
    );
    await change((transaction) => store.putChange(transaction, 'b', { archived: 1 }));
    expect(convs(store.listLive('developer'))).toBe('ca');
    expect([store.countLive('developer'), store.countLive('deployer'), store.countLive('nobody')]).toEqual([2, 1, 0]);
  });

  it('removes one with its messages, and their words', async () => {
    const { store, change, putTurn, putMessages, database } = await stored({ conv: 'a' }, { conv: 'b' });
    await putTurn('t', 'a');
    await putTurn('u', 'b');
    await putMessages({ id: 'm' }, { id: 'n', conv: 'b', turn: 'u' });
    await change((transaction) => store.drop(transaction, 'a'));
    expect([store.find('a'), store.countMessages('a'), store.countMessages('b')]).toEqual([undefined, 0, 1]);
    expect(database.sql("SELECT count(*) AS n FROM messages_text WHERE messages_text MATCH 'why'").get()).toEqual({
      n: 1,
    });
  });
});

describe('the list of conversations', () => {
  async function listed() {
    const made = await stored(
      { conv: 'a', member: 'developer', title: 'Lanterns at Dusk: Éclairage', created_ms: 1_000 },
      { conv: 'b', created_ms: 3_000 },
      { conv: 'c', created_ms: 3_000 },
      { conv: 'd', created_ms: 2_000 },
    );
    const { store, asked, change, putTurn, putMessages } = made;
    await putTurn('t', 'a');
    await putTurn('u', 'b');
    await putMessages({ id: 'm', conv: 'b', turn: 'u', text: 'buoys and chains' });
    await change((transaction) => {
      store.putChange(transaction, 'd', { pinned: 1 });
      store.putChange(transaction, 'c', { archived: 1 });
      asked.put(
        transaction,
        { turn: 'u', conv: 'b' },
        { parent: { turn: 't', conv: 'a' }, asked_by: 'x', waits: true },
      );
    });
    return (filter: Partial<Parameters<ConversationsStore['list']>[0]>) =>
      convs(store.list({ archived: undefined, limit: 10, ...filter }));
  }

  it.each([
    ['no filter', {}, 'dcba'],
    ['what is archived', { archived: true }, 'c'],
    ['what is not', { archived: false }, 'dba'],
    ['a member', { member: 'developer' }, 'a'],
    ['the conversation that asked', { parent: 'a' }, 'b'],
    ['another one, which asked none', { parent: 'b' }, ''],
    ['words of a message', { words: 'chains buo' }, 'b'],
    ['a part of a title, in any case', { words: ' NS AT du ' }, 'a'],
    ['a part of a title, in any case of any script', { words: 'éclAIR' }, 'a'],
    ['words that are nowhere', { words: 'tides' }, ''],
    ['a position among the pinned', { after: { pinned: 1, updated_ms: 2_000, seq: 4 } }, 'cba'],
    ['a position of the same time', { after: { pinned: 0, updated_ms: 3_000, seq: 3 } }, 'ba'],
    ['a position of an earlier time', { after: { pinned: 0, updated_ms: 2_999, seq: 9 } }, 'a'],
    ['a limit', { limit: 2 }, 'dc'],
  ] as const)('is selected by %s: pinned ones first, then the latest', async (_what, filter, expected) => {
    const list = await listed();
    expect(list(filter)).toBe(expected);
  });
});

describe('the store of messages', () => {
  async function talked() {
    const made = await stored({ conv: 'a' }, { conv: 'b' });
    for (const turn of ['t', 'u']) await made.putTurn(turn, 'a');
    await made.putTurn('v', 'b');
    return made;
  }

  it('gives a message as it was written', async () => {
    const { store, putMessages } = await talked();
    const citation = { path: 'a.ts' } as Citation;
    const call = { id: '1', name: 'Read', target: 'a.ts', state: 'done' } as const;
    const [plain, whole] = await putMessages(
      { id: 'm' },
      {
        ...{ id: 'n', role: 'assistant', text: 'So.', calls: [call], citations: [citation], dropped_citations: 2 },
        search: { confidence: 'found', searched: { files: 1, left_out: 0 }, total: 1 },
        ...{ doc_names: ['notes.md'], from_outside: true, created_ms: 2_000 },
      },
    );
    const empty = { calls: [], citations: [], dropped_citations: 0, context_docs: [], from_outside: false };
    expect(plain).toEqual({
      ...{ id: 'm', conv: 'a', turn: 't', role: 'user', text: 'Why?', created_at: '1970-01-01T00:00:01.000Z' },
      ...empty,
    });
    expect(whole).toEqual({
      ...{ id: 'n', conv: 'a', turn: 't', role: 'assistant', text: 'So.', created_at: '1970-01-01T00:00:02.000Z' },
      ...{ calls: [call], citations: [citation], dropped_citations: 2, context_docs: ['notes.md'] },
      ...{ from_outside: true, confidence: 'found', searched: { files: 1, left_out: 0 }, total: 1 },
    });
    expect(store.page('a', undefined, 10)).toEqual([plain, whole]);
    expect([...store.everyMessage('a')]).toEqual([plain, whole]);
  });

  it('names who asked in the question of a turn, not in its answer', async () => {
    const { store, asked, change, putMessages } = await talked();
    await change((transaction) =>
      asked.put(
        transaction,
        { turn: 't', conv: 'a' },
        { parent: { turn: 'v', conv: 'b' }, asked_by: 'x', waits: true },
      ),
    );
    const [question] = await putMessages({ id: 'm', asked_by: 'x' }, { id: 'n', role: 'assistant' });
    expect(question?.asked_by).toBe('x');
    expect(store.page('a', undefined, 10)?.map(({ asked_by }) => asked_by)).toEqual(['x', undefined]);
  });

  it('pages back from a message of the conversation', async () => {
    const { store, putMessages } = await talked();
    await putMessages(...['1', '2', '3'].map((id) => ({ id })), { id: '4', conv: 'b', turn: 'v' });
    const ids = (before: string | undefined, limit: number) =>
      store
        .page('a', before, limit)
        ?.map(({ id }) => id)
        .join('');
    expect([ids(undefined, 10), ids(undefined, 2), ids('3', 10), ids('3', 1), ids('1', 10)]).toEqual([
      ...['123', '23', '12', '2', ''],
    ]);
    expect([ids('4', 10), ids('none', 10)]).toEqual([undefined, undefined]);
    expect([store.getSeq('a', '2'), store.getSeq('a', '4'), store.getSeq('b', '4')]).toEqual([2, undefined, 4]);
  });

  it('iterates over more than one batch, each message once', async () => {
    const { store, putMessages } = await talked();
    const ids = Array.from({ length: 401 }, (_, at) => `m${at}`);
    await putMessages(...ids.slice(0, 400).map((id) => ({ id })));
    expect([...store.everyMessage('a')].map(({ id }) => id)).toEqual(ids.slice(0, 400));
    await putMessages({ id: 'm400' });
    expect([...store.everyMessage('a')].map(({ id }) => id)).toEqual(ids);
    expect([...store.everyMessage('b')]).toEqual([]);
  });

  it('counts the answers that were not read, and knows the first of them', async () => {
    const { store, putMessages } = await talked();
    const answer = (id: string) => ({ id, role: 'assistant' }) as const;
    await putMessages({ id: 'q' }, answer('1'), { id: 'n', role: 'system' }, answer('2'));
    await putMessages({ ...answer('3'), conv: 'b', turn: 'v' });
    expect([0, 1, 2, 3, 4].map((seq) => store.countUnread('a', seq))).toEqual([2, 2, 1, 1, 0]);
    expect([0, 2, 4].map((seq) => store.findUnread('a', seq))).toEqual(['1', '2', undefined]);
  });

  it('previews the start of the last message', async () => {
    const { store, putMessages } = await talked();
    expect(store.preview('a', 5)).toBe('');
    await putMessages({ id: '1', text: 'first' }, { id: '2', text: 'second' });
    expect([store.preview('a', 3), store.preview('b', 3)]).toEqual(['sec', '']);
  });

  it('gives no number again to a message while one is set aside', async () => {
    const { store, database, putMessages, change } = await talked();
    await putMessages({ id: '1' }, { id: '2' });
    const columns = database.sql("SELECT name FROM pragma_table_info('messages_aside')").pluck().all() as string[];
    const kept = (database.sql("SELECT name FROM pragma_table_info('messages')").pluck().all() as string[]).filter(
      (name) => columns.includes(name),
    );
    const others = columns.filter((name) => !kept.includes(name));
    await change((transaction) => {
      transaction
        .sql(
          `INSERT INTO messages_aside (${[...kept, ...others]}) SELECT ${[...kept, ...others.map(() => "'x'")]}
           FROM messages WHERE id = '2'`,
        )
        .run();
      transaction.sql("DELETE FROM messages WHERE id = '2'").run();
    });
    await putMessages({ id: '3' });
    expect(store.getSeq('a', '3')).toBe(3);
  });
});

describe('the store of turns', () => {
  const ENDING = { outcome: 'answered', code: null, reason: null, usage: null, finished_ms: 3_000 } as const;
  const START = { client: 'acp', model: 'm-1', effort: 'high', started_ms: 2_000 };

  async function threeTurns() {
    const made = await stored({ conv: 'a' }, { conv: 'b' });
    for (const [turn, conv] of ['1a', '2b', '3a'].map((one) => [...one] as [string, string]))
      await made.putTurn(turn, conv);
    return made;
  }

  it('queues a turn, runs it and ends it, each once', async () => {
    const { turns, transactions } = await threeTurns();
    const start = () => transactions.run((transaction) => turns.putStarted(transaction, '1', START));
    const end = (facts = {}) =>
      transactions.run((transaction) => turns.putEnded(transaction, '1', { ...ENDING, ...facts }));
    expect(turns.find('1')).toEqual({
      ...{ seq: 1, turn: '1', conv: 'a', state: 'queued', profile: 'operator', text: 'text of 1', outcome: null },
      ...{ code: null, reason: null, client: '', model: '', effort: '', usage: null, created_ms: 1_000 },
      ...{ started_ms: null, finished_ms: null },
    });
    expect([await start(), await start()]).toEqual([true, false]);
    expect(turns.find('1')).toMatchObject({ state: 'running', ...START });
    expect(turns.find('2')?.state).toBe('queued');
    const usage = { input_tokens: 7 };
    expect([await end({ usage, code: 'x', reason: 'y' }), await end(), await start()]).toEqual([true, false, false]);
    expect(turns.find('1')).toMatchObject({ ...ENDING, state: 'ended', usage, code: 'x', reason: 'y' });
    expect(turnView(turns.find('1') as NonNullable<ReturnType<typeof turns.find>>)).toEqual({
      ...{ turn: '1', conv: 'a', state: 'ended', outcome: 'answered', code: 'x', reason: 'y', client: 'acp' },
      ...{ model: 'm-1', effort: 'high', usage, created_at: '1970-01-01T00:00:01.000Z' },
      ...{ started_at: '1970-01-01T00:00:02.000Z', finished_at: '1970-01-01T00:00:03.000Z' },
    });
    const queued = turns.find('2') as NonNullable<ReturnType<typeof turns.find>>;
    expect(turnView(queued)).toMatchObject({ usage: null, started_at: null, finished_at: null });
  });

  it('lists, counts and finds turns of a conversation', async () => {
    const { turns, change, putMessages } = await threeTurns();
    const names = (list: readonly { turn: string }[]) => list.map(({ turn }) => turn).join('');
    await putMessages({ id: 'm', turn: '3' });
    expect([names(turns.listOpen()), names(turns.listOpen('a')), names(turns.listOpen('c'))]).toEqual([
      '123',
      '13',
      '',
    ]);
    expect([turns.countOpen('a'), turns.countOpen('b'), turns.countOpen('c')]).toEqual([2, 1, 0]);
    expect(turns.lastOutcome('a')).toBeNull();
    await change((transaction) => {
      turns.putStarted(transaction, '1', START);
      turns.putEnded(transaction, '3', { ...ENDING, outcome: 'cancelled' });
    });
    expect([names(turns.listOpen('a')), turns.countOpen('a'), turns.lastOutcome('a')]).toEqual(['1', 1, 'cancelled']);
    await change((transaction) => void turns.putEnded(transaction, '1', ENDING));
    expect([turns.lastOutcome('a'), turns.lastOutcome('b')]).toEqual(['cancelled', null]);
    expect(names(turns.listNamed('a', new Set(['3', '1', '2'])))).toBe('13');
    expect(turns.listNamed('a', new Set())).toEqual([]);
    expect(['3', 'm', '2', 'x'].map((id) => turns.findNamed('a', id)?.turn)).toEqual(['3', '3', undefined, undefined]);
  });

  it('keeps a turn that was only told as ended', async () => {
    const { turns, change } = await threeTurns();
    const told = { turn: '4', conv: 'a', profile: 'operator', text: 'told', created_ms: 5_000 } as const;
    await change((transaction) => turns.putTold(transaction, told));
    expect(turns.find('4')).toMatchObject({
      ...{ ...told, state: 'ended', outcome: 'answered', started_ms: null, finished_ms: 5_000 },
    });
  });

  it('keeps the documents of a turn', async () => {
    const { turns, change, database } = await threeTurns();
    const documents = [{ filename: 'a.md', content: 'x' }];
    await change((transaction) => {
      turns.putDocuments(transaction, '1', documents);
      turns.putDocuments(transaction, '2', []);
    });
    expect([turns.documentsOf('1'), turns.documentsOf('2')]).toEqual([documents, []]);
    expect(database.sql('SELECT count(*) AS n FROM turn_documents').get()).toEqual({ n: 1 });
  });
});

describe('the store of turns that a member asked for', () => {
  async function chain() {
    const made = await stored({ conv: 'a', member: 'developer' }, { conv: 'b' }, { conv: 'c', title: 'Lights' });
    for (const [turn, conv] of ['1a', '2b', '3b', '4c', '5b'].map((one) => [...one] as [string, string]))
      await made.putTurn(turn, conv);
    const { asked, change } = made;
    const put = (turn: string, conv: string, by: string, waits: boolean) =>
      change((transaction) =>
        asked.put(
          transaction,
          { turn, conv },
          { parent: { turn: by[0] as string, conv: by[1] as string }, asked_by: 'x', waits },
        ),
      );
    await put('2', 'b', '1a', true);
    await put('5', 'b', '1a', true);
    await put('3', 'b', '4c', false);
    return { ...made, put };
  }

  it('knows who asked a conversation last', async () => {
    const { asked, put } = await chain();
    expect(asked.findParent('b')).toEqual({ conv: 'c', turn: '4', member: null, title: 'Lights' });
    await put('4', 'c', '3b', true);
    expect(asked.findParent('c')).toEqual({ conv: 'b', turn: '3', member: null, title: 'New conversation' });
    expect(asked.findParent('a')).toBeUndefined();
  });

  it('knows who asked for a turn, and whether that waits', async () => {
    const { asked, change } = await chain();
    expect(asked.findAsking('2')).toEqual({ parent: '1', parent_conv: 'a', waits: true });
    expect(asked.findAsking('3')).toEqual({ parent: '4', parent_conv: 'c', waits: false });
    expect(asked.findAsking('1')).toBeUndefined();
    expect(['1', '2', '3'].map((turn) => asked.findWaiting(turn))).toEqual([undefined, '1', undefined]);
    await change((transaction) => transaction.sql("DELETE FROM turns WHERE turn = '1'").run());
    expect([asked.findWaiting('2'), asked.findAsking('2')?.parent]).toEqual([null, null]);
  });

  it('lists the turns that one waits for until they end', async () => {
    const { asked, turns, change } = await chain();
    expect([asked.listAwaited('1'), asked.listAwaited('4')]).toEqual([['2', '5'], []]);
    const ending = { outcome: 'answered', code: null, reason: null, usage: null, finished_ms: 1 } as const;
    await change((transaction) => void turns.putEnded(transaction, '2', ending));
    expect(asked.listAwaited('1')).toEqual(['5']);
  });
});
