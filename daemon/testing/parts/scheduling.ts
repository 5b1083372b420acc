import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Outcome } from '../../contract/conversations.js';
import type { MissedRule } from '../../contract/work/schedules.js';
import { Bus } from '../../events/bus.js';
import { ConversationsStore } from '../../features/conversations/conversations-store.js';
import type { TurnFollower } from '../../features/conversations/turn-change.js';
import { TurnsStore } from '../../features/conversations/turns-store.js';
import { RunStarts } from '../../features/schedules/run-starts.js';
import { ScheduleRunner } from '../../features/schedules/schedule-runner.js';
import { ScheduleRunsStore } from '../../features/schedules/schedule-runs-store.js';
import { Schedules } from '../../features/schedules/schedules.js';
import { SchedulesStore } from '../../features/schedules/schedules-store.js';
import { Database } from '../../storage/database/database.js';
import { type Transaction, Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryFolder } from '../temporary-folder.js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What the daemon is, over a store that outlives it. */
export class Machine {
  readonly clock = new FakeClock(Date.parse('2026-11-27T07:30:00Z'));
  readonly tasks: { id: string; state: string }[] = [];
  readonly members = new Set(['developer']);
  readonly database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  problem: string | undefined;
  /** The conversation of a singleton, in which its runs go on. */
  home: string | undefined;
  /** Thrown when a message would have no room. */
  full: Error | undefined;
  /** Published events. */
  readonly events: string[] = [];
  /** How often the roadmap was read. */
  tasksRead = 0;
  tasksError: Error | undefined;
  /** Called as a run asks whether its member can do anything. */
  onProblem: () => void = () => undefined;
  /** How many statements of this process are run before it is killed. */
  statementsLeft = Number.POSITIVE_INFINITY;

  constructor() {
    onTestFinished(() => this.database.close());
  }

  /** Starts a process. */
  boot() {
    const { clock, database } = this;
    const run = this.killable();
    const [store, runs] = [new SchedulesStore(database), new ScheduleRunsStore(database)];
    const [conversations, turnsStore] = [new ConversationsStore(database), new TurnsStore(database)];
    const followers: TurnFollower[] = [];
    const bus = new Bus(clock);
    bus.watch(({ type }) => void this.events.push(type));
    const readTasks = async () => {
      this.tasksRead += 1;
      if (this.tasksError) throw this.tasksError;
      return this.tasks;
    };
    const team = { serving: (id: string) => (this.members.has(id) ? ({ id } as never) : undefined) };
    const starts = this.createStarts(runs, conversations, turnsStore);
    const transactions = { run };
    const schedules = new Schedules({
      ...{ transactions, store, runs, team, bus, clock, readTasks },
      onChanged: () => void runner.wake(),
    });
    const errors: unknown[] = [];
    const runner = new ScheduleRunner({
      ...{ transactions, store, runs, schedules, starts, team, bus, clock, readTasks },
      turns: { follow: (follower) => void followers.push(follower) },
      findProblem: async () => {
        this.onProblem();
        return this.problem;
      },
      onError: (error) => void errors.push(error),
    });
    const kill = async () => {
      this.statementsLeft = 0;
      await runner.stop();
      this.statementsLeft = Number.POSITIVE_INFINITY;
    };
    const end = (turn: string, outcome: Outcome = 'answered', code: string | null = null) =>
      run((transaction) => {
        const ending = { outcome, code, reason: null, usage: null, finished_ms: clock.now() };
        turnsStore.putEnded(transaction, turn, ending);
        const ended = { kind: 'ended', turn: turnsStore.find(turn) as never, ending, answer: null } as const;
        for (const follow of followers) follow({ ...ended, runnable: undefined }, transaction);
      });
    runner.start();
    return { schedules, runner, end, kill, errors, store, runs, transactions, starts };
  }

  /** Runs changes as a process does that may be killed. */
  private killable() {
    const real = new Transactions(this.database);
    /** Nothing of a killed process runs any more, neither its statements nor what follows a commit. */
    return <T>(change: (transaction: Transaction) => T) =>
      real.run((transaction) =>
        change({
          sql: (text) => {
            this.statementsLeft -= 1;
            if (this.statementsLeft < 0) throw new Error('killed');
            return transaction.sql(text);
          },
          afterCommit: (callback) =>
            transaction.afterCommit(() => {
              if (this.statementsLeft > 0) callback();
            }),
        }),
      );
  }

  private createStarts(runs: ScheduleRunsStore, conversations: ConversationsStore, turns: TurnsStore): RunStarts {
    const { clock } = this;
    let count = conversations.list({ archived: false, limit: 1_000 }).length;
    return new RunStarts({
      runs,
      conversations: {
        findForAsk: () => (this.home === undefined ? undefined : conversations.find(this.home)),
        putNew: (transaction, { title = '' }, { schedule } = {}) => {
          count += 1;
          const conv = `conv-${count}`;
          const blank = { client: null, model: null, effort: null, isolation: null, place_of: null, from_outside: 0 };
          const row = { conv, member: 'developer', agent_type: 'custom', title, ...blank, created_ms: clock.now() };
          conversations.put(transaction, row);
          const { id = null, title: schedule_title = null } = schedule ?? {};
          conversations.putChange(transaction, conv, { schedule_id: id, schedule_title });
          return conversations.find(conv) as never;
        },
      },
      messages: {
        requireRoom: () => {
          if (this.full) throw this.full;
          return 0;
        },
        putMessage: (transaction, { conv }, { text }, profile) => {
          const turn = conv.replace('conv', 'turn');
          turns.put(transaction, { turn, conv, profile, text, created_ms: clock.now() });
          return turn;
        },
      },
    });
  }

  countTurns(): number {
    return (this.database.sql('SELECT count(*) AS n FROM turns').get() as { n: number }).n;
  }
}

type Process = ReturnType<Machine['boot']>;

/** A process with a schedule for 09:00 in Berlin, half an hour from now. */
export async function daily(missed: MissedRule = 'once', cron = '0 9 * * *') {
  const machine = new Machine();
  const daemon = machine.boot();
  const { id } = await daemon.schedules.create({
    member: 'developer',
    text: 'Look',
    cron,
    zone: 'Europe/Berlin',
    missed,
  });
  await daemon.runner.wake();
  const pass = async (ms: number, of: Process = daemon) => {
    machine.clock.advance(ms);
    await of.runner.wake();
  };
  const list = (of: Process = daemon) =>
    of.schedules
      .get(id)
      .last_runs.map(({ cause, state, due_at, times, code }) =>
        [cause, state, due_at.slice(5, 16), ...(times > 1 ? [`x${times}`] : []), ...(code ? [code] : [])].join(' '),
      );
  return { machine, daemon, id, pass, list };
}
