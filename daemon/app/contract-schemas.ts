import * as agents from '../contract/agents.js';
import * as asks from '../contract/asks.js';
import * as boards from '../contract/boards.js';
import * as card from '../contract/card.js';
import * as clients from '../contract/clients.js';
import * as clusters from '../contract/clusters.js';
import * as conversations from '../contract/conversations.js';
import * as errors from '../contract/errors.js';
import * as foreignState from '../contract/foreign-state.js';
import * as hostedAgents from '../contract/hosted-agents.js';
import * as hub from '../contract/hub.js';
import * as imports from '../contract/imports.js';
import * as memberTests from '../contract/member-tests.js';
import * as oracle from '../contract/oracle.js';
import * as payments from '../contract/payments.js';
import * as projects from '../contract/projects.js';
import * as registry from '../contract/registry.js';
import * as reputation from '../contract/reputation.js';
import * as roadmap from '../contract/roadmap.js';
import * as rooms from '../contract/saved-clusters.js';
import * as houseAgents from '../contract/self-registration.js';
import * as system from '../contract/system.js';
import * as team from '../contract/team.js';

/** The contract modules whose named schemas the routes reference. */
export const CONTRACT_SCHEMAS: readonly Record<string, unknown>[] = [
  errors,
  team,
  asks,
  card,
  clients,
  conversations,
  roadmap,
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
  rooms,
  payments,
  projects,
  system,
  foreignState,
];
