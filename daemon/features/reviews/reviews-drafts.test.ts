import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewReviewComment } from '../../contract/work/reviews.js';
import { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { TurnChange, TurnFollower } from '../conversations/turn-change.js';
import { PATCH_OPTIONS } from './patch.js';
import { Reviews } from './reviews.js';
import { ReviewsStore } from './reviews-store.js';

const PATCH = 'diff --git a/lamp.ts b/lamp.ts\n--- a/lamp.ts\n+++ b/lamp.ts\n@@ -1 +1 @@\n-dark\n+lit\n';
const OWN = { conv: 'conv-1', member: 'developer', agent_type: 'work' };

type Parts = ConstructorParameters<typeof Reviews>[0];

/** Reviews over a real store with the conversations `conv-1`, of the developer, and `conv-2`. */
function reviewing({ patch = PATCH, own = OWN as object, parts = {} as Partial<Parts> } = {}) {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const store = new ReviewsStore(database);
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const events: string[] = [];
  bus.watch((event) => events.push(`${event.type} ${(event as { conv?: string }).conv}`));
  const calls: unknown[] = [];
  const state = { waiting: 0, existing: undefined as string | undefined, turns: 0 };
  const followers: TurnFollower[] = [];
  const putConversation = (conv: string) =>
    database
      .sql("INSERT INTO conversations (conv, agent_type, title, created_ms, updated_ms) VALUES (?, 'plan', '', 0, 0)")
      .run(conv);
  const putTurn = (conv: string) => {
    state.turns += 1;
    database
      .sql("INSERT INTO turns (turn, conv, state, profile, text, created_ms) VALUES (?, ?, 'queued', '', '', 0)")
      .run(`turn-${state.turns}`, conv);
    return `turn-${state.turns}`;
  };
  const member = (id: string, agent_type = 'review') => ({ id, name: id.toUpperCase(), agent_type });
  const members = [
    ...[member('ui-reviewer'), member('critic'), member('developer'), member('tester', 'work')],
    ...[member('commit-pr-reviewer'), member('idle')],
  ];
  const row = (conv: string) => {
    if (conv === 'conv-1') return own;
    if (conv !== 'conv-2') throw new MeshError('not_found', `There is no conversation \`${conv}\`.`);
    return { conv, member: null, agent_type: 'plan' };
  };
  const compared = {
    repository: {
      output: async (args: unknown) => {
        calls.push(['git', args]);
        return patch;
      },
    },
    ...{ from: 'tree-1', to: 'tree-2' },
  };
  const reviews = new Reviews({
    ...{ transactions, store, bus, clock },
    team: { serving: (id: string) => members.find((one) => one.id === id), servingMembers: () => members },
    conversations: {
      ...{ row, get: (conv: string) => ({ ...row(conv), title: conv === 'conv-1' ? 'Light it' : 'x'.repeat(300) }) },
      findForAsk: (...given: unknown[]) => {
        calls.push(['findForAsk', ...given]);
        return state.existing && { conv: state.existing };
      },
      putNew: (_transaction: unknown, given: object) => {
        calls.push(['putNew', given]);
        putConversation('conv-new');
        return { conv: 'conv-new' };
      },
    },
    messages: {
      requireRoom: () => {
        if (state.waiting > 5) throw new MeshError('too_many_requests', 'It is full.');
        return state.waiting;
      },
      putMessage: (_transaction: unknown, { conv }: { conv: string }, ...given: unknown[]) => {
        calls.push(['putMessage', conv, ...given]);
        return putTurn(conv);
      },
    },
    runs: { follow: (follower: TurnFollower) => void followers.push(follower) },
    compare: async () => compared,
    canWork: ({ id }: { id: string }) => id !== 'idle',
    ...parts,
  } as never);
  for (const conv of ['conv-1', 'conv-2']) putConversation(conv);
  const change = (turn: string, given: object) =>
    transactions.run((transaction) => {
      for (const follow of followers)
        follow(
          { kind: 'ended', turn: { turn }, ending: {}, answer: null, ...given } as unknown as TurnChange,
          transaction,
        );
    });
  const add = (given: Partial<NewReviewComment> = {}, conv = 'conv-1') =>
    reviews.add(conv, { path: 'lamp.ts', text: 'Why?', ...given });
  const addMany = async (count: number) => {
    for (let at = 0; at < count; at += 1) await add({ text: `${at}` });
  };
  return { reviews, store, database, clock, events, calls, state, change, add, addMany, putTurn };
}

const answerOf = (entries: unknown) => ({ answer: { text: `\`\`\`json\n${JSON.stringify(entries)}\n\`\`\`` } });

describe('A draft', () => {
  it('keeps what was given, with who wrote it and when', async () => {
    const { reviews, add, clock, events } = reviewing();
    const first = await add({ quote: '+lit', start_line: 3, end_line: 4, side: 'old' });
    expect(first).toEqual({
      ...{ comment: expect.stringMatching(/^rev-/), conv: 'conv-1', path: 'lamp.ts', side: 'old', start_line: 3 },
      ...{ end_line: 4, quote: '+lit', text: 'Why?', state: 'draft', author: null, turn: null },
      ...{ created_at: '2026-11-21T12:00:00.000Z', updated_at: '2026-11-21T12:00:00.000Z' },
    });
    clock.advance(60_000);
    const changed = await reviews.patch('conv-1', first.comment, { text: 'Why so?' });
    expect(changed).toEqual({ ...first, text: 'Why so?', updated_at: '2026-11-21T12:01:00.000Z' });
    expect(await reviews.remove('conv-1', first.comment)).toEqual(changed);
    expect(reviews.view('conv-1')).toMatchObject({ conv: 'conv-1', comments: [], drafts: 0 });
    expect(events).toEqual(Array.from({ length: 3 }, () => 'conversation.updated conv-1'));
  });

  it.each([
    [{}, [null, null, null]],
    [{ start_line: 3 }, ['new', 3, 3]],
    [{ start_line: 3, end_line: 3 }, ['new', 3, 3]],
    [{ start_line: 3, end_line: 9, side: 'old' as const }, ['old', 3, 9]],
    [{ path: 'src/a..b/.c.ts' }, [null, null, null]],
  ])('is about the place that %j names', async (given, place) => {
    const { side, start_line, end_line, quote } = await reviewing().add(given);
    expect([[side, start_line, end_line], quote]).toEqual([place, '']);
  });

  it.each([
    [{ path: '/lamp.ts' }, 'path', '"path" "/lamp.ts" must be a file\'s path from the project\'s folder.'],
    [{ path: 'a/../b' }, 'path', /^"path" "a\/\.\.\/b" must be/],
    [{ path: '..' }, 'path', /must be/],
    [{ path: 'a//b' }, 'path', /must be/],
    [{ path: 'a/' }, 'path', /must be/],
    [{ path: 'a\0b' }, 'path', /must be/],
    [{ path: `/${'x'.repeat(99)}` }, 'path', /^"path" "\/x{79}" must be/],
    [{ end_line: 3 }, 'start_line', '"start_line" is required with "end_line" or "side".'],
    [{ side: 'new' as const }, 'start_line', '"start_line" is required with "end_line" or "side".'],
    [{ start_line: 4, end_line: 3 }, 'end_line', '"end_line" is 3, which is before "start_line" 4.'],
  ])('is refused with the place %j', async (given, path, message) => {
    const { add, store, events } = reviewing();
    // Thrown at once or as a rejection.
    await expect((async () => add(given))()).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path } },
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    expect([store.list('conv-1'), events]).toEqual([[], []]);
  });

  it('is one of a hundred at most; sent ones and those of others do not count', async () => {
    const { reviews, add, addMany } = reviewing();
    await add({}, 'conv-2');
    await add();
    await reviews.send('conv-1', {});
    await addMany(100);
    await expect(add()).rejects.toMatchObject({
      ...{ code: 'limit_reached', message: 'There are 100 drafts already: send or delete some.' },
    });
    expect(reviews.view('conv-1')).toMatchObject({ drafts: 100, comments: { length: 101 } });
    expect(reviews.view('conv-2').drafts).toBe(1);
  });

  it('is found in its own conversation only', async () => {
    const { reviews, add } = reviewing();
    const { comment } = await add();
    const refusal = { code: 'not_found', message: `There is no comment \`${comment}\` in this conversation.` };
    await expect(reviews.patch('conv-2', comment, { text: 'x' })).rejects.toMatchObject(refusal);
    await expect(reviews.remove('conv-2', comment)).rejects.toMatchObject(refusal);
    await expect(add({}, 'conv-9')).rejects.toMatchObject({ code: 'not_found' });
    expect(() => reviews.view('conv-9')).toThrow('There is no conversation');
  });

  it('is no draft any more once it was sent', async () => {
    const { reviews, add } = reviewing();
    const { comment } = await add();
    await reviews.send('conv-1', {});
    const refusal = {
      ...{ code: 'not_waiting', message: 'This comment was sent: the message that holds it stays as it is.' },
    };
    await expect(reviews.patch('conv-1', comment, { text: 'x' })).rejects.toMatchObject(refusal);
    await expect(reviews.remove('conv-1', comment)).rejects.toMatchObject(refusal);
    expect(reviews.view('conv-1').comments).toMatchObject([{ text: 'Why?', state: 'sent' }]);
  });
});

describe('Sending', () => {
  it('takes the drafts of the conversation, oldest first, as one message of the operator', async () => {
    const { reviews, add, calls, clock, state } = reviewing();
    await add({}, 'conv-2');
    await add({ text: 'First.' });
    await add({ text: 'Second.' });
    clock.advance(1_000);
    expect(await reviews.send('conv-1', { text: ' Please. ' })).toEqual({ turn: 'turn-1', queued: false });
    const [name, conv, { text }, from] = calls[0] as [string, string, { text: string }, string];
    expect([name, conv, from]).toEqual(['putMessage', 'conv-1', 'operator']);
    expect(text).toMatch(/^Please\.\n\nWork through[\s\S]*First\.\n\n2\.[\s\S]*Second\.$/);
    expect(reviews.view('conv-1')).toMatchObject({
      drafts: 0,
      comments: ['First.', 'Second.'].map((one) => ({
        ...{ text: one, state: 'sent', turn: 'turn-1', updated_at: '2026-11-21T12:00:01.000Z' },
        created_at: '2026-11-21T12:00:00.000Z',
      })),
    });
    expect(reviews.view('conv-2').drafts).toBe(1);
    state.waiting = 1;
    await add();
    expect(await reviews.send('conv-1', {})).toEqual({ turn: 'turn-2', queued: true });
    expect((calls[1] as [string, string, { text: string }])[2].text).toMatch(/^Work through/);
  });

  it('is refused without drafts and when there is no room, and then nothing is sent', async () => {
    const { reviews, add, state } = reviewing();
    await expect(reviews.send('conv-1', {})).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'There is no draft to send: comment on a file or a line first.' },
    });
    await add();
    state.waiting = 6;
    await expect(reviews.send('conv-1', {})).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(reviews.view('conv-1').drafts).toBe(1);
  });
});

describe('The members that may review', () => {
  it('are those named for it, then the other reviewers, and never the conversation’s own', () => {
    const ids = (own: object) => reviewing({ own }).reviews.view('conv-1').reviewers;
    const named = (...all: string[]) => all.map((id) => ({ id, name: id.toUpperCase() }));
    expect(ids(OWN)).toEqual(named('commit-pr-reviewer', 'ui-reviewer', 'critic', 'idle'));
    expect(ids({ ...OWN, member: 'commit-pr-reviewer' })).toEqual(named('ui-reviewer', 'critic', 'developer', 'idle'));
  });
});

describe('Asking for a review', () => {
  it('gives the member the diff in a conversation of its own, below the last turn', async () => {
    const { reviews, calls, putTurn, store, events } = reviewing();
    putTurn('conv-1');
    putTurn('conv-1');
    putTurn('conv-2');
    const { asked } = await reviews.ask('conv-1', 'critic');
    expect(asked).toEqual([{ conv: 'conv-new', member: 'critic', state: 'running', reason: null }]);
    expect(calls).toEqual([
      ['git', ['diff', ...PATCH_OPTIONS, 'tree-1', 'tree-2']],
      ['findForAsk', 'critic', undefined],
      ['putNew', { member: 'critic', title: 'Review: Light it' }],
      [
        'putMessage',
        'conv-new',
        { text: expect.stringMatching(/^Review these changes of the conversation "Light it"\.[\s\S]*\+lit\n```\n/) },
        'operator',
        { parent: { turn: 'turn-2', conv: 'conv-1' }, asked_by: 'developer', waits: false },
      ],
    ]);
    expect(store.findAsk('turn-4')).toEqual({
      ...{ turn: 'turn-4', about: 'conv-1', member: 'critic', patch: PATCH.trim(), state: 'running' },
    });
    expect(events).toEqual(['conversation.updated conv-1']);
  });

  it('uses the conversation that the member has, and names the type of an agent without a member', async () => {
    const { reviews, calls, putTurn, state } = reviewing();
    state.existing = 'conv-1';
    await reviews.ask('conv-2', 'critic');
    putTurn('conv-2');
    state.existing = undefined;
    await reviews.ask('conv-2', 'critic');
    const [first, second] = calls.filter((one) => (one as string[])[0] === 'putMessage') as unknown[][];
    expect([first?.[1], first?.[4]]).toEqual(['conv-1', undefined]);
    expect(second?.[4]).toMatchObject({ asked_by: 'plan', parent: { turn: 'turn-2', conv: 'conv-2' } });
    expect(calls).toContainEqual(['putNew', { member: 'critic', title: `Review: ${'x'.repeat(192)}` }]);
  });

  it.each([
    ['nobody', 'not_found', 'There is no member `nobody`.', { path: 'member' }],
    ['developer', 'bad_request', '`developer` made these changes: ask another member.', { path: 'member' }],
    [
      ...(['idle', 'no_working_client'] as const),
      'No model is connected for idle, so it cannot review. Connect one with `meshd clients use`.',
      { members: ['idle'] },
    ],
  ])('%s is refused', async (member, code, message, details) => {
    const { reviews, calls } = reviewing();
    await expect(reviews.ask('conv-1', member)).rejects.toMatchObject({ code, message, details });
    expect(calls).toEqual([]);
  });

  const nothing = 'This conversation has changed no file: there is nothing to review.';
  it.each([
    ['an empty diff', { patch: '' }, nothing],
    ['no turn that changed a file', { parts: { compare: async () => ({ problem: null }) } }, nothing],
    ['a problem', { parts: { compare: async () => ({ problem: 'git is gone.' }) } }, 'git is gone.'],
  ])('is refused with %s', async (_, given, message) => {
    const { reviews, events } = reviewing(given as never);
    await expect(reviews.ask('conv-1', 'critic')).rejects.toMatchObject({ code: 'bad_request', message });
    expect(events).toEqual([]);
  });

  it('makes nothing when the member takes no message', async () => {
    const { reviews, state, database, events } = reviewing();
    state.waiting = 6;
    await expect(reviews.ask('conv-1', 'critic')).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(database.sql("SELECT conv FROM conversations WHERE conv = 'conv-new'").all()).toEqual([]);
    expect([reviews.view('conv-1').asked, events]).toEqual([[], []]);
  });

  it('shows the newest twenty', async () => {
    const { reviews, state, change } = reviewing();
    state.existing = 'conv-2';
    for (let at = 0; at < 21; at += 1) await reviews.ask('conv-1', at === 20 ? 'ui-reviewer' : 'critic');
    await change('turn-21', { ending: { outcome: 'failed' } });
    const { asked } = reviews.view('conv-1');
    expect([asked.length, asked[0]?.member, asked[0]?.state, asked[1]?.state]).toEqual([
      ...[20, 'ui-reviewer', 'failed', 'running'],
    ]);
    expect(reviews.view('conv-2').asked).toEqual([]);
  });
});

describe('The end of a review', () => {
  async function asked() {
    const one = reviewing();
    await one.reviews.ask('conv-1', 'critic');
    one.events.length = 0;
    return { ...one, only: () => one.reviews.view('conv-1').asked[0] };
  }
  const done = (reason: string | null) => ({ conv: 'conv-new', member: 'critic', state: 'done', reason });

  it('stores its comments as drafts of the member', async () => {
    const { reviews, change, only, events, store, clock } = await asked();
    clock.advance(5_000);
    await change(
      'turn-1',
      answerOf([
        { path: 'lamp.ts', line: 1, text: 'Why?' },
        { path: 'lamp.ts', text: 'And this?' },
      ]),
    );
    expect(reviews.view('conv-1').comments).toMatchObject([
      {
        ...{ path: 'lamp.ts', side: 'new', start_line: 1, end_line: 1, quote: '+lit', text: 'Why?', state: 'draft' },
        ...{ author: 'critic', created_at: '2026-11-21T12:00:05.000Z', comment: expect.stringMatching(/^rev-/) },
      },
      { side: null, text: 'And this?', author: 'critic' },
    ]);
    expect([only(), events]).toEqual([done(null), ['conversation.updated conv-1']]);
    expect(store.findAsk('turn-1')).toMatchObject({ state: 'done', patch: '' });
  });

  it.each([
    [[], 'It had nothing to remark.'],
    [[{ path: 'other.ts', text: 'x' }], '1 of its comments named no file of the changes and were left out.'],
    [[{ path: 'lamp.ts', text: 'x' }, 7, null], '2 of its comments named no file of the changes and were left out.'],
  ])('tells what of %j was lost', async (entries, reason) => {
    const { change, only } = await asked();
    await change('turn-1', answerOf(entries));
    expect(only()).toEqual(done(reason));
  });

  const remark = { path: 'lamp.ts', text: 'x' };
  it.each([
    [98, [remark, remark], 100, null],
    [
      99,
      [remark, remark, {}],
      100,
      '1 of its comments named no file of the changes and were left out. 1 found no room beside the other drafts.',
    ],
    [100, [remark, remark], 100, '2 found no room beside the other drafts.'],
  ])('adds to %i drafts only what there is room for', async (before, entries, after, reason) => {
    const { reviews, change, only, addMany } = await asked();
    await addMany(before);
    await change('turn-1', answerOf(entries));
    expect([reviews.view('conv-1').drafts, only()]).toEqual([after, done(reason)]);
  });

  const failed = (reason: string) => ({ conv: 'conv-new', member: 'critic', state: 'failed', reason });
  it.each([
    [{ ending: { outcome: 'failed', reason: 'no tools' } }, 'no tools'],
    [{ ending: { outcome: 'cancelled' } }, 'It ended as cancelled.'],
    [{ ending: { outcome: 'cancelled', reason: null } }, 'It ended as cancelled.'],
    [
      { answer: { text: 'Looks good.' } },
      'It answered without a list of comments in the form that was asked for: read its answer.',
    ],
  ])('that is %j has failed', async (given, reason) => {
    const { change, only, events } = await asked();
    await change('turn-1', given);
    expect([only(), events]).toEqual([failed(reason), ['conversation.updated conv-1']]);
  });

  it('is that of its own turn, once', async () => {
    const { reviews, change, only, events } = await asked();
    await change('turn-1', { kind: 'started' });
    await change('turn-9', answerOf([remark]));
    expect([only()?.state, events]).toEqual(['running', []]);
    await change('turn-1', answerOf([remark]));
    await change('turn-1', answerOf([remark]));
    expect([reviews.view('conv-1').drafts, events.length]).toEqual([1, 1]);
  });
});
