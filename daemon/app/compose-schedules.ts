import { RunStarts } from '../features/schedules/run-starts.js';
import { ScheduleRunner } from '../features/schedules/schedule-runner.js';
import { ScheduleRunsStore } from '../features/schedules/schedule-runs-store.js';
import { Schedules } from '../features/schedules/schedules.js';
import { schedulesRoutes } from '../features/schedules/schedules-routes.js';
import { SchedulesStore } from '../features/schedules/schedules-store.js';
import { findWorkProblem } from './adapters/find-work-problem.js';
import type { ClientsArea } from './compose-clients.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { RoadmapArea } from './compose-roadmap.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

interface SchedulesParts {
  clients: Pick<ClientsArea, 'clients'>;
  team: Pick<TeamArea, 'team'>;
  conversations: ConversationsArea;
  roadmap: Pick<RoadmapArea, 'readTasks'>;
}

/** Composes the operator's schedules and what runs them. */
export async function composeSchedules(
  { app, bus, clock, database, transactions, logError }: Core,
  { clients: { clients }, team: { team }, conversations: area, roadmap }: SchedulesParts,
): Promise<ScheduleRunner> {
  const { conversations, messages, runs: turns } = area;
  const store = new SchedulesStore(database);
  const runs = new ScheduleRunsStore(database);
  const readTasks = () => roadmap.readTasks();
  const schedules = new Schedules({
    ...{ transactions, store, runs, team, bus, clock, readTasks },
    onChanged: () => void runner.wake(),
  });
  const starts = new RunStarts({ runs, conversations, messages });
  const runner = new ScheduleRunner({
    ...{ transactions, store, runs, schedules, starts, team, turns, bus, clock, readTasks },
    findProblem: async (member) => {
      if (findWorkProblem(clients, member) === undefined) return undefined;
      await clients.refresh();
      return findWorkProblem(clients, member);
    },
    onError: (error) => logError(error, 'the schedules could not be checked'),
  });
  team.onRemoved((id) => schedules.memberGone(id));
  await app.register(schedulesRoutes, { schedules, runner });
  return runner;
}
