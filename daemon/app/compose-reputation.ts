import { SURFACES, type Surface } from '../contract/network/agents.js';
import type { HubArea } from '../features/hub/compose-hub.js';
import type { Hub } from '../features/hub/hub.js';
import { composeOracle } from '../features/oracle/compose-oracle.js';
import { Impressions } from '../features/oracle/impressions.js';
import { MessageOutcomes } from '../features/oracle/message-outcomes.js';
import { OracleStore } from '../features/oracle/oracle-store.js';
import { Responses } from '../features/oracle/responses.js';
import { SettledPayments } from '../features/payments/ledger/settled-payments.js';
import type { Registry } from '../features/registry/registry.js';
import { Reputation, type ReputationPorts } from '../features/reputation/reputation.js';
import { reputationRoutes } from '../features/reputation/reputation-routes.js';
import { ReputationStore } from '../features/reputation/reputation-store.js';
import { SpentStore } from '../features/spending/spent-store.js';
import type { Core } from './core.js';

/** Returns the member of this daemon that is registered under an id; undefined for any other agent. */
export type FindHostedMember = (agentId: string, surface: Surface) => string | undefined;

interface Directories {
  hub: Hub;
  registry: Registry;
  findHostedMember: FindHostedMember;
  onSent: HubArea['onSent'];
  /** Whether this daemon has a wallet to pay from. */
  hasWallet: () => Promise<boolean>;
}

/** Gives the reputation bureau access to the daemon's agents, keys and payments. */
function createReputationPorts(
  { database, identity }: Core,
  { hub, registry, findHostedMember }: Directories,
): Omit<ReputationPorts, 'counts'> {
  const settled = new SettledPayments(database);
  const spent = new SpentStore(database);
  const isOwn = (pubkey: string) => pubkey === identity.pubkey;
  return {
    findAgent: (agentId) => {
      const record = registry.find(agentId);
      return hub.find(agentId)?.agent_id ?? (record?.registered ? record.agent_id : undefined);
    },
    agentOfKey: (pubkey) => registry.agentOfKey(pubkey),
    isOwnKey: (agentId, pubkey) =>
      isOwn(pubkey) && SURFACES.some((surface) => findHostedMember(agentId, surface) !== undefined),
    isAnswerFrom: (agentId, { pubkey, member }) =>
      isOwn(pubkey) && SURFACES.some((surface) => findHostedMember(agentId, surface) === member),
    knownDaemons: [identity.pubkey],
    isSettled: async ({ network, signature }, agentId, reporter) =>
      // A payment by this daemon supports only the daemon's own reports, since anyone can read the transaction.
      (isOwn(reporter) && spent.hasPaid(agentId, network, signature)) ||
      SURFACES.some((surface) => {
        const member = findHostedMember(agentId, surface);
        return member !== undefined && settled.isSettled(member, network, signature);
      }),
  };
}

/**
 * Composes the reputation bureau and agent search over both directories. The bureau uses the counts of the search, and
 * the search uses the scores of the bureau.
 */
export async function composeReputation(core: Core, directories: Directories) {
  const { app, bus, clock, config, database, folder, signed, logError } = core;
  const { hub, registry, findHostedMember, onSent, hasWallet } = directories;
  const oracleStore = new OracleStore(database);
  const impressions = new Impressions(oracleStore, clock);
  const responses = new Responses(oracleStore, clock);
  const reputation = new Reputation(new ReputationStore(database), bus, clock, {
    ...createReputationPorts(core, directories),
    counts: (agentId) => ({
      message_through_count: oracleStore.messagesThrough(agentId),
      impression_count: impressions.of(agentId),
    }),
  });
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
      await Promise.all([reputation.agentGone(agentId), oracleArea.oracle.agentGone(agentId)]);
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
