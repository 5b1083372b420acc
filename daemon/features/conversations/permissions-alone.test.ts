import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../contract/conversations.js';
import type { PermissionDetail } from '../../contract/permissions.js';
import { conversationsAlone } from '../../testing/parts/conversations-alone.js';
import type { PermissionQuestion } from '../clients/client.js';
import type { TurnRow } from './turns-store.js';

const QUESTION: PermissionQuestion = { tool: 'Edit', target: 'src/a.ts', reason: 'to mend it' };
const LINT: PermissionDetail = { kind: 'command', command: 'npm run lint', folder: '/p' };

/** A conversation of `developer` with a turn of each profile, and `ask`, which asks in one of them. */
async function asking(member = 'developer') {
  const alone = conversationsAlone();
  const { transactions, turns, permissions, conversations, events } = alone;
  const begin = async (of: string | undefined) => {
    const { conv } = await conversations.create(of === undefined ? {} : { member: of });
    await transactions.run((transaction) => {
      for (const profile of ['operator', 'outside'] as const)
        turns.put(transaction, { turn: `${profile} of ${conv}`, conv, profile, text: 'x', created_ms: 0 });
    });
    return conv;
  };
  const conv = await begin(member);
  const turnOf = (profile: TurnRow['profile'], of = conv) => turns.find(`${profile} of ${of}`) as TurnRow;
  const gone = new AbortController();
  const ask = async (facts: Partial<PermissionQuestion> = {}, profile: TurnRow['profile'] = 'operator', of = conv) => {
    const { answer } = await transactions.run((transaction) =>
      permissions.putQuestion(transaction, turnOf(profile, of), { ...QUESTION, ...facts }, gone.signal),
    );
    const question = permissions.waiting(of).at(-1);
    if (!question) throw new Error('Nothing was asked.');
    return { question, answer, pid: question.pid };
  };
  const told = () =>
    events.flatMap((event) => (event.type === 'turn.permission' ? [event.permission.decision ?? 'asked'] : []));
  return { ...alone, begin, conv, turnOf, gone, ask, told };
}

/** Lets what was started by a timer come to its end. */
const settle = async () => {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
};

describe('a question of an agent', () => {
  it('is stored and announced as it was asked, with the time until which it waits', async () => {
    const { ask, conv, turnOf, events } = await asking();
    const { question } = await ask({ detail: LINT });
    expect(question).toEqual({
      ...{ pid: expect.stringMatching(/^perm-/), conv, turn: turnOf('operator').turn, ...QUESTION, detail: LINT },
      always: [
        { match: 'command', value: 'npm run lint' },
        { match: 'command_prefix', value: 'npm run lint' },
        { match: 'command_prefix', value: 'npm run' },
      ],
      ...{ scopes: ['conversation', 'member'], created_at: '2026-11-21T12:00:00.000Z' },
      ...{ expires_at: '2026-11-21T13:00:00.000Z', decision: null, decided_by: null },
    });
    expect(events.at(-1)).toMatchObject({ type: 'turn.permission', conv, turn: question.turn, permission: question });
  });

  it('of another program waits a minute and offers no rule', async () => {
    const { ask } = await asking();
    expect((await ask({}, 'outside')).question).toMatchObject({
      ...{ always: [], scopes: [], expires_at: '2026-11-21T12:01:00.000Z', detail: null },
    });
  });

  it('in a turn that nobody attends waits as long as is said for it', async () => {
    const { ask, permissions, turnOf } = await asking();
    permissions.setUnattended((turn) => (turn === turnOf('operator').turn ? 5 : undefined));
    expect((await ask()).question.expires_at).toBe('2026-11-21T12:00:05.000Z');
    expect((await ask({}, 'outside')).question.expires_at).toBe('2026-11-21T12:01:00.000Z');
    permissions.setUnattended(() => undefined);
    expect((await ask()).question.expires_at).toBe('2026-11-21T13:00:00.000Z');
  });

  it('in a conversation without a member offers rules for that alone', async () => {
    const { ask, begin } = await asking();
    const conv = await begin(undefined);
    expect((await ask({}, 'operator', conv)).question.scopes).toEqual(['conversation']);
  });

  it('is cut to what a page shows', async () => {
    const { ask } = await asking();
    const long = 'x'.repeat(10_001);
    const { question } = await ask({ tool: long, target: long, reason: long });
    expect([question.tool.length, question.target.length, question.reason.length]).toEqual([200, 10_000, 10_000]);
  });
});

describe('the decision on a question', () => {
  it.each(['allow_once', 'deny'] as Decision[])('is the one of the operator, once: %s', async (decision) => {
    const { ask, permissions, conv, told, events, clock, rules } = await asking();
    const { pid, answer, question } = await ask();
    const decided = await permissions.decide(conv, pid, { decision });
    expect(decided).toEqual({ ...question, decision, decided_by: 'operator' });
    expect(await answer).toEqual({ decision, hasExpired: false });
    expect(events.slice(-2)).toMatchObject([
      { type: 'turn.permission', conv, turn: question.turn, permission: decided },
      { type: 'conversation.updated', conv },
    ]);
    expect(permissions.waiting(conv)).toEqual([]);
    await expect(permissions.decide(conv, pid, { decision })).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'There is no such question, or it has been answered already.' },
    });
    expect([told(), clock.pending, rules.list().count]).toEqual([['asked', decision], 0, 0]);
  });

  it('is refused for another conversation and an unknown question, which leaves it open', async () => {
    const { ask, permissions, conv, begin } = await asking();
    const { pid } = await ask();
    const other = await begin('developer');
    for (const [of, id] of [
      [other, pid],
      [conv, 'perm-x'],
    ] as const)
      await expect(permissions.decide(of, id, { decision: 'deny' })).rejects.toMatchObject({ code: 'not_found' });
    expect(permissions.waiting(conv)).toHaveLength(1);
  });

  it('is a denial after the time, which the agent hears of as one', async () => {
    const { ask, permissions, conv, told, clock } = await asking();
    const { answer, pid } = await ask({}, 'outside');
    clock.advance(59_999);
    await settle();
    expect(permissions.waiting(conv)).toHaveLength(1);
    clock.advance(1);
    expect(await answer).toEqual({ decision: 'deny', hasExpired: true });
    expect([permissions.waiting(conv), told()]).toEqual([[], ['asked', 'deny']]);
    await expect(permissions.decide(conv, pid, { decision: 'deny' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of the operator stands when the time ends as it is given', async () => {
    const { ask, permissions, conv, told, clock } = await asking();
    const { pid, answer } = await ask({}, 'outside');
    const deciding = permissions.decide(conv, pid, { decision: 'allow_once' });
    clock.advance(60_000);
    await deciding;
    expect(await answer).toEqual({ decision: 'allow_once', hasExpired: false });
    await settle();
    expect(told()).toEqual(['asked', 'allow_once']);
  });

  it('is a denial at once when the turn ends, or has ended already', async () => {
    const { ask, gone, clock, permissions, conv } = await asking();
    const first = await ask();
    gone.abort();
    expect(await first.answer).toEqual({ decision: 'deny', hasExpired: false });
    expect(await (await ask()).answer).toEqual({ decision: 'deny', hasExpired: false });
    expect(clock.pending).toBe(0);
    await expect(permissions.decide(conv, first.pid, { decision: 'deny' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('leaves no listener at the signal of the turn', async () => {
    const { ask, gone, permissions, conv } = await asking();
    const { pid, answer } = await ask();
    expect(getEventListeners(gone.signal, 'abort')).toHaveLength(1);
    await permissions.decide(conv, pid, { decision: 'allow_once' });
    expect((await answer).decision).toBe('allow_once');
    expect(getEventListeners(gone.signal, 'abort')).toEqual([]);
  });

  it('applies when the denial cannot be stored', async () => {
    const { ask, transactions, clock } = await asking();
    const { answer } = await ask({}, 'outside');
    transactions.run = async () => {
      throw new Error('The disk is full.');
    };
    clock.advance(60_000);
    expect(await answer).toEqual({ decision: 'deny', hasExpired: true });
  });

  it('is recorded for all open questions of a turn that ended, by its reason', async () => {
    const { ask, permissions, transactions, database, turnOf, conv } = await asking();
    const first = await ask();
    await permissions.decide(conv, first.pid, { decision: 'allow_once' });
    await ask();
    await ask({}, 'outside');
    await transactions.run((transaction) => permissions.putDenied(transaction, turnOf('operator').turn, 'restart'));
    const rows = database.sql('SELECT decision, decided_by AS by FROM permissions ORDER BY rowid').all();
    expect(rows).toEqual([
      { decision: 'allow_once', by: 'operator' },
      { decision: 'deny', by: 'restart' },
      { decision: null, by: null },
    ]);
  });
});

it('a question that ended with its turn is gone, whatever else is wrong with its answer', async () => {
  const { ask, permissions, transactions, turnOf, conv } = await asking();
  const { pid } = await ask({ detail: LINT });
  await transactions.run((transaction) => permissions.putDenied(transaction, turnOf('operator').turn, 'deadline'));
  const always = { match: 'command', value: LINT.command, scope: 'conversation' };
  await expect(permissions.decide(conv, pid, { decision: 'allow_once', always } as never)).rejects.toMatchObject({
    code: 'not_found',
  });
});

describe('the list of open questions', () => {
  it('pages over all conversations, oldest first, each with its conversation', async () => {
    const { ask, begin, permissions, clock, conv } = await asking();
    const untitled = await begin(undefined);
    await ask({ reason: '1' });
    await ask({ reason: '2' }, 'outside');
    clock.advance(1_000);
    await ask({ reason: '3' }, 'operator', untitled);
    const reasons = (query: { limit?: number; cursor?: string }) => {
      const { permissions: page, count, next_cursor } = permissions.list(query);
      return [page.map(({ reason }) => reason).join(''), count, next_cursor];
    };
    const noon = Date.UTC(2026, 10, 21, 12);
    expect(reasons({ limit: 1 })).toEqual(['1', 1, `${noon}.1`]);
    expect(reasons({ limit: 1, cursor: `${noon}.1` })).toEqual(['2', 1, `${noon}.2`]);
    expect(reasons({ limit: 2, cursor: `${noon}.1` })).toEqual(['23', 2, null]);
    expect(reasons({})).toEqual(['123', 3, null]);
    expect(permissions.list({}).permissions).toMatchObject([
      { conv, member: 'developer', title: 'developer', from_outside: false },
      { conv, member: 'developer', title: 'developer', from_outside: true },
      { conv: untitled, member: null, title: 'New conversation', from_outside: false },
    ]);
  });

  it.each(['x', '1', '1.', '.1', '1.2.3', ' 1.2', '1.2 ', `${'1'.repeat(16)}.1`, `1.${'1'.repeat(16)}`])(
    'refuses the cursor `%s`',
    (cursor) => {
      const list = () => conversationsAlone().permissions.list({ cursor });
      expect(list).toThrow('"cursor" must be the next_cursor of an earlier page.');
      expect(list).toThrow(expect.objectContaining({ code: 'bad_request', details: { path: 'cursor' } }));
    },
  );

  it('accepts numbers of 15 digits in a cursor', () => {
    const cursor = `${'9'.repeat(15)}.${'9'.repeat(15)}`;
    expect(conversationsAlone().permissions.list({ cursor })).toEqual({ permissions: [], count: 0, next_cursor: null });
  });
});

describe('a rule', () => {
  /** Always allows a question, by `always` or by the narrowest rule. */
  async function allowing(member?: string) {
    const made = await asking(member);
    const { permissions, ask, conv } = made;
    const allow = async (detail: PermissionDetail | null, always?: object, of = conv) => {
      const { pid } = await ask({ detail }, 'operator', of);
      const decision = { decision: 'allow_always', ...(always && { always }) };
      return permissions.decide(of, pid, decision as Parameters<typeof permissions.decide>[2]);
    };
    const isAllowed = (detail: PermissionDetail, profile: TurnRow['profile'] = 'operator', of = conv) =>
      permissions.findRule(made.turnOf(profile, of), { ...QUESTION, detail });
    return { ...made, allow, isAllowed };
  }
  const command = (line: string): PermissionDetail => ({ ...LINT, command: line });
  const prefix = { match: 'command_prefix', value: 'npm run' };

  it('is by itself the narrowest, for the conversation', async () => {
    const { allow, isAllowed, rules, conv, begin } = await allowing();
    await allow(LINT);
    expect(rules.list()).toMatchObject({
      count: 1,
      rules: [{ match: 'command', value: 'npm run lint', tool: 'Edit', scope: 'conversation', conv, uses: 0 }],
    });
    expect(await isAllowed(LINT)).toBe(true);
    expect([await isAllowed(command('npm run lint ')), await isAllowed(LINT, 'outside')]).toEqual([false, false]);
    expect(await isAllowed(LINT, 'operator', await begin('developer'))).toBe(false);
  });

  it('chosen for a member holds in all its conversations, and only there', async () => {
    const { allow, isAllowed, begin, rules } = await allowing();
    await allow(LINT, { ...prefix, scope: 'member' });
    expect(rules.list().rules).toMatchObject([{ ...prefix, scope: 'member', member: 'developer', title: 'developer' }]);
    expect(await isAllowed(command('npm run test'), 'operator', await begin('developer'))).toBe(true);
    expect(await isAllowed(command('npm run test'), 'operator', await begin(undefined))).toBe(false);
    expect(await isAllowed(command('npm run test'), 'operator', await begin('architect'))).toBe(false);
  });

  it('counts its uses, and tells the last', async () => {
    const { allow, isAllowed, rules, clock } = await allowing();
    await allow(LINT);
    expect(rules.list().rules[0]).toMatchObject({ uses: 0, last_used_at: null });
    clock.advance(1_000);
    await isAllowed(LINT);
    await isAllowed(LINT);
    await isAllowed(command('npm test'));
    expect(rules.list().rules[0]).toMatchObject({
      ...{ uses: 2, last_used_at: '2026-11-21T12:00:01.000Z', created_at: '2026-11-21T12:00:00.000Z' },
    });
  });

  it('is refused where the question does not offer it, and then nothing is decided', async () => {
    const { allow, begin, rules, permissions, ask, conv } = await allowing();
    for (const always of [
      { ...prefix, value: 'npm', scope: 'member' },
      { match: 'tool', value: 'npm run', scope: 'member' },
    ])
      await expect(allow(LINT, always)).rejects.toMatchObject({
        ...{ code: 'bad_request', details: { path: 'always.value' } },
        message: `\`${always.value}\` is not a rule that this question offers.`,
      });
    const typed = await begin(undefined);
    await expect(allow(LINT, { ...prefix, scope: 'member' }, typed)).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'always.scope' } },
      message: 'A rule for this question holds in its conversation only.',
    });
    const { pid } = await ask({ detail: LINT });
    const once = { decision: 'allow_once', always: { ...prefix, scope: 'member' } } as never;
    await expect(permissions.decide(conv, pid, once)).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'always' } },
      message: '`always` goes with the decision `allow_always` only.',
    });
    expect([rules.list().count, permissions.waiting(conv).length, permissions.waiting(typed).length]).toEqual([
      0, 3, 1,
    ]);
  });

  it('is not made where none is offered, and the question is allowed', async () => {
    const { allow, rules, ask, permissions, conv } = await allowing();
    const cut: PermissionDetail = { kind: 'edit', changes: [], changes_left_out: 3 };
    expect(await allow(cut)).toMatchObject({ always: [], decision: 'allow_always' });
    const { pid } = await ask({}, 'outside');
    await permissions.decide(conv, pid, { decision: 'allow_always' });
    expect(rules.list()).toEqual({ rules: [], count: 0 });
  });

  it('is taken back once, and announced', async () => {
    const { allow, rules, events, conv, isAllowed } = await allowing();
    await allow(LINT);
    await allow(command('npm test'));
    const rule = rules.list().rules.find(({ value }) => value === LINT.command);
    expect(rule?.rule).toMatch(/^rule-/);
    expect(await rules.remove(rule?.rule as string)).toEqual(rule);
    expect(events.at(-1)).toMatchObject({ type: 'conversation.updated', conv });
    await expect(rules.remove('rule-x')).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'There is no rule `rule-x`: it was taken back, or mistyped.' },
    });
    expect([rules.list().count, await isAllowed(LINT), await isAllowed(command('npm test'))]).toEqual([1, false, true]);
  });

  it('goes with its member, and those of conversations stay', async () => {
    const { allow, rules } = await allowing();
    await allow(LINT, { ...prefix, scope: 'member' });
    await allow(command('npm test'));
    await rules.memberGone('architect');
    expect(rules.list().count).toBe(2);
    await rules.memberGone('developer');
    expect(rules.list().rules).toMatchObject([{ value: 'npm test', scope: 'conversation' }]);
  });

  it('goes at the next start, when its member was removed while no daemon was running', async () => {
    const { allow, rules } = await allowing();
    await allow(LINT, { ...prefix, scope: 'member' });
    await allow(command('npm test'));
    for (const members of [[], ['architect', 'developer']]) await rules.start(members);
    expect(rules.list().count).toBe(2);
    await rules.start(['architect']);
    expect(rules.list().rules).toMatchObject([{ value: 'npm test', scope: 'conversation' }]);
  });

  it('is listed by its time, the newest first, with the title of its conversation', async () => {
    const { allow, rules, clock, begin, conversations } = await allowing();
    await allow(LINT);
    clock.advance(1_000);
    const other = await begin(undefined);
    await conversations.patch(other, { title: 'Lights' });
    await allow(command('npm test'), undefined, other);
    expect(rules.list().rules).toMatchObject([
      { value: 'npm test', title: 'Lights', member: null },
      { value: 'npm run lint', title: 'developer', member: 'developer' },
    ]);
  });
});
