import { join } from 'node:path';
import { commandRuns } from '../../features/clients/api/command-runs.js';
import type { TestedMembers } from '../../features/member-tests/tested-members.js';
import { CheckCommands } from '../../features/roadmap/check-commands.js';
import { MemberAnswers } from '../../features/roadmap/member-answers.js';
import { Roadmap } from '../../features/roadmap/roadmap.js';
import { roadmapRoutes } from '../../features/roadmap/roadmap-routes.js';
import { RoadmapStore } from '../../features/roadmap/roadmap-store.js';
import { RunLog } from '../../features/roadmap/run-log.js';
import { TaskChecks } from '../../features/roadmap/task-checks.js';
import { composeSchedules } from '../../features/schedules/compose-schedules.js';
import type { ScheduleRunner } from '../../features/schedules/schedule-runner.js';
import type { MemberVersion } from '../../features/team/member-file.js';
import { getErrorMessage } from '../../lib/errors.js';
import { systemClock } from '../../lib/time/clock.js';
import { inState } from '../../private/private-names.js';
import { atomicWrite } from '../../storage/files/atomic-write.js';
import { JsonFile } from '../../storage/files/json-file.js';
import { readText } from '../../storage/mesh-folder.js';
import { ProcessGroups } from '../../storage/processes/process-group.js';
import { findWorkProblem } from '../adapters/find-work-problem.js';
import type { ClientsArea } from '../compose-clients.js';
import type { ConversationsArea } from '../compose-conversations.js';
import type { TeamArea } from '../compose-team.js';
import type { Core } from '../core.js';
import type { WorktreesArea } from './compose-worktrees.js';

/** A test suite may be silent for as long as its check may take. */
const CHECK_IDLE_MS = 10 * 60_000;

interface RoadmapParts {
  clients: ClientsArea;
  team: TeamArea;
  conversations: ConversationsArea;
  memberTests: TestedMembers;
  worktrees: WorktreesArea;
}

export interface RoadmapArea {
  /** Runs schedules, which may wait for a task. */
  schedules: ScheduleRunner;
  start(): Promise<void>;
  /** Goes on with the run of the previous daemon process. What keeps it from that is a warning. */
  resume(): Promise<void>;
  /** Ends running checks without a verdict. */
  stopChecks(): void;
  /** Ends what is left of the commands of checks. */
  stop(): Promise<void>;
}

/**
 * Composes the roadmap queue, which is stored in the project's `.mesh/roadmap.md`, the checks of its tasks, and the
 * schedules.
 */
export async function composeRoadmap(
  { app, bus, clock, config, database, folder, transactions, warn, logError }: Core,
  { clients: { clients }, team: { team }, conversations: area, memberTests, worktrees: { worktrees } }: RoadmapParts,
): Promise<RoadmapArea> {
  const { conversations, messages, runs } = area;
  const path = join(folder.path, 'roadmap.md');
  const file = {
    relativePath: '.mesh/roadmap.md',
    read: () => readText(path),
    write: (text: string) => atomicWrite(path, text, 'usual'),
  };
  const canWork = (member: MemberVersion) => findWorkProblem(clients, member) === undefined;
  const { environment } = config;
  const processes = new ProcessGroups(folder.state, systemClock, { idleMs: CHECK_IDLE_MS });
  const commands = new CheckCommands(new JsonFile(inState(folder.state, 'task-checks.json'), 0o600), bus);
  const answers = new MemberAnswers({ team, conversations, messages, runs, canWork });
  const checks = new TaskChecks({
    commands,
    runCommand: (command, conv, signal) =>
      commandRuns({ processes, root: worktrees.folderOf(conv), environment })(command, signal),
    runTests: (member) => memberTests.runToEnd(member),
    ask: (member, title, text, asking) => answers.ask(member, title, text, asking),
  });
  const store = new RoadmapStore(database);
  const log = new RunLog({ store, team, conversations, messages });
  const queue = { file, store, log, transactions };
  const roadmap = new Roadmap({ ...queue, team, conversations, messages, runs, checks, bus, canWork, warn });
  await app.register(roadmapRoutes, { roadmap, commands });
  const schedules = await composeSchedules({
    ...{ app, database, transactions, bus, clock, team, conversations, messages, turns: runs, logError },
    readTasks: async () => (await roadmap.view()).tasks,
    findProblem: async (member) => {
      if (canWork(member)) return undefined;
      await clients.refresh();
      return findWorkProblem(clients, member);
    },
  });
  return {
    schedules,
    start: () => commands.load(),
    resume: () =>
      roadmap.resume().catch((error: unknown) => warn(`The roadmap does not go on: ${getErrorMessage(error)}`)),
    stopChecks: () => checks.stop(),
    stop: () => processes.stopAll(),
  };
}
