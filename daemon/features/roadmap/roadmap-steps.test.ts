import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Conversation } from '../../contract/conversations.js';
import { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { Database } from '../../storage/database/database.js';
import { type Transaction, Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { Asking } from '../conversations/asked-turns-store.js';
import type { TurnChange, TurnFollower } from '../conversations/turn-change.js';
import type { MemberVersion } from '../team/member-file.js';
import { Roadmap } from './roadmap.js';
import { RoadmapStore } from './roadmap-store.js';

const ASKING: Asking = {
  parent: { turn: 'turn-run', conv: 'conv-run' },
  asked_by: 'roadmap-orchestrator',
  waits: false,
};
const UNCHECKED = 'answered, and no check says that it is done: look at it, then mark it done';

type Parts = ConstructorParameters<typeof Roadmap>[0];
type Ending = { outcome?: string; code?: string; reason?: string; client?: string; answer?: string };

/**
 * The queue of a file with `text` over a real store. Members are `developer`, `keeper`, and `idle` without a client.
 * Turns end when the test says so.
 */
function aQueue(text: string, parts: Partial<Parts> = {}) {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const store = new RoadmapStore(database);
  const bus = new Bus(new FakeClock());
  const file = {
    text,
    relativePath: 'plan.md',
    read: async () => file.text,
    async write(now: string) {
      file.text = now;
    },
  };
  const seen = { told: [] as string[], warned: [] as string[], events: 0, titles: [] as string[] };
  const said: { conv: string; turn: string; text: string; asking: unknown }[] = [];
  const followers: TurnFollower[] = [];
  bus.watch(() => {
    seen.events += 1;
  });
  const putConversation = (transaction: Pick<Transaction, 'sql'>, conv: string) =>
    transaction
      .sql("INSERT INTO conversations (conv, agent_type, title, created_ms, updated_ms) VALUES (?, 'plan', '', 0, 0)")
      .run(conv);
  const putTurn = (transaction: Pick<Transaction, 'sql'>, conv: string, turn: string) =>
    transaction
      .sql("INSERT INTO turns (turn, conv, state, profile, text, created_ms) VALUES (?, ?, 'queued', '', '', 0)")
      .run(turn, conv);
  const roadmap = new Roadmap({
    ...{ file, store, transactions, bus },
    log: {
      begin: (_transaction, told) => void seen.told.push(told),
      add: (_transaction, told) => void seen.told.push(told),
      asking: ASKING,
    },
    team: { serving: (id) => (['developer', 'keeper', 'idle'].includes(id) ? ({ id } as MemberVersion) : undefined) },
    conversations: {
      create: async ({ member = '', title = '' }) => {
        if (member === 'nobody') throw new MeshError('bad_request', 'There is no member `nobody`.');
        seen.titles.push(title);
        const conv = `conv-${seen.titles.length}`;
        await transactions.run((transaction) => putConversation(transaction, conv));
        return { conv } as Conversation;
      },
    },
    messages: {
      say: (conv, { text: message }, { asking, record } = {}) =>
        transactions.run((transaction) => {
          const turn = `turn-${said.length + 1}`;
          putTurn(transaction, conv, turn);
          record?.(transaction, turn);
          said.push({ conv, turn, text: message, asking });
          return { turn, queued: false };
        }),
    },
    runs: { follow: (follower) => void followers.push(follower) },
    checks: { describe: () => undefined, judge: () => Promise.reject(new Error('unused')) },
    canWork: ({ id }) => id !== 'idle',
    warn: (message) => void seen.warned.push(message),
    ...parts,
  });
  const change = (turn: string, given: object) =>
    transactions.run((transaction) => {
      for (const follow of followers) follow({ turn: { turn }, ...given } as unknown as TurnChange, transaction);
    });
  const put = (turn: string, { outcome = 'answered', code, reason, client = 'acp', answer }: Ending) =>
    transactions.run((transaction) => {
      transaction
        .sql("UPDATE turns SET state = 'ended', outcome = ?, code = ?, reason = ?, client = ? WHERE turn = ?")
        .run(outcome, code ?? null, reason ?? null, client, turn);
      if (answer !== undefined)
        transaction
          .sql(
            `INSERT INTO messages (id, conv, turn, role, text, created_ms)
             SELECT 'm-' || turn, conv, turn, 'assistant', ?, 0 FROM turns WHERE turn = ?`,
          )
          .run(answer, turn);
    });
  return {
    ...{ roadmap, store, transactions, file, seen, said, put, putTurn, change },
    putConversation: (conv: string) => transactions.run((transaction) => putConversation(transaction, conv)),
    /** Ends a turn and waits until what it makes of its task was told, which is `lines` more lines. */
    async end(turn: string, ending: Ending = {}, lines = 2) {
      const count = seen.told.length + lines;
      await put(turn, ending);
      const { outcome = 'answered', code, answer } = ending;
      await change(turn, {
        kind: 'ended',
        ending: { outcome, code },
        answer: answer === undefined ? null : { text: answer },
      });
      await until(() => seen.told.length >= count);
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
const idle = async () => {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('A run', () => {
  it('tells which tasks are ready and what the others wait for, and gives out one at once by default', async () => {
    const { roadmap, seen, said } = aQueue(
      '- [x] a: x\n- [ ] b: x\n  after: a\n- [ ] c: x @keeper\n  after: a, b, z\n- [ ] d: x @idle\n- [-] e: x\n',
    );
    const { running, limit } = await roadmap.run({});
    expect([running, limit, said.length]).toEqual([true, 1, 1]);
    expect(seen.told).toEqual([
      'Run of plan.md, at most 1 at once.\n\n- `b` for developer: ready\n- `c` for keeper: after b, z\n- `d` for idle: ' +
        'no working client',
      '`b` was given to developer, in conv-1.',
    ]);
  });

  it('lists one hundred tasks at most', async () => {
    const { roadmap, seen } = aQueue(Array.from({ length: 101 }, (_, at) => `- [ ] t${at}: x`).join('\n'));
    await roadmap.run({});
    expect(seen.told[0]?.split('\n').slice(-2)).toEqual([
      '- `t98` for developer: ready',
      '- `t99` for developer: ready',
    ]);
  });

  it('that runs already goes on with another limit', async () => {
    const { roadmap, seen, said } = aQueue('- [ ] a: x\n- [ ] b: x\n- [ ] c: x\n');
    await roadmap.run({});
    expect(await roadmap.run({ limit: 2 })).toMatchObject({ running: true, limit: 2 });
    expect(seen.told.slice(2)).toEqual([
      'The run goes on, at most 2 at once.',
      '`b` was given to developer, in conv-2.',
    ]);
    expect(said).toHaveLength(2);
  });

  it('without a ready task ends at once and counts the tasks', async () => {
    const { roadmap, seen } = aQueue('- [x] a: x\n- [x] b: x\n- [-] c: x\n  after: a\n');
    expect((await roadmap.run({})).running).toBe(false);
    expect(seen.told).toEqual([
      'Run of plan.md, at most 1 at once.\n',
      'No task is ready: the run has ended. 2 done, 1 blocked, 0 open.',
    ]);
  });

  it('is refused when no open task has a member that can work; each is named once', async () => {
    const { roadmap, seen, store } = aQueue('- [ ] a: x @idle\n- [ ] b: x @idle\n- [x] c: x\n');
    await expect(roadmap.run({})).rejects.toMatchObject({
      code: 'no_working_client',
      message:
        'No model is connected for idle: the built-in search answers questions and completes no task. Connect one ' +
        'with `meshd clients use`; then run again.',
      details: { members: ['idle'] },
    });
    expect([seen.told, store.run()]).toEqual([[], { running: false, parallel: 1 }]);
  });

  it('goes on while tasks are in hand, and ends with the last of them', async () => {
    const { roadmap, seen, store, end } = aQueue('- [ ] a: x\n');
    await roadmap.run({ limit: 3 });
    expect(store.run()).toEqual({ running: true, parallel: 3 });
    await end('turn-1', {}, 3);
    expect(seen.told.at(-1)).toBe('No task is ready: the run has ended. 0 done, 1 blocked, 0 open.');
    expect(store.run()).toEqual({ running: false, parallel: 3 });
  });

  it('tells that it was stopped, once, and gives nothing out any more', async () => {
    const { roadmap, seen, said, end } = aQueue('- [ ] a: x\n- [ ] b: x\n');
    await roadmap.stop();
    expect([seen.told, seen.events]).toEqual([[], 1]);
    await roadmap.run({});
    expect((await roadmap.stop()).running).toBe(false);
    await roadmap.stop();
    expect(seen.told.slice(2)).toEqual([
      'Stopped by the operator: nothing more is given out, and what runs goes on to its end.',
    ]);
    await end('turn-1');
    await idle();
    expect([said.length, seen.told.at(-1)]).toEqual([1, `\`a\` is blocked: ${UNCHECKED}`]);
  });
});

describe('A task that is given out', () => {
  it('says what to do and, with a check, when it is done, in a conversation with its title', async () => {
    const checks: Parts['checks'] = {
      describe: ({ check }) => (check === null ? undefined : 'npm test'),
      judge: () => Promise.reject(new Error('unused')),
    };
    const words = 'w'.repeat(300);
    const { roadmap, seen, said } = aQueue(`- [ ] a: ${words}\n- [ ] b: x\n  check: command ok\n`, { checks });
    await roadmap.run({ limit: 2 });
    const end = 'Finish it as your prompt says, and end with what was done and how it was checked.';
    expect(said).toEqual([
      { conv: 'conv-1', turn: 'turn-1', text: `Task a of plan.md: ${words}\n\n${end}`, asking: ASKING },
      {
        ...{ conv: 'conv-2', turn: 'turn-2', asking: ASKING },
        text: `Task b of plan.md: x\n\n${end}\n\nIt is done when this passes: npm test`,
      },
    ]);
    expect(seen.titles).toEqual([`a: ${'w'.repeat(197)}`, 'b: x']);
  });

  it('goes into the conversation of a member that has one only', async () => {
    const conversations: Parts['conversations'] = {
      create: () => Promise.reject(new MeshError('singleton_busy', 'It is busy.', { details: { conv: 'conv-9' } })),
    };
    const { roadmap, said, putConversation } = aQueue('- [ ] a: x\n', { conversations });
    await putConversation('conv-9');
    await roadmap.run({});
    expect(said.map(({ conv }) => conv)).toEqual(['conv-9']);
  });

  it.each([
    ['another code', new MeshError('bad_request', 'It is wrong.', { details: { conv: 'conv-9' } }), 'It is wrong.'],
    ['no conversation', new MeshError('singleton_busy', 'It is busy.', { details: {} }), 'It is busy.'],
    ['a fault', new Error('It broke.'), 'It broke.'],
  ])('is blocked with the reason when no conversation takes it: %s', async (_, error, reason) => {
    const conversations: Parts['conversations'] = { create: () => Promise.reject(error) };
    const { roadmap, seen, file, putConversation } = aQueue('- [ ] a: x\n', { conversations });
    await putConversation('conv-9');
    await roadmap.run({});
    expect(file.text).toBe(`- [-] a: x\n  reason: ${reason}\n`);
    expect(seen.told[1]).toBe(`\`a\` is blocked: ${reason}`);
  });

  it('stays in order: at most so many at once, and only when what it waits for is done', async () => {
    const { roadmap, said, end, file } = aQueue('- [ ] a: x\n  after: c\n- [ ] b: x\n- [ ] c: x\n- [ ] d: x\n');
    await roadmap.run({ limit: 2 });
    const given = () => said.map(({ text }) => text.split(' ')[1]);
    expect(given()).toEqual(['b', 'c']);
    file.text = file.text.replace('[ ] c', '[x] c');
    await end('turn-1', {}, 3);
    expect(given()).toEqual(['b', 'c', 'a']);
  });
});

describe('The end of a turn', () => {
  it.each<[Ending, string]>([
    [{ outcome: 'failed', reason: 'no tools' }, 'failed: no tools'],
    [{ outcome: 'cancelled' }, 'cancelled:'],
    [{ client: 'builtin' }, 'No model connected: the built-in search answers questions and does no work.'],
    [{}, UNCHECKED],
  ])('with %j blocks its task', async (ending, reason) => {
    const { roadmap, seen, file, end, store } = aQueue('- [ ] a: x\n');
    await roadmap.run({});
    await end('turn-1', ending, 3);
    expect(file.text).toBe(`- [-] a: x\n  reason: ${reason}\n`);
    expect(seen.told[2]).toBe(`\`a\`, attempt 1: the turn ended as ${ending.outcome ?? 'answered'}.`);
    expect(seen.told[3]?.trim()).toBe(`\`a\` is blocked: ${reason}`);
    expect(store.listWork().get('a')).toMatchObject({ in_hand: 0 });
  });

  it.each([
    ['was marked meanwhile', '- [x] a: x\n', '- [x] a: x\n'],
    ['is gone', '- [x] b: x\n', '- [x] b: x\n'],
  ])('leaves the file alone when its task %s', async (_, edited, left) => {
    const { roadmap, seen, file, end } = aQueue('- [ ] a: x\n');
    await roadmap.run({});
    file.text = edited;
    await end('turn-1', {}, 3);
    expect([file.text, seen.told[3]]).toEqual([left, '`a` keeps the mark that it has in the file.']);
  });

  it('of something else, or one that a restart caused, concerns no task', async () => {
    const { roadmap, seen, change } = aQueue('- [ ] a: x\n');
    await roadmap.run({});
    await change('turn-9', { kind: 'ended', ending: { outcome: 'answered' }, answer: null });
    await change('turn-1', { kind: 'started' });
    await change('turn-1', { kind: 'ended', ending: { outcome: 'failed', code: 'daemon_restarted' }, answer: null });
    await idle();
    expect(seen.told).toHaveLength(2);
  });

  it('is settled once', async () => {
    const { roadmap, seen, change, put } = aQueue('- [ ] a: x\n- [ ] b: x\n');
    await roadmap.run({});
    await put('turn-1', {});
    const ended = { kind: 'ended', ending: { outcome: 'answered' }, answer: null };
    await Promise.all([change('turn-1', ended), change('turn-1', ended)]);
    await until(() => seen.told.length >= 6);
    await idle();
    expect(seen.told.filter((line) => line.includes('is blocked'))).toHaveLength(1);
  });

  it('releases its task also when the file cannot be written, warns, and ends the run', async () => {
    const { roadmap, seen, file, end, store, said } = aQueue('- [ ] a: x\n');
    await roadmap.run({});
    file.write = () => Promise.reject(new Error('The disk is full.'));
    await end('turn-1', {}, 3);
    await idle();
    expect(seen.warned).toEqual(['Roadmap, task a: The disk is full.']);
    expect(seen.told.slice(3)).toEqual([
      '`a` could not be marked in plan.md: the run has ended. The disk is full.',
      `\`a\` is blocked: ${UNCHECKED}`,
    ]);
    expect(store.listWork().get('a')).toMatchObject({ in_hand: 0 });
    expect([said.length, store.run().running]).toEqual([1, false]);
  });
});

describe('A check', () => {
  const TEXT = '- [ ] a: x\n  check: command ok\n';
  /** A queue whose checks say `verdicts`, one after another. */
  function checked(verdicts: { passed: boolean; detail: string }[], more: Partial<Parts> = {}) {
    const judged: unknown[] = [];
    const checks: Parts['checks'] = {
      describe: () => undefined,
      judge: async ({ id }, answer, asking) => {
        judged.push([id, answer, asking]);
        return verdicts.shift() ?? Promise.reject(new Error('The daemon is stopping.'));
      },
    };
    return { judged, ...aQueue(TEXT, { checks, ...more }) };
  }
  const dark = (detail = 'it is dark') => ({ passed: false, detail });

  it('that passes makes the task done, whatever the answer says', async () => {
    const { roadmap, judged, file, seen, end } = checked([{ passed: true, detail: '' }]);
    await roadmap.run({});
    const { events } = seen;
    await end('turn-1', { answer: 'It is lit.' }, 3);
    expect(file.text).toBe(TEXT.replace('[ ]', '[x]'));
    expect(seen.told[3]).toBe('`a` is done: its check passed.');
    expect(judged).toEqual([
      [
        'a',
        'It is lit.',
        { parent: { turn: 'turn-1', conv: 'conv-1' }, asked_by: 'roadmap-orchestrator', waits: true },
      ],
    ]);
    expect(seen.events).toBeGreaterThan(events);
  });

  it('that fails goes back to the member twice, and then blocks the task', async () => {
    const { roadmap, file, said, seen, end, judged } = checked([dark(), dark(), dark('x'.repeat(600))]);
    await roadmap.run({});
    for (const turn of ['turn-1', 'turn-2']) await end(turn);
    expect(said.slice(1)).toEqual(
      ['turn-2', 'turn-3'].map((turn) => ({
        ...{ conv: 'conv-1', turn, asking: ASKING },
        text: 'Task a is not done yet. Its check failed: it is dark\n\nMend it, and end as before.',
      })),
    );
    expect(seen.told.slice(2)).toEqual([
      '`a`, attempt 1: the turn ended as answered.',
      '`a`, attempt 1: its check failed: it is dark\n\nGiven back.',
      '`a`, attempt 2: the turn ended as answered.',
      '`a`, attempt 2: its check failed: it is dark\n\nGiven back.',
    ]);
    expect((await roadmap.view()).tasks).toMatchObject([{ state: 'running', attempt: 3, step: 'queued' }]);
    await end('turn-3', {}, 3);
    const reason = `check failed after 3 attempts: ${'x'.repeat(469)}`;
    expect(reason).toHaveLength(500);
    expect(file.text).toBe(`- [-] a: x\n  reason: ${reason}\n  check: command ok\n`);
    expect(judged).toHaveLength(3);
    expect((await roadmap.view()).tasks).toMatchObject([
      { state: 'blocked', attempt: null, step: null, conv: 'conv-1' },
    ]);
  });

  it('that fails blocks the task at once when the member takes no message any more', async () => {
    const queue = checked([dark()]);
    const { roadmap, file, seen, end } = queue;
    await roadmap.run({});
    (Reflect.get(roadmap, 'parts') as Parts).messages = { say: () => Promise.reject(new Error('It is gone.')) };
    await end('turn-1', {}, 3);
    expect(file.text).toContain('  reason: check failed: it is dark\n');
    expect(seen.warned).toEqual(['Roadmap, task a: It is gone.']);
  });

  it.each([true, false])('changes nothing when the task was marked meanwhile; passed: %j', async (passed) => {
    const checks: Parts['checks'] = {
      describe: () => undefined,
      judge: async () => {
        queue.file.text = '- [-] a: x\n  reason: stop\n';
        return { passed, detail: 'it is dark' };
      },
    };
    const queue = checked([], { checks });
    await queue.roadmap.run({});
    await queue.end('turn-1', {}, 3);
    expect(queue.seen.told[3]).toBe('`a` keeps the mark that it has in the file.');
    expect([queue.file.text, queue.said.length]).toEqual(['- [-] a: x\n  reason: stop\n', 1]);
  });

  it('that could not be made because the daemon stops leaves the task in hand', async () => {
    const verdicts: { passed: boolean; detail: string }[] = [];
    const { roadmap, seen, store, end, file } = checked(verdicts);
    await roadmap.run({});
    await end('turn-1', {}, 1);
    await until(() => seen.warned.length > 0);
    expect(seen.warned).toEqual(['Roadmap, task a: The daemon is stopping.']);
    expect(store.listWork().get('a')).toMatchObject({ in_hand: 1, state: 'ended' });
    expect((await roadmap.view()).tasks[0]).toMatchObject({ state: 'running', step: 'checking' });
    verdicts.push({ passed: true, detail: '' });
    await idle();
    await roadmap.resume();
    await until(() => file.text.includes('[x]'));
  });

  it('is made after a restart, with the answer that was stored', async () => {
    const { roadmap, judged, file, put } = checked([{ passed: true, detail: '' }]);
    await roadmap.run({});
    await put('turn-1', { answer: 'It is lit.' });
    await roadmap.resume();
    await until(() => file.text.includes('[x]'));
    expect(judged).toEqual([['a', 'It is lit.', expect.anything()]]);
  });
});

describe('After a restart', () => {
  it('a task whose turn was cut off is open again and given out once more', async () => {
    const { roadmap, seen, said, put } = aQueue('- [ ] a: x\n');
    await roadmap.run({});
    await put('turn-1', { outcome: 'failed', code: 'daemon_restarted' });
    await roadmap.resume();
    expect(seen.told.slice(2)).toEqual([
      '`a` was cut off by a restart: it is open again.',
      '`a` was given to developer, in conv-2.',
    ]);
    expect(said).toHaveLength(2);
  });

  it('a task whose message still waits stays in hand', async () => {
    const { roadmap, seen, said } = aQueue('- [ ] a: x\n');
    await roadmap.run({});
    await roadmap.resume();
    await idle();
    expect([said.length, seen.told.length]).toEqual([1, 2]);
  });

  it('what was settled is not settled again, and a run that was stopped gives nothing out', async () => {
    const { roadmap, seen, said, end, file } = aQueue('- [ ] a: x\n');
    await roadmap.run({});
    await roadmap.stop();
    await end('turn-1');
    await idle();
    file.text = '- [ ] a: x\n';
    const { events } = seen;
    await roadmap.resume();
    await idle();
    expect([said.length, seen.told.length, seen.events]).toEqual([1, 5, events]);
  });
});

describe('A change of a task', () => {
  it('is written and told as an event', async () => {
    const { roadmap, file, seen } = aQueue('- [ ] a: x\n');
    const view = await roadmap.patch('a', { state: 'done', member: null });
    expect([view.tasks[0]?.state, file.text, seen.events]).toEqual(['done', '- [x] a: x\n', 1]);
  });

  it('is refused for an unknown member and an unknown task, of which it names at most 64 characters', async () => {
    const { roadmap, file, seen } = aQueue('- [ ] a: x\n');
    await expect(roadmap.patch('a', { member: 'nobody' })).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'There is no member `nobody`.', details: { path: 'member' } },
    });
    await expect(roadmap.patch('b'.repeat(65), { state: 'done' })).rejects.toMatchObject({
      ...{ code: 'not_found', message: `There is no task "${'b'.repeat(64)}" in plan.md.` },
    });
    expect([file.text, seen.events]).toEqual(['- [ ] a: x\n', 0]);
    // One refusal does not keep the next change from being made.
    await roadmap.patch('a', { state: 'done' });
    expect(file.text).toBe('- [x] a: x\n');
  });

  it('is refused where there is no file', async () => {
    const { roadmap, file } = aQueue('');
    file.read = async () => undefined as unknown as string;
    await expect(roadmap.patch('a', { state: 'done' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await roadmap.view()).toMatchObject({ path: 'plan.md', tasks: [], problem: null });
    expect(await roadmap.run({})).toMatchObject({ running: false });
  });

  it('waits for the one before', async () => {
    const { roadmap, file } = aQueue('- [ ] a: x\n- [ ] b: x\n');
    const read = file.read;
    file.read = async () => {
      const text = await read();
      await idle();
      return text;
    };
    await Promise.all([roadmap.patch('a', { state: 'done' }), roadmap.patch('b', { state: 'done' })]);
    expect(file.text).toBe('- [x] a: x\n- [x] b: x\n');
  });
});

describe('The stored work', () => {
  it('belongs to one turn, and can be given to another only when nobody has it in hand', async () => {
    const { store, transactions, putConversation, putTurn, put } = aQueue('');
    await putConversation('conv-1');
    const give = (turn: string) => transactions.run((transaction) => store.putLease(transaction, 'a', turn));
    for (const turn of ['turn-1', 'turn-2', 'turn-3']) await transactions.run((one) => putTurn(one, 'conv-1', turn));
    await give('turn-1');
    await expect(give('turn-2')).rejects.toThrow('Task a is in hand already.');
    await transactions.run((transaction) => store.putNextAttempt(transaction, 'turn-1', 'turn-2'));
    expect([store.findInHand('turn-1'), store.findInHand('turn-2')?.attempt]).toEqual([undefined, 2]);
    await put('turn-2', { outcome: 'failed', code: 'timeout', reason: 'slow', client: 'api', answer: 'half' });
    expect(store.listWork().get('a')).toEqual({
      ...{ task: 'a', turn: 'turn-2', attempt: 2, in_hand: 1, conv: 'conv-1', state: 'ended', client: 'api' },
      ...{ outcome: 'failed', code: 'timeout', reason: 'slow' },
    });
    expect([store.answerOf('turn-2'), store.answerOf('turn-1')]).toEqual(['half', '']);
    await transactions.run((transaction) => store.putReleased(transaction, 'turn-2'));
    expect(store.findInHand('turn-2')).toBeUndefined();
    await transactions.run((transaction) => store.putNextAttempt(transaction, 'turn-2', 'turn-3'));
    expect(store.listWork().get('a')?.turn).toBe('turn-2');
    await give('turn-3');
    expect(store.findInHand('turn-3')?.attempt).toBe(1);
  });
});
