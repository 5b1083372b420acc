import { describe, expect, it, vi } from 'vitest';
import type { ConversationsQuery } from '../../contract/conversations.js';
import type { MeshEvent } from '../../contract/events.js';
import { conversationsAlone } from '../../testing/parts/conversations-alone.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const held = () => new ScriptedAgent('acp', heldAnswer);
/** The events of conversations among `events`, in one word each. */
const told = (events: readonly MeshEvent[], conv: string) =>
  events.flatMap((event) =>
    event.type.startsWith('conversation.') && 'conv' in event && event.conv === conv ? [event.type.slice(13)] : [],
  );

describe('a new conversation', () => {
  it('has what was given, and is announced', async () => {
    const { conversations, store, events } = conversationsAlone();
    const given = {
      ...({ member: 'developer', title: 'Lights', client: 'acp', model: 'm-2', effort: 'high' } as const),
      isolation: 'worktree' as const,
    };
    const { conv } = await conversations.create(given);
    expect(conv).toMatch(/^conv-/);
    expect(store.find(conv)).toMatchObject({
      ...{ ...given, agent_type: 'review', place_of: null, from_outside: 0, created_ms: Date.UTC(2026, 10, 21, 12) },
    });
    expect(told(events, conv)).toEqual(['created']);
  });

  it('without a choice has none', async () => {
    const { conversations, store } = conversationsAlone();
    const { conv } = await conversations.create({});
    expect(store.find(conv)).toMatchObject({
      ...{ member: null, agent_type: 'custom', title: '', client: null, model: null, effort: null, isolation: null },
      ...{ schedule_id: null, schedule_title: null },
    });
  });

  it('knows where it comes from', async () => {
    const { conversations, store } = conversationsAlone();
    const schedule = { id: 'nightly', title: 'Each night' };
    const origin = { fromOutside: true, placeOf: (await conversations.create({})).conv, schedule };
    const { conv } = await conversations.create({ agent_type: 'audit' }, origin);
    expect(store.find(conv)).toMatchObject({
      ...{ agent_type: 'audit', from_outside: 1, place_of: origin.placeOf },
      ...{ schedule_id: 'nightly', schedule_title: 'Each night' },
    });
  });

  it('keeps the type that was chosen for a member, else has its', async () => {
    const { conversations } = conversationsAlone();
    const { agent_type } = await conversations.create({ member: 'developer', agent_type: 'audit' });
    expect([agent_type, (await conversations.create({ member: 'developer' })).agent_type]).toEqual(['audit', 'review']);
  });

  it.each([
    [{ agent_type: 'party' }, 'bad_request', '"agent_type" "party" is not known.', { path: 'agent_type' }],
    [
      { agent_type: 'x'.repeat(41) },
      'bad_request',
      `"agent_type" "${'x'.repeat(40)}" is not known.`,
      { path: 'agent_type' },
    ],
    [{ member: 'nobody' }, 'not_found', 'There is no member `nobody`.', {}],
  ])('is refused where nothing could run in it: %#', async (given, code, message, details) => {
    const { conversations } = conversationsAlone();
    await expect(conversations.create(given as never)).rejects.toMatchObject({ code, message, details });
  });

  it('of an unknown member is refused with at most 64 characters of its name, without a check before too', async () => {
    const { conversations, transactions } = conversationsAlone();
    const put = transactions.run((transaction) => conversations.putNew(transaction, { member: 'x'.repeat(65) }));
    await expect(put).rejects.toMatchObject({
      code: 'not_found',
      message: `There is no member \`${'x'.repeat(64)}\`.`,
    });
  });

  it('of a singleton is refused while another lives, which is named', async () => {
    const { conversations } = conversationsAlone();
    const { conv } = await conversations.create({ member: 'architect' });
    const create = () => conversations.create({ member: 'architect' });
    await expect(create()).rejects.toMatchObject({
      ...{ code: 'singleton_busy', details: { conv } },
      message: `\`architect\` is a singleton and lives in "${conv}": go on there, or archive it first.`,
    });
    await conversations.patch(conv, { title: 'Plans' });
    await expect(create()).rejects.toThrow('lives in "Plans": go on there');
    await conversations.patch(conv, { archived: true });
    await create();
  });
});

describe('the view of a conversation', () => {
  it('tells what runs in it, where, and how it stands', async () => {
    const { conversations } = conversationsAlone();
    const { conv } = await conversations.create({ member: 'developer', effort: 'low' });
    expect(conversations.get(conv)).toEqual({
      ...{ conv, member: 'developer', agent_type: 'review', title: 'developer', client: null, model: null },
      ...{ effort: 'low', client_resolved: 'acp', model_resolved: 'm-1', effort_resolved: 'high' },
      ...{ isolation: 'project', folder: `/p/${conv}`, problem: null, blocked: false, pinned: false, archived: false },
      ...{ member_gone: false, from_outside: false, parent: null, schedule: null, running: null, queued: 0 },
      ...{ permissions: [], last_outcome: null, messages: 0, unread: 0, preview: '' },
      ...{ created_at: '2026-11-21T12:00:00.000Z', updated_at: '2026-11-21T12:00:00.000Z' },
    });
  });

  it('of a member that is gone says so, and of a conversation without a member it does not', async () => {
    const { conversations, members } = conversationsAlone();
    const { conv } = await conversations.create({ member: 'developer' });
    const other = await conversations.create({});
    members.clear();
    expect(conversations.get(conv)).toMatchObject({
      ...{ problem: 'The member is gone.', blocked: true, member_gone: true },
      ...{ client_resolved: '', model_resolved: '', effort_resolved: '' },
    });
    expect(other).toMatchObject({ member_gone: false, blocked: false });
  });

  it.each([
    [{ problem: 'No key.' }, 'No key.', true],
    [{ note: 'No such level.' }, 'No such level.', false],
    [{ problem: 'No key.', note: 'No such level.' }, 'No key.', true],
  ])('tells a problem, which blocks it, or else a note: %#', async (runnable, problem, blocked) => {
    const { conversations } = conversationsAlone(undefined, { developer: { runnable } });
    expect(await conversations.create({ member: 'developer' })).toMatchObject({ problem, blocked });
  });

  it('has the flags, the schedule and an unknown type as `custom`', async () => {
    const { conversations, store, transactions } = conversationsAlone();
    const schedule = { id: 'nightly', title: 'Each night' };
    const { conv } = await conversations.create({}, { fromOutside: true, schedule });
    await conversations.patch(conv, { pinned: true, archived: true });
    await transactions.run((transaction) => store.putChange(transaction, conv, { agent_type: 'party' }));
    expect(conversations.get(conv)).toMatchObject({
      ...{ pinned: true, archived: true, from_outside: true, agent_type: 'custom', schedule },
    });
    await transactions.run((transaction) => store.putChange(transaction, conv, { schedule_title: null }));
    expect(conversations.get(conv).schedule).toEqual({ id: 'nightly', title: '' });
  });

  it('counts what waits without the turn that runs, and previews 160 characters', async () => {
    const agent = held();
    const { conversations, messages } = conversationsAlone(agent);
    const { conv } = await conversations.create({ member: 'developer' });
    const { turn } = await messages.say(conv, { text: 'one' });
    await messages.say(conv, { text: 'x'.repeat(200) });
    await agent.untilHeld(1);
    expect(conversations.get(conv)).toMatchObject({ running: turn, queued: 1, messages: 2, preview: 'x'.repeat(160) });
  });

  it('of an unknown conversation is refused', () => {
    expect(() => conversationsAlone().conversations.get('conv-x')).toThrow('There is no conversation `conv-x`.');
  });
});

describe('the list of conversations', () => {
  async function threeMade() {
    const alone = conversationsAlone();
    const { conversations, clock } = alone;
    const made: string[] = [];
    for (const title of ['one', 'two', 'three']) {
      made.push((await conversations.create({ title, ...(title === 'two' ? { member: 'developer' } : {}) })).conv);
      clock.advance(1_000);
    }
    const list = (query: ConversationsQuery = {}) => {
      const { conversations: rows, count, next_cursor } = conversations.list(query);
      return [rows.map(({ title }) => title).join(' '), count, next_cursor];
    };
    return { ...alone, made, list };
  }

  it('pages by its cursor, with one only while there is more', async () => {
    const { list, conversations, made } = await threeMade();
    await conversations.patch(made[0] as string, { pinned: true });
    const at = Date.UTC(2026, 10, 21, 12) + 2_000;
    expect(list({ limit: 2 })).toEqual(['one three', 2, `0.${at}.3`]);
    expect(list({ limit: 2, cursor: `0.${at}.3` })).toEqual(['two', 1, null]);
    expect(list({ limit: 3 })).toEqual(['one three two', 3, null]);
    expect(list({ limit: 1 })).toEqual(['one', 1, `1.${at - 2_000}.1`]);
    expect(list({ limit: 1, cursor: `1.${at - 2_000}.1` })).toEqual(['three', 1, `0.${at}.3`]);
  });

  it.each([
    'x',
    '1',
    '1.2',
    '2.1.1',
    '0.x.1',
    '0.1.1.1',
    ' 0.1.1',
    '0.1.1 ',
    '0.1.',
    '0..1',
    '0.1.12345678901234567',
    '0.12345678901234567.1',
  ])('refuses the cursor `%s`', (cursor) => {
    const list = () => conversationsAlone().conversations.list({ cursor });
    expect(list).toThrow('"cursor" must be the next_cursor of an earlier page.');
    expect(list).toThrow(expect.objectContaining({ code: 'bad_request', details: { path: 'cursor' } }));
  });

  it('accepts numbers of up to 16 digits in a cursor', async () => {
    const { list } = await threeMade();
    const most = '9'.repeat(15);
    expect(list({ cursor: `1.0${most}.0${most}` })[0]).toBe('three two one');
  });

  it('is narrowed by a member and words, and not by blank words', async () => {
    const { list } = await threeMade();
    expect([list({ member: 'developer' })[0], list({ q: 'thr' })[0]]).toEqual(['two', 'three']);
    expect(list({ q: '  ' })[0]).toBe('three two one');
  });

  it('has what is not archived, unless it was asked for or for what a conversation asked', async () => {
    const { list, conversations, messages, made } = await threeMade();
    const [one = '', two = '', three = ''] = made;
    const parent = { turn: (await messages.say(one, { text: 'x' })).turn, conv: one };
    await messages.say(two, { text: 'y' }, { asking: { parent, asked_by: 'z', waits: false } });
    await conversations.patch(two, { archived: true });
    expect([list()[0], list({ archived: true })[0]]).toEqual(['one three', 'two']);
    expect([list({ parent: one })[0], list({ parent: one, archived: false })[0], list({ parent: three })[0]]).toEqual([
      ...['two', '', ''],
    ]);
  });

  it('has 50 rows unless told otherwise', async () => {
    const { list, conversations } = await threeMade();
    for (let count = 0; count < 48; count += 1) await conversations.create({});
    expect(list()[1]).toBe(50);
  });
});

describe('a change of a conversation', () => {
  it('is of the given fields, and announced', async () => {
    const { conversations, events, clock } = conversationsAlone();
    const { conv, updated_at } = await conversations.create({ title: 'Lights', model: 'm-2' });
    clock.advance(1_000);
    const changed = await conversations.patch(conv, { title: 'Lamps', pinned: true });
    expect(changed).toMatchObject({ title: 'Lamps', pinned: true, model: 'm-2', archived: false, updated_at });
    expect(await conversations.patch(conv, { pinned: false, model: null })).toMatchObject({
      pinned: false,
      model: null,
    });
    expect(told(events, conv)).toEqual(['created', 'updated', 'updated']);
  });

  it('archives it now, which is announced, and takes it back at the same time', async () => {
    const { conversations, events, clock } = conversationsAlone();
    const { conv } = await conversations.create({});
    clock.advance(1_000);
    const updated_at = '2026-11-21T12:00:01.000Z';
    expect(await conversations.patch(conv, { archived: true })).toMatchObject({ archived: true, updated_at });
    clock.advance(1_000);
    expect(await conversations.patch(conv, { title: 'x' })).toMatchObject({ archived: true });
    expect(await conversations.patch(conv, { archived: false })).toMatchObject({ archived: false, updated_at });
    expect(told(events, conv)).toEqual(['created', 'updated', 'archived', 'updated', 'updated']);
  });

  it('gives it to another member while nothing was said, with the type of that one', async () => {
    const { conversations, messages } = conversationsAlone(held(), { developer: {}, deployer: {} });
    const { conv } = await conversations.create({ agent_type: 'audit' });
    expect(await conversations.patch(conv, { member: 'developer' })).toMatchObject({
      ...{ member: 'developer', agent_type: 'review' },
    });
    await expect(conversations.patch(conv, { member: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
    await messages.say(conv, { text: 'x' });
    await expect(conversations.patch(conv, { member: 'deployer' })).rejects.toMatchObject({
      code: 'member_bound',
      message: 'The member of a conversation cannot be changed once something was said: begin another one.',
    });
    expect(await conversations.patch(conv, { member: 'developer', title: 'y' })).toMatchObject({ title: 'y' });
  });

  it('keeps the type where the member stays the same', async () => {
    const { conversations } = conversationsAlone();
    const { conv } = await conversations.create({ member: 'developer', agent_type: 'audit' });
    expect(await conversations.patch(conv, { member: 'developer' })).toMatchObject({ agent_type: 'audit' });
  });

  it('gives a singleton no second live conversation, but an archived one', async () => {
    const { conversations } = conversationsAlone();
    const home = await conversations.create({ member: 'architect' });
    const { conv } = await conversations.create({ member: 'developer' });
    const busy = { code: 'singleton_busy', details: { conv: home.conv } };
    await expect(conversations.patch(conv, { member: 'architect' })).rejects.toMatchObject(busy);
    await expect(conversations.patch(conv, { member: 'architect', archived: false })).rejects.toMatchObject(busy);
    await conversations.patch(conv, { member: 'architect', archived: true });
    await expect(conversations.patch(conv, { archived: false })).rejects.toMatchObject(busy);
    await conversations.patch(home.conv, { title: 'Plans', archived: false });
    await conversations.patch(home.conv, { archived: true });
    expect(await conversations.patch(conv, { archived: false })).toMatchObject({ archived: false });
  });

  it('is possible after the member is gone, except to make it live again', async () => {
    const { conversations, members } = conversationsAlone();
    const { conv } = await conversations.create({ member: 'developer' });
    members.clear();
    await conversations.patch(conv, { archived: false, title: 'x' });
    await conversations.patch(conv, { archived: true });
    await expect(conversations.patch(conv, { archived: false })).rejects.toMatchObject({ code: 'not_found' });
    await conversations.patch(conv, { title: 'y' });
  });

  it.each([
    ['project', 'the project folder', 'worktree'],
    ['worktree', 'its worktree', 'project'],
  ] as const)('moves no work out of where it began: %s', async (place, where, wanted) => {
    const { conversations, transactions } = conversationsAlone();
    const { conv } = await conversations.create({ isolation: wanted });
    const other = place === 'project' ? 'automatic' : null;
    expect(await conversations.patch(conv, { isolation: place })).toMatchObject({ isolation: place });
    await transactions.run((transaction) =>
      transaction.sql('UPDATE conversations SET place = ? WHERE conv = ?').run(place, conv),
    );
    await conversations.patch(conv, { isolation: place });
    await expect(conversations.patch(conv, { isolation: wanted })).rejects.toMatchObject({
      ...{ code: 'member_bound', details: { path: 'isolation' } },
      message: `It has worked in ${where} and goes on there: begin another conversation.`,
    });
    await expect(conversations.patch(conv, { isolation: other as never })).rejects.toMatchObject({
      code: 'member_bound',
    });
    await conversations.patch(conv, { title: 'x' });
    expect(conversations.get(conv).isolation).toBe(place);
  });

  it('to the wish it has already is no move, even where it works elsewhere', async () => {
    const { conversations, transactions } = conversationsAlone();
    const { conv } = await conversations.create({ isolation: 'worktree' });
    await transactions.run((transaction) =>
      transaction.sql("UPDATE conversations SET place = 'project' WHERE conv = ?").run(conv),
    );
    await conversations.patch(conv, { isolation: 'worktree' });
    await conversations.patch(conv, { isolation: 'project' });
    expect(conversations.get(conv).isolation).toBe('project');
  });

  it('of what was read goes forward only, to a message of this conversation', async () => {
    const { conversations, messages, store } = conversationsAlone(held());
    const [{ conv }, other] = [await conversations.create({}), await conversations.create({})];
    for (const text of ['one', 'two']) await messages.say(conv, { text });
    await messages.say(other.conv, { text: 'three' });
    const [one, two] = (store.page(conv, undefined, 10) ?? []).map(({ id }) => id);
    const seq = () => store.find(conv)?.read_seq;
    await conversations.patch(conv, { read: two as string });
    expect(seq()).toBe(2);
    await conversations.patch(conv, { read: one as string });
    expect(seq()).toBe(2);
    await expect(conversations.patch(other.conv, { read: one as string })).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'read' } },
      message: `There is no message \`${one}\` in this conversation.`,
    });
  });
});

describe('removing a conversation', () => {
  it('ends its turns, forgets its folder and is announced to all that asked for it', async () => {
    const agent = held();
    const { conversations, messages, events, forgotten, store } = conversationsAlone(agent);
    const removed: string[] = [];
    conversations.onRemoved((conv) => removed.push(`first ${conv} ${store.find(conv)}`));
    conversations.onRemoved((conv) => removed.push(`second ${conv} ${store.find(conv)}`));
    const { conv } = await conversations.create({ member: 'developer' });
    for (const text of ['one', 'two']) await messages.say(conv, { text });
    await agent.untilHeld(1);
    expect(await conversations.remove(conv)).toBe(`ref of ${conv}`);
    expect(removed).toEqual([`first ${conv} undefined`, `second ${conv} undefined`]);
    expect(forgotten).toEqual([conv]);
    const endings = events.flatMap((event) => (event.type === 'turn.ended' ? [[event.outcome, event.reason]] : []));
    expect(endings).toEqual(Array(2).fill(['cancelled', 'The conversation was deleted.']));
    expect(told(events, conv).at(-1)).toBe('deleted');
    expect(agent.turns).toHaveLength(1);
    await expect(conversations.remove(conv)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('with messages is refused where only an empty one was meant', async () => {
    const { conversations, messages } = conversationsAlone(held());
    const { conv } = await conversations.create({});
    await messages.say(conv, { text: 'x' });
    await expect(conversations.remove(conv, true)).rejects.toMatchObject({
      ...{ code: 'not_empty', message: `Conversation ${conv} has messages. It was not deleted.` },
    });
    await conversations.remove((await conversations.create({})).conv, true);
    await conversations.remove(conv);
  });
});

describe('conversations of a member', () => {
  it('are counted while they are not archived', async () => {
    const { conversations } = conversationsAlone();
    const { conv } = await conversations.create({ member: 'developer' });
    await conversations.create({ member: 'developer' });
    await conversations.create({});
    expect(conversations.instances('developer')).toBe(2);
    await conversations.patch(conv, { archived: true });
    expect(conversations.instances('developer')).toBe(1);
  });

  it('are told as its instances while they are live, whatever turns run in them', async () => {
    const { conversations, messages, events, next } = conversationsAlone(undefined, { developer: {}, deployer: {} });
    const { conv } = await conversations.create({ member: 'developer' });
    const { turn } = await messages.say(conv, { text: 'x' });
    await next((event) => event.type === 'turn.ended' && event.turn === turn);
    for (const archived of [true, true, false, true]) await conversations.patch(conv, { archived });
    await messages.say(conv, { text: 'y' });
    const moved = (await conversations.create({ member: 'developer' })).conv;
    await conversations.patch(moved, { member: 'deployer' });
    for (const one of [conv, moved, (await conversations.create({})).conv]) await conversations.remove(one);
    const instances = events.flatMap((event) =>
      event.type === 'team.instance.started' || event.type === 'team.instance.ended'
        ? [`${event.type.slice('team.instance.'.length)} ${event.conv === conv ? 'first' : 'moved'} ${event.id}`]
        : [],
    );
    expect(instances).toEqual([
      ...['started first developer', 'ended first developer'],
      ...['started first developer', 'ended first developer', 'started first developer'],
      ...['started moved developer', 'ended moved developer', 'started moved deployer'],
      ...['ended first developer', 'ended moved deployer'],
    ]);
  });

  it('that another program began are archived once nothing is open in them', async () => {
    const agent = held();
    const { conversations, messages, transactions, members, events } = conversationsAlone(agent);
    const make = async (member: string | undefined, fromOutside: boolean) =>
      (await conversations.create(member === undefined ? {} : { member }, { fromOutside })).conv;
    const [outside, own, typed] = [
      await make('developer', true),
      await make('developer', false),
      await make(undefined, true),
    ];
    const [single, busy] = [await make('architect', true), await make('developer', true)];
    await messages.say(busy, { text: 'x' });
    await transactions.run((transaction) => {
      for (const conv of [outside, outside, own, typed, single, busy, 'conv-x'])
        conversations.archiveAnswered(transaction, conv);
    });
    const archived = [outside, own, typed, single, busy].map((conv) => conversations.get(conv).archived);
    expect(archived).toEqual([true, false, false, false, false]);
    expect([told(events, outside), told(events, single)]).toEqual([['created', 'archived'], ['created']]);
    expect(events.filter(({ type }) => type === 'team.instance.ended')).toMatchObject([{ conv: outside }]);
    const gone = await make('developer', true);
    members.delete('developer');
    await transactions.run((transaction) => conversations.archiveAnswered(transaction, gone));
    expect(conversations.get(gone).archived).toBe(true);
  });

  it('continue an ask: a singleton in its own, another member where it was', async () => {
    const { conversations } = conversationsAlone();
    const { conv } = await conversations.create({ member: 'developer' });
    expect(conversations.findForAsk('developer', conv)?.conv).toBe(conv);
    expect([conversations.findForAsk('developer', undefined), conversations.findForAsk('developer', 'x')]).toEqual([
      ...[undefined, undefined],
    ]);
    expect(conversations.findForAsk('architect', conv)).toBeUndefined();
    const home = await conversations.create({ member: 'architect' });
    expect(conversations.findForAsk('architect', conv)?.conv).toBe(home.conv);
    expect(conversations.findForAsk('gone', conv)?.conv).toBe(conv);
  });

  it('end their turns when it is removed, and no others', async () => {
    const agent = held();
    const { conversations, messages, turns } = conversationsAlone(agent, { developer: {}, deployer: {} });
    const said: string[] = [];
    for (const member of ['developer', 'deployer'])
      for (const text of ['one', 'two']) {
        const [home] = conversations.list({ member }).conversations;
        const { conv } = home ?? (await conversations.create({ member }));
        said.push((await messages.say(conv, { text })).turn);
      }
    await agent.untilHeld(2);
    await conversations.memberGone('developer');
    expect(said.map((turn) => turns.find(turn)).map((row) => [row?.outcome, row?.code, row?.reason])).toEqual([
      ...Array(2).fill(['failed', 'member_gone', 'The member was removed.']),
      ...Array(2).fill([null, null, null]),
    ]);
  });
});

describe('a member that becomes a singleton', () => {
  async function three() {
    const agent = held();
    const alone = conversationsAlone(agent);
    const { conversations, clock, members } = alone;
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      made.push((await conversations.create({ member: 'developer' })).conv);
      clock.advance(1_000);
    }
    const become = () => members.set('developer', { kind: 'singleton' });
    const live = () => conversations.list({ member: 'developer' }).conversations.map(({ conv }) => made.indexOf(conv));
    return { ...alone, agent, made: made as [string, string, string], become, live };
  }

  it('keeps the latest conversation with a running turn, and ends what is open in the others', async () => {
    const { conversations, messages, agent, events, made, become, live, turns, clock } = await three();
    const { turn } = await messages.say(made[0], { text: 'one' });
    clock.advance(1_000);
    await messages.say(made[1], { text: 'two' });
    await agent.untilHeld(2);
    become();
    await conversations.becameSingleton('developer');
    expect(live()).toEqual([1]);
    expect(turns.find(turn)).toMatchObject({
      ...{ outcome: 'cancelled', code: 'cancelled' },
      reason: '`developer` became a singleton and goes on in another conversation; this one was archived.',
    });
    expect(conversations.get(made[0])).toMatchObject({ archived: true, updated_at: '2026-11-21T12:00:04.000Z' });
    for (const conv of [made[0], made[2]]) expect(told(events, conv).slice(-2)).toEqual(['updated', 'archived']);
    expect(told(events, made[1])).not.toContain('archived');
  });

  it('changes nothing when it is told again, or has no conversation', async () => {
    const { conversations, events, become, live } = await three();
    become();
    await conversations.becameSingleton('developer');
    expect(live()).toEqual([2]);
    const { length } = events;
    await conversations.becameSingleton('developer');
    await conversations.becameSingleton('architect');
    expect(events).toHaveLength(length);
  });

  it('while no daemon ran is one at the next start, and other members keep theirs', async () => {
    const { conversations, become, live } = await three();
    await conversations.start();
    expect(live()).toEqual([2, 1, 0]);
    become();
    await conversations.start();
    expect(live()).toEqual([2]);
  });

  it('starts none of the turns that wait where it ends them', async () => {
    const { conversations, messages, agent, made, become } = await three();
    for (const text of ['one', 'two', 'three']) await messages.say(made[0], { text });
    await agent.untilHeld(1);
    await messages.say(made[1], { text: 'home' });
    await agent.untilHeld(2);
    become();
    const cancel = vi.spyOn(agent, 'run');
    await conversations.becameSingleton('developer');
    expect(cancel).not.toHaveBeenCalled();
    expect(agent.turns.map(({ text }) => text)).toEqual(['one', 'home']);
  });
});
