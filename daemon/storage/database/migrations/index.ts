import asks from './0001-asks.sql';
import conversations from './0002-conversations.sql';
import signatures from './0003-signatures.sql';
import hub from './0004-hub.sql';
import registry from './0005-registry.sql';
import reputation from './0006-reputation.sql';
import oracle from './0007-oracle.sql';
import clusters from './0008-clusters.sql';
import boards from './0009-boards.sql';
import chains from './0010-chains.sql';
import payments from './0011-payments.sql';
import spending from './0012-spending.sql';
import a2a from './0013-a2a.sql';
import conversationReads from './0014-conversation-reads.sql';
import peerUsage from './0015-peer-usage.sql';
import documents from './0016-documents.sql';
import answerSearch from './0017-answer-search.sql';
import askRatings from './0018-ask-ratings.sql';
import hubDelivered from './0019-hub-delivered.sql';
import askTraces from './0020-ask-traces.sql';
import responses from './0021-responses.sql';
import roadmap from './0022-roadmap.sql';
import usage from './0023-usage.sql';
import permissionRules from './0024-permission-rules.sql';
import askedTurns from './0025-asked-turns.sql';
import worktrees from './0026-worktrees.sql';
import budgets from './0027-budgets.sql';
import schedules from './0028-schedules.sql';
import checkpoints from './0029-checkpoints.sql';
import reviews from './0030-reviews.sql';
import sharedAnswers from './0031-shared-answers.sql';
import network from './0032-network.sql';
import networkSnapshots from './0033-network-snapshots.sql';
import sharedReputation from './0034-shared-reputation.sql';
import unboundReports from './0035-unbound-reports.sql';
import seenSlots from './0036-seen-slots.sql';
import setAside from './0037-set-aside.sql';

/**
 * Every migration in order; the database's `user_version` is the number of migrations applied. Never edit
 * a migration that has shipped.
 */
export const MIGRATIONS: readonly string[] = [
  asks,
  conversations,
  signatures,
  hub,
  registry,
  reputation,
  oracle,
  clusters,
  boards,
  chains,
  payments,
  spending,
  a2a,
  conversationReads,
  peerUsage,
  documents,
  answerSearch,
  askRatings,
  hubDelivered,
  askTraces,
  responses,
  roadmap,
  usage,
  permissionRules,
  askedTurns,
  worktrees,
  budgets,
  schedules,
  checkpoints,
  reviews,
  sharedAnswers,
  network,
  networkSnapshots,
  sharedReputation,
  unboundReports,
  seenSlots,
  setAside,
];
