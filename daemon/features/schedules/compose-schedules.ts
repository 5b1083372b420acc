import type { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { Transactions } from '../../storage/database/transaction.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import { RunStarts } from './run-starts.js';
import { ScheduleRunner } from './schedule-runner.js';
import { ScheduleRunsStore } from './schedule-runs-store.js';
import { Schedules, type Task } from './schedules.js';
import { schedulesRoutes } from './schedules-routes.js';
import { SchedulesStore } from './schedules-store.js';

interface SchedulesParts {
  app: App;
  database: Database;
  transactions: Transactions;
  bus: Bus;
  clock: Clock;
  team: Team;
  conversations: Conversations;
  messages: Messages;
  turns: TurnRuns;
  readTasks(): Promise<readonly Task[]>;
  /** Why the member cannot do anything at present; undefined when it can. Checks its client. */
  findProblem(member: MemberVersion): Promise<string | undefined>;
  logError(error: unknown, message: string): void;
}

/** Composes the operator's schedules and what runs them. */
export async function composeSchedules({ app, database, logError, ...parts }: SchedulesParts): Promise<ScheduleRunner> {
  const store = new SchedulesStore(database);
  const runs = new ScheduleRunsStore(database);
  const schedules = new Schedules({ ...parts, store, runs, onChanged: () => void runner.wake() });
  const starts = new RunStarts({ ...parts, runs });
  const runner = new ScheduleRunner({
    ...{ ...parts, store, runs, schedules, starts },
    onError: (error) => logError(error, 'the schedules could not be checked'),
  });
  parts.turns.setUnattended((turn) => runs.findPermissionSeconds(turn));
  // A file that is still gone from the disk when a run is due pauses the schedule then.
  parts.team.onRemoved(async (id, origin) => {
    if (origin === 'edit') await schedules.memberGone(id);
  });
  await app.register(schedulesRoutes, { schedules, runner });
  return runner;
}
