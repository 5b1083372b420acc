import { SURFACES, type Surface } from '../contract/network/agents.js';
import { LOCAL_NETWORK } from '../contract/payments.js';
import { LocalLedger } from '../features/chains/local/local-ledger.js';
import type { HubArea } from '../features/hub/compose-hub.js';
import type { Hub } from '../features/hub/hub.js';
import { HubStore } from '../features/hub/hub-store.js';
import { composeOracle } from '../features/oracle/compose-oracle.js';
import { Impressions } from '../features/oracle/impressions.js';
import { MessageOutcomes } from '../features/oracle/message-outcomes.js';
import { OracleStore } from '../features/oracle/oracle-store.js';
import { Responses } from '../features/oracle/responses.js';
import { SettledPayments } from '../features/payments/ledger/settled-payments.js';
import type { Registry } from '../features/registry/registry.js';
import { RegistryStore } from '../features/registry/registry-store.js';
import { ReportCommands, type ReportedAgents } from '../features/reputation/report-commands.js';
import { Reputation, type ReputationPorts } from '../features/reputation/reputation.js';
import { reputationRoutes } from '../features/reputation/reputation-routes.js';
import { ReputationStore } from '../features/reputation/reputation-store.js';
import { SpentStore } from '../features/spending/spent-store.js';
import type { Core } from './core.js';

/** Returns the member of this daemon that is registered under an id; undefined for any other agent. */
export type FindHostedMember = (agentId: string, surface: Surface) => string | undefined;

/** The log of reports, over the tables of both directories. */
interface ReportLogParts {
  store: ReputationStore;
  agents: ReportedAgents;
  commands: ReportCommands;
}

export function createReportLog({
  database,
  shared,
}: Pick<Core, 'database'> & { shared: Pick<Core['shared'], 'owners'> }): ReportLogParts {
  const [store, hub, registry] = [new ReputationStore(database), new HubStore(database), new RegistryStore(database)];
  const agents: ReportedAgents = {
    findAgent: (agentId) => hub.findRegisteredId(agentId) ?? registry.findRegisteredId(agentId),
    agentOfKey: (pubkey) => registry.findByBoundKey(pubkey)?.agent_id,
  };
  return { store, agents, commands: new ReportCommands(store, shared.owners, agents) };
}

interface Directories {
  hub: Hub;
  registry: Registry;
  reports: ReportLogParts;
  findHostedMember: FindHostedMember;
  onSent: HubArea['onSent'];
  /** Whether this daemon has a wallet to pay from. */
  hasWallet: () => Promise<boolean>;
}

/** Gives the reputation bureau access to the daemon's agents, keys and payments. */
function createReputationPorts(
  { database, identity }: Core,
  { findHostedMember }: Directories,
): Omit<ReputationPorts, 'counts'> {
  const settled = new SettledPayments(database);
  const spent = new SpentStore(database);
  const chain = new LocalLedger(database);
  const isOwn = (pubkey: string) => pubkey === identity.pubkey;
  return {
    isOwnKey: (agentId, pubkey) =>
      isOwn(pubkey) && SURFACES.some((surface) => findHostedMember(agentId, surface) !== undefined),
    isAnswerFrom: (agentId, { pubkey, member }) =>
      isOwn(pubkey) && SURFACES.some((surface) => findHostedMember(agentId, surface) === member),
    pubkey: identity.pubkey,
    isSettled: async ({ network: named, signature }, agentId, reporter) => {
      // Another project names this daemon's network by its genesis; the store has its short name.
      const network = named === chain.findNetworkName() ? LOCAL_NETWORK : named;
      // A payment supports only the reports of who paid, since anyone can read the transaction.
      if (isOwn(reporter) && spent.hasPaid(agentId, network, signature)) return true;
      return SURFACES.some((surface) => {
        const member = findHostedMember(agentId, surface);
        return member !== undefined && settled.isSettled(member, network, signature, reporter);
      });
    },
  };
}

/**
 * Composes the reputation bureau and agent search over both directories. The bureau uses the counts of the search, and
 * the search uses the scores of the bureau.
 */
export async function composeReputation(core: Core, directories: Directories) {
  const { app, bus, clock, config, database, folder, shared, signed, logError } = core;
  const { hub, registry, reports, findHostedMember, onSent, hasWallet } = directories;
  const oracleStore = new OracleStore(database);
  const impressions = new Impressions(oracleStore, clock);
  const responses = new Responses(oracleStore, clock);
  const ports: ReputationPorts = {
    ...createReputationPorts(core, directories),
    counts: (agentId) => ({
      message_through_count: oracleStore.messagesThrough(agentId),
      impression_count: impressions.of(agentId),
    }),
  };
  const reputation = new Reputation({ ...reports, shared, bus, clock, ports });
  await app.register(reputationRoutes, { reputation, callers: signed });
  const oracleArea = await composeOracle({
    app,
    store: oracleStore,
    impressions,
    responses,
    clock,
    surfaces: { hub, registry },
    getHistory: (agentId) => ({
      reputation: reputation.getScore(agentId),
      ...responses.of(agentId),
      messagesThrough: oracleStore.messagesThrough(agentId),
    }),
    hasWallet: () => hasWallet().catch(() => false),
    environment: config.environment,
    state: folder.state,
  });
  for (const directory of [hub, registry])
    directory.onRemoved(async (agentId) => {
      reputation.forget(agentId);
      await oracleArea.oracle.agentGone(agentId);
    });
  const outcomes = new MessageOutcomes({
    responses,
    feedback: (body) => oracleArea.oracle.feedback(body),
    isOwn: (agentId) => findHostedMember(agentId, 'hub') !== undefined,
    onFault: (error) => logError(error, 'a message could not be counted'),
  });
  onSent((sent) => outcomes.sent(sent));
  return { reputation, responses, oracleArea };
}
