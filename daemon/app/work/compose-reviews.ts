import type { ConversationChanges } from '../../features/checkpoints/changes.js';
import { programEnvironment } from '../../features/clients/agent-program-environment.js';
import { MergeMoves } from '../../features/reviews/merge-moves.js';
import { MergeMovesStore } from '../../features/reviews/merge-moves-store.js';
import { mergeRoutes } from '../../features/reviews/merge-routes.js';
import { Merges } from '../../features/reviews/merges.js';
import { PullRequests, type PullRequestsParts } from '../../features/reviews/pull-requests.js';
import { Reviews } from '../../features/reviews/reviews.js';
import { reviewsRoutes } from '../../features/reviews/reviews-routes.js';
import { ReviewsStore } from '../../features/reviews/reviews-store.js';
import { Work } from '../../features/reviews/work.js';
import type { MemberVersion } from '../../features/team/member-file.js';
import type { Worktrees } from '../../features/worktrees/worktrees.js';
import { systemClock } from '../../lib/time/clock.js';
import { programPath, projectAround } from '../../private/program-path.js';
import { withCleanRepository } from '../../storage/git/clean-repository.js';
import { gitEnvironment } from '../../storage/git/git-command.js';
import { ProcessGroups } from '../../storage/processes/process-group.js';
import { findProgram } from '../../storage/processes/process-group-path.js';
import type { ClientsArea } from '../compose-clients.js';
import type { ConversationsArea } from '../compose-conversations.js';
import type { TeamArea } from '../compose-team.js';
import type { Core } from '../core.js';

/** A push of a large branch may be silent for minutes. */
const PUSH_IDLE_MS = 5 * 60_000;
/** What `gh` and git need besides what every program gets, to reach a host as the user does. */
const PASSED = [
  ...['XDG_CONFIG_HOME', 'SSH_AUTH_SOCK', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'GH_CONFIG_DIR'],
  ...['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];
const WITHOUT_QUESTIONS = { GIT_TERMINAL_PROMPT: '0', GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };

interface ReviewsAreaParts {
  clients: ClientsArea;
  team: TeamArea;
  conversations: ConversationsArea;
  changes: Pick<ConversationChanges, 'compare'>;
  worktrees: Pick<Worktrees, 'find' | 'list' | 'moveBase' | 'exclusively' | 'isInUse'>;
}

export interface ReviewsArea {
  /** Finishes merges that the previous daemon process left. Must be called before any turn starts. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What a pull request needs of the machine. */
function pullRequestParts({ config, folder }: Core): { parts: PullRequestsParts; processes: ProcessGroups } {
  const { root } = config;
  const project = projectAround(root, config.environment['HOME']);
  const environment: typeof config.environment = {
    ...config.environment,
    PATH: programPath(config.environment['PATH'], project),
  };
  const processes = new ProcessGroups(folder.state, systemClock, { idleMs: PUSH_IDLE_MS });
  const parts: PullRequestsParts = {
    findProgram: (name) => findProgram(name, environment['PATH']),
    async run(bin, args, cwd) {
      const passed = programEnvironment(environment, PASSED, WITHOUT_QUESTIONS);
      const group = await processes.start({ bin, args, cwd, environment: passed });
      group.closeInput();
      let output = '';
      for await (const line of group.lines()) output += `${line}\n`;
      const { code } = await group.ended;
      return { exit: code, output: `${output}${group.stderrTail}` };
    },
    withCleanRepository: (repository, place, work) =>
      withCleanRepository(repository, { ...place, environment: gitEnvironment(environment) }, work),
    host: environment['GH_HOST'],
  };
  return { parts, processes };
}

/** Composes reviews of what conversations changed, and merging it. */
export async function composeReviews(core: Core, given: ReviewsAreaParts): Promise<ReviewsArea> {
  const { app, bus, clock, config, database, transactions, logError } = core;
  const { clients, team, conversations: area, changes, worktrees } = given;
  const { conversations, messages, runs } = area;
  const environment = gitEnvironment(config.environment);
  const work = new Work({ root: config.root, environment, findWorktree: (conv) => worktrees.find(conv) });
  const canWork = (member: MemberVersion) => {
    const { client_resolved, problem } = clients.clients.resolve(member);
    return problem === undefined && client_resolved !== 'builtin';
  };
  const reviews = new Reviews({
    ...{ transactions, store: new ReviewsStore(database), team: team.team, conversations, messages, runs },
    ...{ bus, clock, canWork },
    compare: (conv) => changes.compare(conv),
  });
  const moves = new MergeMoves({
    ...{ transactions, store: new MergeMovesStore(database) },
    moveBase: (transaction, conv, commit) => worktrees.moveBase(transaction, conv, commit),
    openAt: (folder) => work.openAt(folder),
    onFailed: (error, message) => logError(error, message),
  });
  const { parts, processes } = pullRequestParts(core);
  const pullRequests = new PullRequests(parts);
  const merges = new Merges({
    ...{ conversations, messages, work, moves, bus },
    listWorktrees: () => worktrees.list(),
    exclusively: (owner, merge) => worktrees.exclusively(owner, merge),
    isInUse: (owner) => worktrees.isInUse(owner),
    pullRequest: (repository, plan) => pullRequests.commands(repository, plan),
  });
  await app.register(reviewsRoutes, { reviews });
  await app.register(mergeRoutes, { merges, pullRequests });
  return {
    start: () => moves.start(),
    async stop() {
      await processes.stopAll();
      await merges.stop();
    },
  };
}
