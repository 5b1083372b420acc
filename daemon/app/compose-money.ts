import { randomBytes } from 'node:crypto';
import { LOCAL_NETWORK } from '../contract/payments.js';
import { chainRoutes } from '../features/chains/chain-routes.js';
import { KnownChains } from '../features/chains/known-chains.js';
import { LocalChain } from '../features/chains/local/local-chain.js';
import { LocalLedger } from '../features/chains/local/local-ledger.js';
import { LocalNetwork } from '../features/chains/local/local-network.js';
import { localRpcMethods } from '../features/chains/local/local-rpc.js';
import { NeighbourChain } from '../features/chains/neighbour-chain.js';
import { PaidByHand } from '../features/chains/paid-by-hand.js';
import { PublicEndpoint } from '../features/chains/public-endpoint.js';
import { RpcChain } from '../features/chains/rpc-chain.js';
import { WalletKeys } from '../features/chains/wallet-keys.js';
import { WalletTransfersStore } from '../features/chains/wallet-transfers-store.js';
import { Wallets } from '../features/chains/wallets.js';
import { walletsRoutes } from '../features/chains/wallets-routes.js';
import { EarningsLedger } from '../features/payments/ledger/earnings-ledger.js';
import { Ledger } from '../features/payments/ledger/ledger.js';
import { ledgerRoutes } from '../features/payments/ledger/ledger-routes.js';
import { PaymentProcessor } from '../features/payments/payment-processor.js';
import { Neighbours } from '../features/projects/neighbours.js';
import type { RunningProjects } from '../features/projects/running-projects.js';
import { composeSpending, type SpendingArea } from '../features/spending/compose-spending.js';
import type { AgentDirectory } from '../features/spending/paying-ports.js';
import { createSigner, readCardThrough } from '../features/spending/read-card.js';
import { OutboundExchange } from '../http/outbound/outbound-exchange.js';
import { toLocalNetworkName } from '../lib/agents/local-network-name.js';
import { inCredentials } from '../private/private-names.js';
import { loadKey } from '../storage/files/key-file.js';
import { SecretFile } from '../storage/files/secret-file.js';
import { NeighbourNetworks } from './adapters/neighbour-networks.js';
import { NeighbourPaying } from './adapters/neighbour-paying.js';
import type { DirectoriesArea } from './compose-directories.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

interface ChainsArea {
  local: LocalNetwork;
  chains: KnownChains;
  walletKeys: WalletKeys;
  wallets: Wallets;
  transfers: WalletTransfersStore;
}

export interface MoneyArea extends Pick<ChainsArea, 'walletKeys' | 'wallets'> {
  /** The payment processor for incoming calls. */
  processor: PaymentProcessor;
  /** Pays for the calls that this daemon makes. */
  spending: SpendingArea;
  /** The members of the user's other running projects, as this daemon calls them. */
  elsewhere: { find: AgentDirectory['find']; readCard(url: string): Promise<unknown> };
}

/** Composes the networks and the wallets on them. Code that only networks need is loaded on first use. */
async function composeChains(
  { app, config, database, folder, bus, clock, mayWriteSecrets }: Core,
  { locate, list: listNeighbours }: NeighbourNetworks,
): Promise<ChainsArea> {
  const local = new LocalNetwork(new LocalLedger(database), clock);
  const configured = config.networkAddresses.map(
    ([network, address]) => new RpcChain(network, new PublicEndpoint(network, address, clock), clock),
  );
  const chains = new KnownChains(
    new LocalChain(local),
    configured,
    (network) => new NeighbourChain(network, { locate, clock }),
    async () => toLocalNetworkName((await local.begun()).hash),
  );
  const walletKeys = new WalletKeys(new SecretFile(inCredentials(folder.credentials, 'wallets.json')), mayWriteSecrets);
  const transfers = new WalletTransfersStore(database);
  const wallets = new Wallets({ keys: walletKeys, chains, listNeighbours, local, store: transfers, bus, clock });
  await app.register(chainRoutes, { methods: localRpcMethods(local) });
  await app.register(walletsRoutes, { wallets });
  return { local, chains, walletKeys, wallets, transfers };
}

function openNetworks({ clock, database }: Core, neighbours: Neighbours): NeighbourNetworks {
  const ledger = new LocalLedger(database);
  return new NeighbourNetworks({
    neighbours,
    clock,
    getOwnNetwork: () => ledger.findNetworkName(),
  });
}

/** Composes networks, wallets, the payments that hosted agents receive, and the payments that this daemon makes. */
export async function composeMoney(
  core: Core,
  { registry, reputation, responses, directory, outbound, loopback }: DirectoriesArea,
  projects: RunningProjects,
  { exposure }: Pick<TeamArea, 'exposure'>,
): Promise<MoneyArea> {
  const { app, database, folder, bus, clock, identity, address, mayWriteSecrets, warn, logError } = core;
  const neighbours = new Neighbours(projects);
  const networks = openNetworks(core, neighbours);
  const paying = new NeighbourPaying({
    neighbours,
    networks,
    clock,
    address,
    getOwnToken: (member) => exposure.findToken(member),
    directory,
    exchange: new OutboundExchange({ clock, loopback }),
    readCard: (url) => readCardThrough(outbound, url),
  });
  const { local, chains, walletKeys, wallets, transfers } = await composeChains(core, networks);
  const payments = new PaymentProcessor({
    database,
    chains,
    clock,
    bus,
    secretKey: await loadKey(folder.credentials, 'till.key', () => randomBytes(32), mayWriteSecrets),
    mainAddress: async () => (await walletKeys.get()).address,
    getCredit: (pubkey) => {
      const agentId = registry.agentOfKey(pubkey);
      return agentId === undefined ? null : reputation.getCredit(agentId);
    },
    onFault: (error, id) => logError(error, 'a paid call failed', { id }),
    warn,
  });
  local.onBalancesChanged((addresses) => payments.noteChanged(LOCAL_NETWORK, addresses));

  const spending = await composeSpending({
    app,
    database,
    bus,
    clock,
    chains,
    wallet: () => walletKeys.get(),
    directory: paying.directory,
    findEndpoint: networks.findEndpoint,
    readCard: paying.readCard,
    exchange: paying.exchange,
    findBureau: paying.findBureau,
    signer: createSigner(identity, clock),
    depositsFile: new SecretFile(inCredentials(folder.credentials, 'deposits.json')),
    mayWriteSecrets,
    bureau: address,
    outcome: (agentId, isAnswered) => responses.ended(agentId, isAnswered),
  });
  const received = new EarningsLedger(database, clock);
  const ledger = new Ledger(received, spending.ledger, payments.journal, [new PaidByHand(transfers)]);
  await app.register(ledgerRoutes, { ledger });
  const elsewhere = { find: paying.directory.find, readCard: paying.readCard };
  return { walletKeys, wallets, processor: payments, spending, elsewhere };
}
