import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PERMISSION_SECONDS } from '../../contract/conversations.js';
import type { EventWithType } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { begin, echo, ended, events, held, postMessage, read } from '../../testing/apps/conversing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ConversationsStore } from './conversations-store.js';
import { PermissionRules } from './permission-rules/permission-rules.js';
import { RulesStore } from './permission-rules/rules-store.js';
import { Permissions } from './permissions.js';
import { PermissionsStore } from './permissions-store.js';
import { TurnRuns } from './turn-runs.js';
import { TurnsStore } from './turns-store.js';

describe('after a restart', () => {
  it('running turns fail with daemon_restarted, and queued turns run in order', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    for (const text of ['one', 'two', 'three']) await postMessage(app, conv, text);
    await agent.untilHeld(1);
    await app.stop();
    const next = echo();
    const again = await testApp({ root: app.root, clock: app.clock, clients: [next] });
    const client = await events(again);
    await ended(client, (await postMessage(again, conv, 'four')).turn);
    expect(next.turns.map(({ text }) => text)).toEqual(['two', 'three', 'four']);
    expect((await read(again, conv)).turns.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['failed', 'daemon_restarted'],
      ['answered', null],
      ['answered', null],
      ['answered', null],
    ]);
  });
});

describe('the end of a turn', () => {
  it('is published with the reason of its record', async () => {
    const agent = new ScriptedAgent('acp', async function* (turn, signal, self) {
      if (turn.text === 'fail') throw new Error('the model is away, key sk-ant-REDACTED');
      yield* turn.text === 'hold' ? heldAnswer(turn, signal, self) : answers('x');
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    const received: object[] = [];
    for (const text of ['answer', 'fail', 'hold', 'hold']) {
      const { turn } = await postMessage(app, conv, text);
      if (text === 'hold') {
        await agent.untilHeld(received.length - 1);
        if (received.length === 2) await app.call('POST', `/conversations/${conv}/cancel`, {});
        else app.clock.advance(3_600_000);
      }
      const { type: _, seq: __, ts: ___, ...ending } = (await ended(client, turn)) as EventWithType<'turn.ended'>;
      received.push(ending);
    }
    const { turns } = await read(app, conv);
    expect(received).toEqual(
      turns.map(({ turn, outcome, reason }) => ({ conv, turn, outcome, ...(reason === null ? {} : { reason }) })),
    );
    expect(turns.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['answered', null],
      ['failed', expect.stringContaining('the model is away')],
      ['cancelled', 'Stopped by the operator.'],
      ['deadline', expect.stringContaining('No answer within the limit of')],
    ]);
    expect(JSON.stringify(received)).not.toContain('sk-ant');
  });
});

describe('a store that fails', () => {
  /** Creates turn runs over a separate store, with one queued turn in each of two conversations. */
  async function twoWaiting(agent: ScriptedAgent) {
    const clock = new FakeClock();
    const bus = new Bus(clock);
    const database = new Database(join(temporaryFolder(), 'mesh.db'));
    onTestFinished(() => database.close());
    const transactions = new Transactions(database);
    const turns = new TurnsStore(database);
    const conversations = new ConversationsStore(database);
    const lost: string[] = [];
    let wake: () => void = () => undefined;
    const findMember = () => null;
    const rules = new PermissionRules({ transactions, store: new RulesStore(database), findMember, bus, clock });
    const permissions = new Permissions(transactions, new PermissionsStore(database), bus, clock, rules, findMember);
    const runs = new TurnRuns({
      transactions,
      conversations,
      turns,
      permissions,
      bus,
      clock,
      listDocuments: () => [],
      places: { enter: async () => undefined },
      openTools: () => ({ url: '', token: '', end: () => undefined }),
      refreshClients: async () => undefined,
      resolve: ({ conv }) => ({
        member: {
          id: 'custom',
          name: 'custom',
          body: '',
          model: 'm',
          effort: 'default',
          tools: [],
          refs: [],
          limits: { turns: 1, minutes: 1 },
        },
        revision: '',
        key: conv,
        client_resolved: 'acp',
        model_resolved: 'm',
        effort_resolved: 'default',
        client: agent,
      }),
      cite: async () => ({ citations: [], dropped: 0 }),
      onLost: (turn) => {
        lost.push(turn);
        wake();
      },
    });
    const blank = {
      member: null,
      agent_type: 'custom',
      title: '',
      client: null,
      model: null,
      effort: null,
      isolation: null,
      place_of: null,
      from_outside: 0,
      created_ms: 0,
    };
    await transactions.run((transaction) => {
      for (const id of ['one', 'two']) {
        conversations.put(transaction, { ...blank, conv: id });
        turns.put(transaction, { turn: id, conv: id, profile: 'operator', text: id, created_ms: 0 });
      }
    });
    const untilLost = async (count: number) => {
      while (lost.length < count) await new Promise<void>((resolve) => (wake = resolve));
    };
    return { database, turns, runs, permissions, bus, clock, lost, untilLost };
  }

  /** Makes the store read-only: a foreign key without a target makes the commit itself fail. */
  const breakCommits = async (database: Database, turns: TurnsStore) => {
    const breaking = new Transactions(database).run((transaction) => {
      transaction.sql('PRAGMA defer_foreign_keys = ON').run();
      turns.put(transaction, {
        turn: 'x',
        conv: 'none',
        profile: 'operator',
        text: '',

        created_ms: 0,
      });
    });
    await expect(breaking).rejects.toMatchObject({ code: 'store_readonly' });
  };

  it('causes no retries of queued turns once it is read-only', async () => {
    const agent = echo();
    const { database, turns, runs, lost, untilLost, clock } = await twoWaiting(agent);
    await breakCommits(database, turns);
    runs.pump();
    await untilLost(2);
    clock.advance(60_000);
    await runs.stop();
    expect(lost).toEqual(['one', 'two']);
    expect(agent.turns).toEqual([]);
    expect(turns.listOpen().map(({ state }) => state)).toEqual(['queued', 'queued']);
  });

  it('denies an expired permission request even when the denial cannot be stored', async () => {
    const decisions: string[] = [];
    const agent = new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
      yield { type: 'text', text: 'May I? ' };
      decisions.push(await decide({ tool: 'edit', target: 'a', reason: '' }).catch(() => 'nothing was decided'));
      yield { type: 'end', citations: [] };
    });
    const { database, turns, runs, permissions, bus, lost, untilLost, clock } = await twoWaiting(agent);
    const bothAsked = new Promise<void>((resolve) => {
      bus.watch(({ type }) => type === 'turn.permission' && permissions.list({}).count === 2 && resolve());
    });
    runs.pump();
    await bothAsked;
    await breakCommits(database, turns);
    clock.advance(PERMISSION_SECONDS * 1000);
    await untilLost(2);
    expect(lost).toEqual(['one', 'two']);
    expect(decisions).toEqual(['nothing was decided', 'nothing was decided']);
  });
});
