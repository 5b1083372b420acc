import { randomBytes } from 'node:crypto';
import type { Config } from './config.js';
import { LOCAL_NETWORK } from './contract/payments.js';
import type { Bus } from './events/bus.js';
import { chainRoutes } from './features/chains/chain-routes.js';
import { KnownChains } from './features/chains/known-chains.js';
import { LocalChain } from './features/chains/local-chain.js';
import { LocalLedger } from './features/chains/local-ledger.js';
import { LocalNetwork } from './features/chains/local-network.js';
import { localRpcMethods } from './features/chains/local-rpc.js';
import { PaidByHand } from './features/chains/paid-by-hand.js';
import { RpcChain } from './features/chains/rpc-chain.js';
import { RpcEndpoint } from './features/chains/rpc-endpoint.js';
import { WalletKeys } from './features/chains/wallet-keys.js';
import { WalletTransfersStore } from './features/chains/wallet-transfers-store.js';
import { Wallets } from './features/chains/wallets.js';
import { walletsRoutes } from './features/chains/wallets-routes.js';
import { Ledger } from './features/payments/ledger.js';
import { ledgerRoutes } from './features/payments/ledger-routes.js';
import { Till } from './features/payments/till.js';
import { TillLedger } from './features/payments/till-ledger.js';
import type { AgentDirectory } from './features/spending/paying-ports.js';
import { readCardThrough, signerOf } from './features/spending/read-card.js';
import { composeSpending, type SpendingSurface } from './features/spending/spending-surface.js';
import type { App } from './http/create-server.js';
import { OutboundExchange } from './http/outbound-exchange.js';
import type { OutboundFetch } from './http/outbound-fetch.js';
import type { Clock } from './lib/clock.js';
import type { SigningKey } from './lib/ed25519.js';
import { inCredentials } from './private/private-names.js';
import type { Database } from './storage/database.js';
import { loadKey } from './storage/key-file.js';
import type { MeshFolder } from './storage/mesh-folder.js';
import { SecretFile } from './storage/secret-file.js';

export interface MoneyParts {
  app: App;
  config: Pick<Config, 'networkAddresses'>;
  database: Database;
  folder: Pick<MeshFolder, 'credentials'>;
  bus: Bus;
  clock: Clock;
  /** Whether new secrets may be written into the credentials folder. */
  mayWriteSecrets: () => Promise<boolean>;
  /** Returns the score that decides about credit for the agent to which a key is bound; null without one. */
  creditOf: (pubkey: string) => number | null;
  /** Registered agents that can be called. */
  directory: AgentDirectory;
  /** Fetches JSON that agents serve. */
  outbound: OutboundFetch;
  /** `host:port` of the loopback endpoints that may be called. */
  loopback: () => ReadonlySet<string>;
  /** The key that signs calls and reports. */
  identity: SigningKey;
  /** This daemon's own address, available when it listens. */
  address: () => string;
}

export interface MoneySurfaces {
  walletKeys: WalletKeys;
  till: Till;
  spending: SpendingSurface;
  /** Starts the work that requires a listening daemon. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Composes networks and wallets, payments to hosted agents and payments by this daemon, with their routes. The code of
 * a chain is loaded at its first use.
 */
export async function composeMoney(parts: MoneyParts): Promise<MoneySurfaces> {
  const { app, config, database, folder, bus, clock, mayWriteSecrets } = parts;
  const local = new LocalNetwork(new LocalLedger(database), clock);
  const configured = config.networkAddresses.map(
    ([network, address]) => new RpcChain(network, new RpcEndpoint(network, address, clock), clock),
  );
  const chains = new KnownChains(new LocalChain(local), configured);
  const walletKeys = new WalletKeys(new SecretFile(inCredentials(folder.credentials, 'wallets.json')), mayWriteSecrets);
  const transfers = new WalletTransfersStore(database);
  const wallets = new Wallets({ keys: walletKeys, chains, local, store: transfers, bus, clock });
  chainRoutes(app, localRpcMethods(local));
  walletsRoutes(app, wallets);

  const till = new Till({
    database,
    chains,
    clock,
    bus,
    secretKey: await loadKey(folder.credentials, 'till.key', () => randomBytes(32), mayWriteSecrets),
    mainAddress: async () => (await walletKeys.get()).address,
    creditOf: parts.creditOf,
    onFault: (error, id) => app.log.error({ err: error, id }, 'a paid call failed'),
    warn: (message) => app.log.warn(message),
  });
  local.onBalancesChanged((addresses) => till.noteChanged(LOCAL_NETWORK, addresses));

  const spending = composeSpending({
    app,
    database,
    bus,
    clock,
    chains,
    wallet: () => walletKeys.get(),
    directory: parts.directory,
    readCard: (url) => readCardThrough(parts.outbound, url),
    exchange: new OutboundExchange({ clock, loopback: parts.loopback }),
    signer: signerOf(parts.identity, clock),
    depositsFile: new SecretFile(inCredentials(folder.credentials, 'deposits.json')),
    mayWriteSecrets,
    bureau: parts.address,
  });
  ledgerRoutes(
    app,
    new Ledger(new TillLedger(database, clock), spending.ledger, till.journal, [new PaidByHand(transfers)]),
  );

  return {
    walletKeys,
    till,
    spending,
    async start() {
      await wallets.start();
      await till.start();
      await spending.start();
    },
    async stop() {
      await spending.stop();
      await till.stop();
    },
  };
}
