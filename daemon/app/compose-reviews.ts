import { Reviews } from '../features/reviews/reviews.js';
import { reviewsRoutes } from '../features/reviews/reviews-routes.js';
import { ReviewsStore } from '../features/reviews/reviews-store.js';
import { Work, type Worktree } from '../features/reviews/work.js';
import type { MemberVersion } from '../features/team/member-file.js';
import { gitEnvironment } from '../storage/git/git-command.js';
import type { ClientsArea } from './compose-clients.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

interface ReviewsAreaParts {
  clients: ClientsArea;
  team: TeamArea;
  conversations: ConversationsArea;
  findWorktree: (conv: string) => Worktree | undefined;
}

/** Composes reviews of what conversations changed, and merging it. */
export async function composeReviews(
  { app, bus, clock, config, database, transactions }: Core,
  { clients: { clients }, team: { team }, conversations: area, findWorktree }: ReviewsAreaParts,
): Promise<void> {
  const { conversations, messages, runs } = area;
  const environment = gitEnvironment(config.environment);
  const work = new Work({ root: config.root, environment, findWorktree });
  const canWork = (member: MemberVersion) => {
    const { client_resolved, problem } = clients.resolve(member);
    return problem === undefined && client_resolved !== 'builtin';
  };
  const store = new ReviewsStore(database);
  const reviews = new Reviews({
    ...{ transactions, store, team, conversations, messages, runs, work, bus, clock, canWork },
  });
  await app.register(reviewsRoutes, { reviews });
}
