import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AnswerTrace } from '../../contract/answer-trace.js';
import type { Caller, Citation, Receipt, SearchOutcome } from '../../contract/asks.js';
import { Database } from '../../storage/database/database.js';
import { findAnswer, putAnswer } from '../../storage/database/idempotency.js';
import { type Transaction, Transactions } from '../../storage/database/transaction.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { AskStore, type Ending, isOver } from './ask-store.js';

type NewAsk = Parameters<AskStore['put']>[1];

const PROGRAM: Caller = { user_agent: 'Harbour-Clock/2.1', idempotency_key: null };
const TEST: Caller = { user_agent: null, idempotency_key: null, test: true };

const ANSWERED: Ending = {
  finished_ms: 5_000,
  result_text: 'At -6 degrees.',
  citations: [],
  search: null,
  receipt: null,
  error_code: null,
  error_message: null,
};
const CANCELLED: Ending = {
  ...ANSWERED,
  result_text: null,
  citations: null,
  error_code: 'cancelled',
  error_message: 'Cancelled by its caller.',
};
const SEARCH: SearchOutcome = { confidence: 'likely', searched: { files: 2, left_out: 1 }, total: 3 };

/** A store with an ask for each of `asks`, in this order. */
async function aStore(...asks: (Partial<NewAsk> & { request_id: string })[]) {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const store = new AskStore(database);
  const transactions = new Transactions(database);
  const change = (run: (transaction: Transaction) => void) => transactions.run(run);
  await change((transaction) => {
    for (const ask of asks) store.put(transaction, { ...NEW, turn: `turn of ${ask.request_id}`, ...ask });
  });
  const end = (id: string, status: 'done' | 'error', ending: Partial<Ending> = {}) =>
    change((transaction) =>
      store.putEnded(transaction, id, status, { ...(status === 'done' ? ANSWERED : CANCELLED), ...ending }),
    );
  return { database, store, change, end };
}

const NEW: NewAsk = {
  request_id: '',
  member: 'consultant',
  conv: 'conv-one',
  session: null,
  turn: null,
  text: 'At which angle?',
  documents: undefined,
  caller: PROGRAM,
  client: 'acp',
  model: 'm-1',
  created_ms: 1_000,
};

const idsOf = (asks: readonly { request_id: string }[]) => asks.map(({ request_id }) => request_id);

describe('a stored ask', () => {
  it('is queued and holds all that came with it', async () => {
    const { store } = await aStore({ request_id: 'a', session: 's', turn: 't' });
    expect(store.find('a')).toEqual({
      seq: 1,
      request_id: 'a',
      member: 'consultant',
      conv: 'conv-one',
      session: 's',
      turn: 't',
      status: 'queued',
      text: 'At which angle?',
      caller: PROGRAM,
      client: 'acp',
      model: 'm-1',
      created_ms: 1_000,
      started_ms: null,
      finished_ms: null,
      collected_ms: null,
      result_text: null,
      citations: null,
      search: null,
      receipt: null,
      error_code: null,
      error_message: null,
    });
    expect(store.findByTurn('t')).toEqual(store.find('a'));
    expect([store.find('b'), store.findByTurn('a')]).toEqual([undefined, undefined]);
  });

  it('keeps its documents, found by the request and by its turn', async () => {
    const documents = [{ filename: 'notes.md', content: 'Dusk, über alles.' }];
    const { store } = await aStore(
      { request_id: 'a', turn: 't', documents: Buffer.from(JSON.stringify(documents)) },
      { request_id: 'b', turn: 'u' },
    );
    expect([store.listDocuments('a'), store.documentsOfTurn('t')]).toEqual([documents, documents]);
    expect([store.listDocuments('b'), store.documentsOfTurn('u'), store.documentsOfTurn('none')]).toEqual([[], [], []]);
  });

  it('runs on the client that started it, waits for a person and goes on', async () => {
    const { store, change } = await aStore({ request_id: 'a' }, { request_id: 'b' });
    await change((transaction) => store.putStarted(transaction, 'a', 2_000, 'builtin', 'm-2'));
    expect(store.find('a')).toMatchObject({ status: 'running', started_ms: 2_000, client: 'builtin', model: 'm-2' });
    await change((transaction) => store.putWaiting(transaction, 'a', true));
    expect(store.find('a')?.status).toBe('needs_input');
    await change((transaction) => store.putWaiting(transaction, 'a', false));
    expect(store.find('a')?.status).toBe('running');
    expect(store.find('b')).toMatchObject({ status: 'queued', started_ms: null, client: 'acp', model: 'm-1' });
  });

  it('ends once: neither another ending nor a wait changes it afterwards', async () => {
    const { store, change, end } = await aStore({ request_id: 'a' }, { request_id: 'b' });
    const [citation] = [{ path: 'dusk.ts', start_line: 1 } as Citation];
    const receipt = { v: 1, sig: 'x' } as Receipt;
    await end('a', 'done', { citations: [citation], search: SEARCH, receipt });
    const ended = store.find('a');
    expect(ended).toMatchObject({ ...ANSWERED, status: 'done', citations: [citation], search: SEARCH, receipt });
    await end('a', 'error');
    await change((transaction) => store.putWaiting(transaction, 'a', true));
    expect(store.find('a')).toEqual(ended);
    expect(store.find('b')?.status).toBe('queued');
    await end('b', 'error');
    expect(store.find('b')).toMatchObject({ ...CANCELLED, status: 'error' });
  });

  it('is collected once, after its end', async () => {
    const { store, change, end } = await aStore({ request_id: 'a' });
    const collect = (ms: number) => change((transaction) => store.putCollected(transaction, 'a', ms));
    await collect(4_000);
    expect(store.find('a')?.collected_ms).toBeNull();
    await end('a', 'done');
    await collect(6_000);
    await collect(7_000);
    expect(store.find('a')?.collected_ms).toBe(6_000);
  });

  it.each([
    ['queued', false],
    ['running', false],
    ['needs_input', false],
    ['done', true],
    ['error', true],
  ] as const)('that is %s is over: %s', (status, expected) => {
    expect(isOver({ status })).toBe(expected);
  });
});

describe('unfinished asks', () => {
  it('of a member count until they end, without the tests of the operator', async () => {
    const { store, change, end } = await aStore(
      { request_id: 'queued' },
      { request_id: 'running' },
      { request_id: 'waiting' },
      { request_id: 'done' },
      { request_id: 'error' },
      { request_id: 'test', caller: TEST },
      { request_id: 'other', member: 'guide' },
    );
    await change((transaction) => {
      store.putStarted(transaction, 'running', 1, 'acp', 'm');
      store.putWaiting(transaction, 'waiting', true);
    });
    await end('done', 'done');
    await end('error', 'error');
    expect([store.countLive('consultant'), store.countLive('guide'), store.countLive('nobody')]).toEqual([3, 1, 0]);
    expect(store.countAllLive()).toBe(5);
    expect(idsOf(store.listLive())).toEqual(['queued', 'running', 'waiting', 'test', 'other']);
  });
});

describe('the conversation of a session', () => {
  it('is that of the newest ask in it, of this member and from outside', async () => {
    const { store } = await aStore(
      { request_id: 'a', session: 's', conv: 'conv-a' },
      { request_id: 'b', session: 's', conv: 'conv-b' },
      { request_id: 'c', session: 's', conv: 'conv-c', member: 'guide' },
      { request_id: 'd', session: 's', conv: 'conv-d', caller: TEST },
      { request_id: 'e', session: 'other', conv: 'conv-e' },
    );
    expect(store.findConversation('consultant', 's')).toBe('conv-b');
    expect(store.findConversation('guide', 's')).toBe('conv-c');
    expect(store.findConversation('guide', 'other')).toBeUndefined();
  });

  it('is named by its own id where an ask had no session, which is the weaker meaning of a name', async () => {
    const { store } = await aStore(
      { request_id: 'a', conv: 'conv-a' },
      { request_id: 'b', conv: 'conv-b', session: 's' },
      { request_id: 'c', conv: 'conv-c', session: 'conv-a' },
      { request_id: 'd', conv: 'conv-d' },
    );
    expect(store.findConversation('consultant', 'conv-d')).toBe('conv-d');
    expect(store.findConversation('consultant', 'conv-b')).toBeUndefined();
    expect(store.findConversation('consultant', 'conv-a')).toBe('conv-c');
  });
});

describe('the trace and the rating of an answer', () => {
  it('are kept by request, the newest one', async () => {
    const { store, change } = await aStore({ request_id: 'a', turn: 't' }, { request_id: 'b', turn: 'u' });
    expect([store.findTrace('a'), store.findRating('a'), store.findRatingOfTurn('t')]).toEqual(
      Array(3).fill(undefined),
    );
    const trace = { source: 'text' } as AnswerTrace;
    const up = { value: 'up', note: 'Right.', rated_ms: 1 } as const;
    const down = { value: 'down', note: 'Wrong.', rated_ms: 2 } as const;
    await change((transaction) => {
      store.putTrace(transaction, 'a', { source: 'none' } as unknown as AnswerTrace);
      store.putTrace(transaction, 'a', trace);
      store.putRating(transaction, 'a', up);
      store.putRating(transaction, 'a', down);
      store.putRating(transaction, 'b', up);
    });
    expect([store.findTrace('a'), store.findTrace('b')]).toEqual([trace, undefined]);
    expect([store.findRating('a'), store.findRatingOfTurn('t')]).toEqual([down, down]);
    expect(store.findRatingOfTurn('none')).toBeUndefined();
    await change((transaction) => store.removeRating(transaction, 'a'));
    expect([store.findRating('a'), store.findRating('b')]).toEqual([undefined, up]);
  });
});

describe("the operator's list", () => {
  const EVER = { sinceMs: 0, limit: 100 };

  async function aList() {
    const made = await aStore(
      { request_id: 'a', text: 'lanterns at dusk', created_ms: 1_000 },
      { request_id: 'b', member: 'guide', text: 'buoys', created_ms: 2_000 },
      { request_id: 'c', text: 'anchors', created_ms: 3_000, caller: { ...PROGRAM, user_agent: 'Mozilla/5.0 (X11)' } },
      { request_id: 'd', text: 'tides', created_ms: 4_000, caller: { ...PROGRAM, user_agent: null, operator: true } },
    );
    const { store, change, end } = made;
    await end('a', 'done', { search: SEARCH });
    await end('b', 'done', { result_text: 'Chains of iron.' });
    await end('c', 'error', { search: SEARCH });
    await change((transaction) => store.putRating(transaction, 'b', { value: 'up', note: '', rated_ms: 1 }));
    return (filter: Partial<Parameters<AskStore['list']>[0]> = {}) => store.list({ ...EVER, ...filter });
  }

  it.each([
    ['no filter', {}, 'dcba'],
    ['a member', { member: 'guide' }, 'b'],
    ['a status', { status: 'error' }, 'c'],
    ['a rating', { rating: 'up' }, 'b'],
    ['another rating', { rating: 'down' }, ''],
    ['how sure the search was', { kind: 'likely' }, 'a'],
    ['answers of other clients', { kind: 'answered' }, 'b'],
    ['the words of a question', { words: 'dusk lant' }, 'a'],
    ['the words of an answer', { words: 'iron' }, 'b'],
    ['words in no text', { words: 'lanterns buoys' }, ''],
    ['a part of the program, in any case', { caller: 'bOUR-clock' }, 'ba'],
    ['browsers', { caller: 'a browser' }, 'c'],
    ['the operator', { caller: 'you' }, 'd'],
    ['its oldest time, included', { sinceMs: 3_000 }, 'dc'],
    ['a time after it', { sinceMs: 3_001 }, 'd'],
    ['a position before it', { beforeSeq: 3 }, 'ba'],
    ['a limit', { limit: 2 }, 'dc'],
    ['two conditions at once', { member: 'consultant', status: 'done' }, 'a'],
  ] as const)('is selected by %s', async (_what, filter, expected) => {
    const list = await aList();
    expect(idsOf(list(filter)).join('')).toBe(expected);
  });

  it('holds each rating with its ask', async () => {
    const list = await aList();
    expect(list().map(({ rating }) => rating)).toEqual([null, null, 'up', null]);
    expect(list()[3]).toMatchObject({ request_id: 'a', caller: PROGRAM, search: SEARCH, citations: [] });
  });
});

describe("a member's asks for its caller", () => {
  const EVER = { sinceMs: 0, limit: 100 };

  async function ofConsultant() {
    const made = await aStore(
      { request_id: 'a', session: 's', conv: 'conv-a', created_ms: 1_000 },
      { request_id: 'b', conv: 'conv-b', created_ms: 2_000 },
      { request_id: 'c', conv: 'conv-c', created_ms: 3_000 },
      { request_id: 'd', conv: 'conv-d', created_ms: 3_000 },
      { request_id: 'test', caller: TEST, created_ms: 3_000 },
      { request_id: 'other', member: 'guide', created_ms: 3_000 },
    );
    const { store, change, end } = made;
    await end('a', 'done', { finished_ms: 9_000 });
    await change((transaction) => store.putStarted(transaction, 'b', 4_000, 'acp', 'm'));
    await end('c', 'error', { finished_ms: 3_000 });
    return (filter: Partial<Parameters<AskStore['listOwn']>[1]> = {}) =>
      store.listOwn('consultant', { ...EVER, ...filter });
  }

  it.each([
    ['no filter', {}, 'abdc', 4],
    ['a session', { context: 's' }, 'a', 1],
    ['a conversation without a session', { context: 'conv-b' }, 'b', 1],
    ['a conversation whose asks have a session', { context: 'conv-a' }, '', 0],
    ['a status', { statuses: ['queued'] }, 'd', 1],
    ['two statuses', { statuses: ['queued', 'running'] }, 'bd', 2],
    ['cancelled ones', { isCancelled: true }, 'c', 1],
    ['a change since a time, included', { changedSinceMs: 4_000 }, 'ab', 2],
    ['a change since a later time', { changedSinceMs: 4_001 }, 'a', 1],
    ['a position, at the same time too', { after: { changedMs: 3_000, seq: 4 } }, 'c', 4],
    ['a position of a later time', { after: { changedMs: 4_000, seq: 1 } }, 'dc', 4],
    ['its oldest time, included', { sinceMs: 2_000 }, 'bdc', 3],
    ['a later time', { sinceMs: 2_001 }, 'dc', 2],
    ['a limit, which the total ignores', { limit: 1 }, 'a', 4],
  ] as const)('are selected by %s, the latest change first', async (_what, filter, expected, total) => {
    const list = await ofConsultant();
    const found = list(filter);
    expect([idsOf(found.asks).join(''), found.total]).toEqual([expected, total]);
  });

  it('that were not cancelled are those with another ending', async () => {
    const { store, end } = await aStore({ request_id: 'a' }, { request_id: 'b' });
    await end('a', 'error');
    await end('b', 'error', { error_code: 'client_failed' });
    expect(idsOf(store.listOwn('consultant', { ...EVER, isCancelled: false }).asks)).toEqual(['b']);
  });

  it('took so long from ask to answer, the newest first, without errors and tests', async () => {
    const { store, end } = await aStore(
      { request_id: 'a', created_ms: 4_000 },
      { request_id: 'b', created_ms: 3_000 },
      { request_id: 'c' },
      { request_id: 'd', caller: TEST },
      { request_id: 'e', member: 'guide' },
      { request_id: 'f' },
    );
    for (const id of ['a', 'b', 'd', 'e']) await end(id, 'done');
    await end('c', 'error');
    expect(store.listLatencies('consultant', 10)).toEqual([2_000, 1_000]);
    expect(store.listLatencies('consultant', 1)).toEqual([2_000]);
  });
});

describe('pruning', () => {
  const DAY = 86_400_000;

  it('removes ended asks before a time, with their words, and expired keys', async () => {
    const { database, store, change, end } = await aStore(
      { request_id: 'old', created_ms: 999, text: 'lanterns' },
      { request_id: 'live', created_ms: 999, text: 'lanterns' },
      { request_id: 'young', created_ms: 1_000, text: 'lanterns' },
    );
    await end('old', 'done');
    await end('young', 'done');
    const key = (name: string) => ({ scope: 'ask', key: name, body_sha256: 'x' });
    await change((transaction) => {
      putAnswer(transaction, key('expired'), 0, {});
      putAnswer(transaction, key('kept'), 1, {});
      store.prune(transaction, 1_000, DAY);
    });
    expect(['old', 'live', 'young'].map((id) => store.find(id)?.request_id)).toEqual([undefined, 'live', 'young']);
    const words = 'SELECT count(*) AS n FROM asks_text WHERE asks_text MATCH ?';
    expect(database.sql(words).get('lanterns')).toEqual({ n: 2 });
    expect([findAnswer(database, key('expired'), 1), findAnswer(database, key('kept'), 1)]).toEqual([
      undefined,
      { answer: {} },
    ]);
  });
});
