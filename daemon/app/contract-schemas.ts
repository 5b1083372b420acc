import * as answerTrace from '../contract/answer-trace.js';
import * as asks from '../contract/asks.js';
import * as boards from '../contract/boards.js';
import * as clients from '../contract/clients.js';
import * as clusters from '../contract/clusters.js';
import * as code from '../contract/code.js';
import * as conversations from '../contract/conversations.js';
import * as errors from '../contract/errors.js';
import * as foreignState from '../contract/foreign-state.js';
import * as imports from '../contract/imports.js';
import * as memberTests from '../contract/member-tests.js';
import * as agents from '../contract/network/agents.js';
import * as card from '../contract/network/card.js';
import * as hostedAgents from '../contract/network/hosted-agents.js';
import * as hub from '../contract/network/hub.js';
import * as oracle from '../contract/network/oracle.js';
import * as registry from '../contract/network/registry.js';
import * as reputation from '../contract/network/reputation.js';
import * as houseAgents from '../contract/network/self-registration.js';
import * as payments from '../contract/payments.js';
import * as permissions from '../contract/permissions.js';
import * as projects from '../contract/projects.js';
import * as savedClusters from '../contract/saved-clusters.js';
import * as network from '../contract/shared/network.js';
import * as networkAsks from '../contract/shared/network-asks.js';
import * as system from '../contract/system.js';
import * as team from '../contract/team.js';
import * as telemetry from '../contract/telemetry.js';
import * as usage from '../contract/usage.js';
import * as budgets from '../contract/work/budgets.js';
import * as changes from '../contract/work/changes.js';
import * as reviews from '../contract/work/reviews.js';
import * as roadmap from '../contract/work/roadmap.js';
import * as schedules from '../contract/work/schedules.js';
import * as worktrees from '../contract/work/worktrees.js';

/** The contract modules whose named schemas the routes reference. */
export const CONTRACT_SCHEMAS: readonly Record<string, unknown>[] = [
  errors,
  team,
  asks,
  answerTrace,
  card,
  clients,
  code,
  permissions,
  worktrees,
  conversations,
  changes,
  reviews,
  roadmap,
  schedules,
  agents,
  hub,
  imports,
  memberTests,
  registry,
  hostedAgents,
  houseAgents,
  oracle,
  reputation,
  clusters,
  boards,
  savedClusters,
  payments,
  projects,
  network,
  networkAsks,
  system,
  foreignState,
  usage,
  budgets,
  telemetry,
];
