import { commandRuns } from '../../features/clients/api/command-runs.js';
import { formatTitle } from '../../features/conversations/conversation-title.js';
import { ConversationsStore } from '../../features/conversations/conversations-store.js';
import type { Messages } from '../../features/conversations/messages.js';
import type { TurnPlaces } from '../../features/conversations/turn-change.js';
import type { OperatorPreferences } from '../../features/system/preferences.js';
import { WorktreeRemoval } from '../../features/worktrees/worktree-removal.js';
import { Worktrees, type WorktreesParts } from '../../features/worktrees/worktrees.js';
import { worktreesRoutes } from '../../features/worktrees/worktrees-routes.js';
import { WorktreesStore } from '../../features/worktrees/worktrees-store.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { systemClock } from '../../lib/time/clock.js';
import { ProcessGroups } from '../../storage/processes/process-group.js';
import { AgentEnvironment } from '../../storage/worktrees/agent-environment.js';
import { provideFiles } from '../../storage/worktrees/provided-files.js';
import { findGitFolders, readRepositoryStatus } from '../../storage/worktrees/repository-status.js';
import { UserRepository } from '../../storage/worktrees/user-repository.js';
import { WorktreeFolders } from '../../storage/worktrees/worktree-folders.js';
import { WorktreeGit } from '../../storage/worktrees/worktree-git.js';
import type { Core } from '../core.js';

/** Installing dependencies may be silent for minutes. */
const SETUP_IDLE_MS = 10 * 60_000;
const OUTPUT_SHOWN_CHARS = 1_500;

export interface WorktreesArea {
  worktrees: Worktrees;
  /** Where turns work. */
  places: TurnPlaces;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Areas that are composed later. */
type LaterAreas = () => {
  dashboard: { preferences: Pick<OperatorPreferences, 'get'> };
  conversations: { messages: Pick<Messages, 'notice'> };
};

/** Watches the user's repository during turns in worktrees, and tells when an agent reached into it. */
function agentGuard(
  { root, environment }: Core['config'],
  folders: WorktreeFolders | undefined,
  getLater: LaterAreas,
): WorktreesParts['guard'] {
  const repository = new UserRepository(root, environment);
  return async ({ conv, turn }, { path, provided }, base) => {
    if (!folders) throw new Error('There is no folder for worktrees.');
    const place = { root, folder: folders.guardFolder, turn, path, provided };
    const agent = await AgentEnvironment.prepare(place, base, environment);
    await repository.begin(base);
    return {
      environment: agent.variables,
      async end() {
        const put = await repository.end(base, await agent.end(), `${conv}-${turn}`);
        if (!put) return;
        const what = put.names.map((name) => `\`${name}\``).join(', ');
        await getLater().conversations.messages.notice(
          conv,
          turn,
          `This turn changed ${what} of your repository. It was put back; what it was changed to is kept at \`${put.kept}\`.`,
        );
      },
    };
  };
}

/** Composes the worktrees of conversations, and their removal, with its routes. */
export async function composeWorktrees(
  { app, bus, clock, config, database, folder, transactions, logError }: Core,
  getLater: LaterAreas,
): Promise<WorktreesArea> {
  const { root, environment, stateFolder } = config;
  const getPreferences = () => getLater().dashboard.preferences.get();
  const processes = new ProcessGroups(folder.state, systemClock, { idleMs: SETUP_IDLE_MS });
  const setUp = async (path: string, signal: AbortSignal) => {
    const { copy, link, setup } = getPreferences().worktrees;
    const provided = await provideFiles(root, path, { copy, link });
    if (setup.trim() === '') return provided;
    const { exit, output } = await commandRuns({ processes, root: path, environment })(setup, signal);
    if (exit === 0) return provided;
    const end = scrubSecrets(output.trim().slice(-OUTPUT_SHOWN_CHARS));
    throw new Error(
      `The set-up command \`${setup}\` ended with ${exit ?? 'a signal'}.${end && ` Its output ends: ${end}`}`,
    );
  };
  const shared = {
    ...{ store: new WorktreesStore(database), conversations: new ConversationsStore(database) },
    ...{ transactions, bus, clock },
    // Build tools and searches of the project would find worktrees that lie in it.
    folders:
      stateFolder === undefined || `${stateFolder}/`.startsWith(`${root}/`)
        ? undefined
        : new WorktreeFolders(stateFolder, root),
    openGit: () => WorktreeGit.open(root, environment),
    onFailed: (error: unknown, message: string) => logError(error, message),
  };
  const worktrees = new Worktrees({
    ...{ ...shared, root, setUp },
    getDefault: () => getPreferences().isolation_default,
    readStatus: () => readRepositoryStatus(root, environment),
    findFolders: () => findGitFolders(root, environment),
    guard: agentGuard(config, shared.folders, getLater),
  });
  const removal = new WorktreeRemoval({ ...shared, worktrees, formatTitle });
  await app.register(worktreesRoutes, { removal });
  return {
    worktrees,
    places: {
      describe: (row, facts) => worktrees.describe(row, facts),
      enter: (row, facts, turn, signal) => worktrees.enter(row, facts, turn, signal),
      forget: (conv) => removal.forget(conv),
    },
    start: () => removal.start(),
    async stop() {
      removal.stop();
      await processes.stopAll();
      await worktrees.stop();
    },
  };
}
