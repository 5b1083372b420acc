import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AnswerTrace } from '../../contract/answer-trace.js';
import type { Caller, RequestsQuery } from '../../contract/asks.js';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { verifyReceipt } from '../../lib/crypto/receipt.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { TurnChange, TurnFollower } from '../conversations/turn-change.js';
import { AskStore } from './ask-store.js';
import { Asks } from './asks.js';

type Parts = ConstructorParameters<typeof Asks>[0];
type TurnEnded = Extract<TurnChange, { kind: 'ended' }>;

const DAY = 86_400_000;
const PROGRAM: Caller = { user_agent: 'Harbour-Clock/2.1', idempotency_key: null };
const NEVER = new AbortController().signal;

/** What runs for a conversation, as the asks look at it. */
type Live = Record<string, { turn: string; text: string; index: number; progress?: object }>;

/** Turns that change when a test says so, and what was asked of them. */
function aStage() {
  const seen = {
    archived: [] as string[],
    cancelled: [] as string[],
    questions: [] as string[],
    published: [] as string[],
  };
  const live: Live = {};
  const stage = { follow: (() => undefined) as TurnFollower, made: 0 };
  const runs = {
    isStopped: false,
    follow: (follower: TurnFollower) => {
      stage.follow = follower;
    },
    live: (conv: string) => live[conv],
    endings: {
      cancelTurnById: async (turn: string, code: string, message: string) =>
        void seen.cancelled.push(`${turn} ${code} ${message}`),
    },
  };
  const conversations = {
    findForAsk: (_member: string, conv: string | undefined) => (conv === undefined ? undefined : { conv, title: '' }),
    putNew: (_: unknown, { member }: { member: string }, { fromOutside }: { fromOutside: boolean }) => {
      stage.made += 1;
      return { conv: `${fromOutside ? 'outside' : 'inside'} ${member} ${stage.made}` };
    },
    archiveAnswered: (_: unknown, conv: string) => void seen.archived.push(conv),
  };
  const messages = {
    putMessage: (_: unknown, __: unknown, message: { text: string; context_docs: object[] }, profile: string) => {
      seen.questions.push(`${message.text} ${message.context_docs.length} ${profile}`);
      return `turn ${seen.questions.length}`;
    },
  };
  return { ...seen, live, runs, conversations, messages, stage };
}

/** Marks the answers that are looked at again, and keeps for whom. */
function aRecheck() {
  const profiles: string[] = [];
  const recheck = async (records: object[], profile: string) => {
    profiles.push(profile);
    return records.map((record) => ({ ...record, ...('result_text' in record ? { looked: 'again' } : {}) }));
  };
  return { profiles, recheck };
}

/** Asks over a store of their own. */
function asksAlone() {
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const [transactions, store] = [new Transactions(database), new AskStore(database)];
  const { runs, conversations, messages, stage, ...seen } = aStage();
  const answers = aRecheck();
  bus.watch((event: MeshEvent) => {
    const { type, member, request_id } = event as MeshEvent & { member?: string; request_id?: string };
    seen.published.push(`${type} ${member} ${request_id}`);
  });
  const named = (id: string, ids: string[]) =>
    ids.includes(id) ? { client_resolved: 'acp', model_resolved: `model of ${id}` } : undefined;
  const parts = {
    ...{ transactions, store, conversations, messages, runs, bus, clock, answers },
    signingKey: new SigningKey(Buffer.alloc(32, 7)),
    findMember: (id: string) => named(id, ['consultant', 'guide']),
    findRunnable: (id: string) => named(id, ['consultant', 'developer']),
  };
  const asks = new Asks(parts as unknown as Parts);
  const change = (turn: string, facts: object) =>
    transactions.run((transaction) => stage.follow({ turn: { turn }, ...facts } as unknown as TurnChange, transaction));
  const end = (turn: string, facts: Partial<TurnEnded> = {}) => {
    const answer = { text: 'At -6.', citations: [], search: null, trace: null };
    const ending = { code: null, reason: null, finished_ms: clock.now() };
    return change(turn, { kind: 'ended', ending, answer, runnable: { revision: 'rev' }, ...facts });
  };
  const fail = (turn: string, code: string, reason: string | null = 'Why.') =>
    end(turn, { answer: null, ending: { code, reason, finished_ms: clock.now() } as TurnEnded['ending'] });
  const ask = (member = 'consultant', text = 'At which angle?') => asks.acceptAsk(member, { text }, PROGRAM);
  return { ...seen, profiles: answers.profiles, clock, transactions, store, runs, asks, change, end, fail, ask };
}

describe('accepting an ask', () => {
  it('puts the question into a new conversation from outside, and tells where to poll', async () => {
    const { asks, questions, store, published } = asksAlone();
    const context_docs = [{ filename: 'a.md', content: 'x' }];
    const accepted = await asks.acceptAsk('consultant', { text: 'Why?', context_docs }, PROGRAM);
    const { request_id } = accepted;
    expect(accepted).toEqual({
      request_id,
      conv: 'outside consultant 1',
      status: 'queued',
      poll: `/team/requests/${request_id}`,
    });
    expect(store.find(request_id)).toMatchObject({
      ...{ session: null, turn: 'turn 1', text: 'Why?', caller: PROGRAM },
      ...{ client: 'acp', model: 'model of consultant' },
    });
    expect(asks.documentsOf(request_id)).toEqual(context_docs);
    expect([questions, published]).toEqual([['Why? 1 outside'], [`team.request.created consultant ${request_id}`]]);
  });

  it('continues the conversation of its session', async () => {
    const { asks, store, ask } = asksAlone();
    const inSession = () => asks.acceptAsk('consultant', { text: 'Why?', session: 's' }, PROGRAM);
    const first = await inSession();
    const { conv } = await ask();
    expect(conv).not.toBe(first.conv);
    expect((await inSession()).conv).toBe(first.conv);
    expect(store.find(first.request_id)?.session).toBe('s');
  });

  it('is refused with a sentence for an unknown member, too many asks and a large document', async () => {
    const { asks, ask, end } = asksAlone();
    await expect(ask('developer')).rejects.toMatchObject({ code: 'not_found', message: 'There is no such member.' });
    const large = {
      text: 'Why?',
      context_docs: ['x', 'x'.repeat(65_537)].map((content) => ({ filename: 'a', content })),
    };
    await expect(asks.acceptAsk('consultant', large, PROGRAM)).rejects.toMatchObject({
      code: 'bad_request',
      message: '"context_docs.1.content" is larger than 65536 bytes.',
      details: { path: 'context_docs.1.content' },
    });
    for (let count = 0; count < 6; count += 1) await ask();
    await expect(ask()).rejects.toMatchObject({
      code: 'too_many_requests',
      message: '6 asks of this member are already running or queued: wait for one to end.',
      details: { retry_after: 2 },
    });
    await ask('guide');
    await end('turn 1');
    await ask();
  });

  it('as a test runs any member beside the limit, is shown to no caller, and is marked', async () => {
    const { asks, ask, store } = asksAlone();
    for (let count = 0; count < 6; count += 1) await ask();
    const { request_id } = await asks.acceptTestAsk('consultant', 'Why?');
    expect(store.find(request_id)).toMatchObject({
      text: 'Why?',
      caller: { user_agent: null, idempotency_key: null, test: true },
    });
    expect(() => asks.getOwn('consultant', request_id)).toThrow(`There is no request \`${request_id}\`.`);
    expect((await asks.acceptTestAsk('developer', 'Why?')).status).toBe('queued');
    await expect(asks.acceptTestAsk('guide', 'Why?')).rejects.toMatchObject({ code: 'not_found' });
    expect(asks.live).toBe(8);
  });

  it('happens once for a key, also while the member takes no more', async () => {
    const { asks, ask, published } = asksAlone();
    const key = { scope: 'ask consultant', key: 'once', body_sha256: 'x' };
    const once = () => asks.acceptAsk('consultant', { text: 'Why?' }, PROGRAM, key);
    const first = await once();
    for (let count = 1; count < 6; count += 1) await ask();
    expect(await once()).toEqual(first);
    expect(published).toHaveLength(6);
  });
});

describe('a request', () => {
  it('follows the turn that answers it, each step once and published', async () => {
    const { asks, ask, change, end, published, store, clock } = asksAlone();
    const { request_id } = await ask();
    const status = () => store.find(request_id)?.status;
    const told: string[] = [];
    const unsubscribe = asks.onChanged(({ member, request_id: id }) => told.push(`${member} ${id} ${status()}`));
    const statuses = [status()];
    clock.advance(1_000);
    await change('turn 1', { kind: 'started', client: 'builtin', model: 'm' });
    expect(store.find(request_id)).toMatchObject({ started_ms: clock.now(), client: 'builtin', model: 'm' });
    for (const kind of ['waiting', 'resumed']) {
      statuses.push(status());
      await change('turn 1', { kind });
    }
    statuses.push(status());
    await change('turn of no request', { kind: 'waiting' });
    unsubscribe();
    await end('turn 1');
    expect([...statuses, status()]).toEqual(['queued', 'running', 'needs_input', 'running', 'done']);
    expect(told).toEqual(['running', 'needs_input', 'running'].map((one) => `consultant ${request_id} ${one}`));
    expect(published).toEqual(
      ['created', 'started', 'needs_input', 'started', 'done'].map(
        (one) => `team.request.${one} consultant ${request_id}`,
      ),
    );
  });

  it('ends with its answer, a receipt over it and an archived conversation', async () => {
    const { asks, ask, end, store, archived, clock } = asksAlone();
    const { request_id, conv } = await ask();
    clock.advance(2_000);
    const search = { confidence: 'found', searched: { files: 1, left_out: 0 }, total: 0 } as const;
    const trace = { source: 'text' } as unknown as AnswerTrace;
    await end('turn 1', { answer: { text: 'At -6.', citations: [], search, trace } });
    const ended = store.find(request_id);
    expect(ended).toMatchObject({
      ...{ status: 'done', finished_ms: clock.now(), result_text: 'At -6.', citations: [], search },
      ...{ error_code: null, error_message: null },
    });
    expect(ended?.receipt).toMatchObject({
      ...{ request_id, member: 'consultant', member_sha256: 'rev', client: 'acp', model: 'model of consultant' },
      ...{ created_at: '2026-11-21T12:00:00.000Z', finished_at: '2026-11-21T12:00:02.000Z' },
    });
    expect(verifyReceipt(ended?.receipt).valid).toBe(true);
    expect([asks.trace(request_id), archived]).toEqual([trace, [conv]]);
  });

  it('that was answered by a member that is gone has a receipt without its revision', async () => {
    const { ask, end, store } = asksAlone();
    const { request_id } = await ask();
    await end('turn 1', { runnable: undefined });
    expect(store.find(request_id)?.receipt?.member_sha256).toBe('');
  });

  it('ends with an error, whose reason may be missing', async () => {
    const { ask, fail, store, published, archived } = asksAlone();
    const [first, second] = [await ask(), await ask()];
    await fail('turn 1', 'deadline');
    await fail('turn 2', 'unheard of', null);
    expect(store.find(first.request_id)).toMatchObject({
      ...{ status: 'error', error_code: 'deadline', error_message: 'Why.' },
      ...{ result_text: null, citations: null, search: null, receipt: null },
    });
    expect(store.find(second.request_id)).toMatchObject({ error_code: 'client_failed', error_message: '' });
    expect(published.slice(2)).toEqual([first, second].map((one) => `team.request.error consultant ${one.request_id}`));
    expect(archived).toHaveLength(2);
  });

  it('counts for the member when it was answered or failed', async () => {
    const { asks, ask, end, fail } = asksAlone();
    const outcomes: string[] = [];
    asks.onOutcome((member, isAnswered) => outcomes.push(`${member} ${isAnswered}`));
    for (let count = 0; count < 4; count += 1) await ask(count === 0 ? 'guide' : 'consultant');
    await asks.acceptTestAsk('consultant', 'Why?');
    await end('turn 1');
    await fail('turn 2', 'deadline');
    await fail('turn 3', 'cancelled');
    await fail('turn 4', 'member_gone');
    await end('turn 5');
    expect(outcomes).toEqual(['guide true', 'consultant false']);
  });

  it('is cancelled with its turn, by its caller, by the operator or with its member, and only while it lives', async () => {
    const { asks, ask, end, cancelled } = asksAlone();
    const [first, second] = [await ask(), await ask()];
    await ask('guide');
    await asks.acceptTestAsk('consultant', 'Why?');
    await expect(asks.cancelAsk('guide', first.request_id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await asks.cancelAsk('consultant', first.request_id)).toMatchObject({ request_id: first.request_id });
    await asks.cancelAskAsOperator(second.request_id);
    await end('turn 1');
    await asks.cancelAsk('consultant', first.request_id);
    await asks.ending.cancelAsksOf('consultant', 'It was closed.');
    expect(cancelled).toEqual([
      'turn 1 cancelled Cancelled by its caller.',
      'turn 2 cancelled Cancelled by the operator.',
      'turn 2 member_gone It was closed.',
    ]);
  });
});

describe('reading a request', () => {
  it('records a poll, published at most once a second', async () => {
    const { asks, ask, published, clock } = asksAlone();
    const { request_id } = await ask();
    expect(asks.poll('consultant', request_id).status).toBe('queued');
    clock.advance(999);
    asks.poll('consultant', request_id);
    clock.advance(1_000);
    asks.poll('consultant', request_id);
    expect(published.slice(1)).toEqual(Array(2).fill(`team.request.polled consultant ${request_id}`));
    const { polls } = await asks.detail(request_id);
    expect(polls.map((at) => at.slice(17))).toEqual(['00.000Z', '00.999Z', '01.999Z']);
    expect(() => asks.poll('guide', request_id)).toThrow(`There is no request \`${request_id}\`.`);
  });

  it('records when the caller has its ending, and nothing before it or without being its caller', async () => {
    const { asks, ask, end, store, clock, profiles } = asksAlone();
    const { request_id } = await ask();
    const collected = () => store.find(request_id)?.collected_ms;
    await asks.read('consultant', request_id);
    await end('turn 1');
    await asks.getRecord('consultant', request_id);
    await asks.detail(request_id);
    expect(collected()).toBeNull();
    clock.advance(5_000);
    const at = clock.now();
    expect(await asks.read('consultant', request_id)).toMatchObject({ result_text: 'At -6.', looked: 'again' });
    clock.advance(5_000);
    await asks.read('consultant', request_id);
    expect(collected()).toBe(at);
    expect((await asks.detail(request_id)).collected_at).toBe('2026-11-21T12:00:05.000Z');
    expect(profiles).toEqual(['outside', 'outside', 'operator', 'outside', 'outside', 'operator']);
    await expect(asks.read('guide', request_id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(asks.getRecord('guide', request_id)).rejects.toMatchObject({ code: 'not_found' });
    expect(asks.getOwn('consultant', request_id)).not.toHaveProperty('looked');
    expect(await asks.recheck([asks.getOwn('consultant', request_id)])).toMatchObject([{ looked: 'again' }]);
    expect(profiles.at(-1)).toBe('outside');
  });

  it('tells the place in the queue of all members, the progress and the text so far', async () => {
    const { asks, ask, change, live } = asksAlone();
    const [first, second, third] = [await ask(), await ask('guide'), await ask()];
    await change('turn 1', { kind: 'started', client: 'acp', model: 'm' });
    const progress = { stage: 'reading', done: 1, total: 2 };
    live[first.conv] = { turn: 'turn 1', text: 'So far', index: 3, progress };
    live[third.conv] = { turn: 'turn 7', text: 'Another', index: 1, progress };
    expect(asks.poll('consultant', first.request_id)).toMatchObject({ status: 'running', progress });
    expect(asks.poll('consultant', first.request_id)).not.toHaveProperty('queue_position');
    expect(asks.poll('guide', second.request_id)).toMatchObject({ queue_position: 1 });
    expect(asks.poll('consultant', third.request_id)).toMatchObject({ queue_position: 2 });
    const partial = ({ conv }: { conv: string }, turn: string) => asks.getPartialText({ conv, turn });
    expect(partial(first, 'turn 1')).toEqual({ text: 'So far', nextIndex: 3 });
    expect([partial(second, 'turn 2'), partial(third, 'turn 3')]).toEqual([undefined, undefined]);
    live[third.conv] = { turn: 'turn 7', text: '', index: 0, progress };
    await change('turn 3', { kind: 'started', client: 'acp', model: 'm' });
    expect(asks.poll('consultant', third.request_id)).not.toHaveProperty('progress');
  });

  it('writes to the store only when its ending is collected', async () => {
    const { asks, ask, end, transactions } = asksAlone();
    const { request_id } = await ask();
    const run = vi.spyOn(transactions, 'run');
    await asks.read('consultant', request_id);
    expect(run).not.toHaveBeenCalled();
    await end('turn 1');
    await asks.read('consultant', request_id);
    await asks.read('consultant', request_id);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('of another 30 days is refused', async () => {
    const { asks, ask, clock } = asksAlone();
    const { request_id } = await ask();
    clock.step(30 * DAY);
    expect(asks.getOwn('consultant', request_id).request_id).toBe(request_id);
    clock.step(1);
    expect(() => asks.getOwn('consultant', request_id)).toThrow(`There is no request \`${request_id}\`.`);
  });
});

describe('waiting for a request', () => {
  it('ends with the request, with the time, with the caller, and with the daemon', async () => {
    const { asks, ask, end, clock } = asksAlone();
    const { request_id } = await ask();
    const over: string[] = [];
    const wait = (name: string, seconds: number, signal = NEVER) =>
      asks.wait(request_id, seconds, signal).then(() => over.push(name));
    const gone = new AbortController();
    const waits = [wait('time', 2), wait('caller', 60, gone.signal)];
    clock.advance(1_999);
    await new Promise(setImmediate);
    expect(over).toEqual([]);
    clock.advance(1);
    await waits[0];
    gone.abort();
    await waits[1];
    expect(over).toEqual(['time', 'caller']);
    waits.push(wait('stop', 60));
    asks.stop();
    await waits[2];
    waits.push(wait('end', 60));
    await end('turn 1');
    await waits[3];
    expect(over).toEqual(['time', 'caller', 'stop', 'end']);
  });

  it('is over at once for an ended or unknown request, and while no turn can run', async () => {
    const { asks, ask, end, runs, clock } = asksAlone();
    const [first, second] = [await ask(), await ask()];
    await end('turn 1');
    await asks.wait(first.request_id, 60, NEVER);
    await asks.wait('req-none', 60, NEVER);
    runs.isStopped = true;
    await asks.wait(second.request_id, 60, NEVER);
    expect(clock.pending).toBe(0);
  });
});

describe('the usual latency of a member', () => {
  it('is known from the fifth answer on, and follows each answer', async () => {
    const { asks, ask, end, clock } = asksAlone();
    const answer = async (turn: number, ms: number) => {
      await ask();
      clock.advance(ms);
      await end(`turn ${turn}`);
    };
    for (let turn = 1; turn <= 4; turn += 1) await answer(turn, 1_000);
    expect(asks.usualLatency('consultant')).toBeUndefined();
    await answer(5, 9_000);
    expect(asks.usualLatency('consultant')).toEqual({ medianMs: 1_000, answers: 5 });
    await answer(6, 9_000);
    expect(asks.usualLatency('consultant')).toEqual({ medianMs: 1_000, answers: 6 });
    expect(asks.usualLatency('guide')).toBeUndefined();
  });
});

describe('the trace of a request', () => {
  it('is missing for a reason that is told', async () => {
    const { asks, ask, change, end } = asksAlone();
    const [waiting, early, other] = [await ask(), await ask(), await ask()];
    await change('turn 2', { kind: 'started', client: 'builtin', model: 'm' });
    await end('turn 2');
    await end('turn 3');
    const reason = (id: string) => () => asks.trace(id);
    expect(reason(waiting.request_id)).toThrow('The request has no trace: it has no answer: its status is `queued`.');
    expect(reason(early.request_id)).toThrow('The request has no trace: it was answered by an earlier version.');
    expect(reason(other.request_id)).toThrow('only the built-in search leaves one, and `acp` answered.');
    expect(reason('req-none')).toThrow('There is no request `req-none`.');
  });
});

describe('rating a request', () => {
  it('is refused before its answer, with its status, and withdrawn at any time', async () => {
    const { asks, ask, end, published } = asksAlone();
    const { request_id } = await ask();
    await expect(asks.rate(request_id, { value: 'up' })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The request has no answer that could be rated: its status is `queued`.',
    });
    expect(await asks.rate(request_id, undefined)).not.toHaveProperty('rating');
    await end('turn 1');
    const rated_at = '2026-11-21T12:00:00.000Z';
    const rated = await asks.rate(request_id, { value: 'down', note: ' Wrong. ' });
    expect(rated.rating).toEqual({ value: 'down', note: 'Wrong.', rated_at });
    expect((await asks.rate(request_id, { value: 'up' })).rating).toEqual({ value: 'up', note: '', rated_at });
    expect(published.filter((one) => one === `team.request.rated consultant ${request_id}`)).toHaveLength(3);
    await expect(asks.rate('req-none', undefined)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the list of requests', () => {
  const questions = (asks: Asks, query: RequestsQuery = {}) =>
    asks.list(query).requests.map(({ question }) => question);

  it('pages by its cursor, with a cursor only while there is more', async () => {
    const { asks, ask } = asksAlone();
    for (const text of ['one', 'two', 'three']) await ask('consultant', text);
    const page = asks.list({ limit: 2 });
    expect([page.count, page.next_cursor, questions(asks, { limit: 2 })]).toEqual([2, '2', ['three', 'two']]);
    expect(asks.list({ limit: 2, cursor: '2' })).toMatchObject({ count: 1, next_cursor: null });
    expect(asks.list({ limit: 3 })).toMatchObject({ count: 3, next_cursor: null });
    expect(asks.recent(1).map(({ question }) => question)).toEqual(['three']);
    expect(() => asks.list({ cursor: '1.5' })).toThrow('"cursor" must be the next_cursor of an earlier page.');
    expect(() => asks.list({ cursor: 'x' })).toThrow(expect.objectContaining({ details: { path: 'cursor' } }));
    expect(() => asks.list({ since: 'x' })).toThrow(expect.objectContaining({ details: { path: 'since' } }));
  });

  it('holds 50 rows unless told otherwise', async () => {
    const { asks } = asksAlone();
    for (let count = 0; count < 51; count += 1) await asks.acceptTestAsk('consultant', 'Why?');
    expect(asks.list({}).count).toBe(50);
  });

  it('is not narrowed by blank words and callers', async () => {
    const { asks, ask } = asksAlone();
    await ask('consultant', 'lanterns');
    await ask('guide', 'buoys');
    expect(questions(asks, { q: '  ', caller: '' })).toEqual(['buoys', 'lanterns']);
    expect(questions(asks, { q: ' lant' })).toEqual(['lanterns']);
    expect(questions(asks, { member: 'guide', caller: 'harbour' })).toEqual(['buoys']);
  });

  it('goes back 30 days, or to a later time', async () => {
    const { asks, ask, clock } = asksAlone();
    await ask('consultant', 'old');
    clock.step(DAY);
    await ask('consultant', 'young');
    expect(questions(asks, { since: '2026-11-22T12:00:00Z' })).toEqual(['young']);
    expect(questions(asks, { since: '2020-01-01' })).toEqual(['young', 'old']);
    clock.step(29 * DAY + 1);
    expect(questions(asks)).toEqual(['young']);
    expect(questions(asks, { since: '2020-01-01' })).toEqual(['young']);
  });
});

describe('pruning', () => {
  it('is done at the start and each hour until the stop', async () => {
    const { asks, ask, end, store, clock } = asksAlone();
    const { request_id } = await ask();
    await end('turn 1');
    await asks.start();
    clock.step(30 * DAY);
    const hour = async (ms: number) => {
      clock.advance(ms);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    };
    await hour(3_599_999);
    expect(store.find(request_id)).toBeDefined();
    await hour(1);
    expect(store.find(request_id)).toBeUndefined();
    expect(clock.pending).toBe(1);
    asks.stop();
    expect(clock.pending).toBe(0);
  });

  it('is tried again after a write that failed', async () => {
    const { asks, transactions, clock } = asksAlone();
    transactions.run = async () => {
      throw new Error('The disk is full.');
    };
    await asks.start();
    expect(clock.pending).toBe(1);
  });
});
