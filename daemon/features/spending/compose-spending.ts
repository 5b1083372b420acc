import type { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import { KeyedWaiters } from '../../lib/async/keyed-waiters.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import { CallsStore } from './calls-store.js';
import { Debts } from './debts.js';
import { DepositsFile, type DepositsFileStore } from './deposits-file.js';
import { type FindBureau, fileReportAt } from './file-report.js';
import { Journal, type Watcher } from './journal.js';
import { PayingClient } from './paying-client.js';
import type { PayingParts } from './paying-ports.js';
import { Spending } from './spending.js';
import { spendingRoutes } from './spending-routes.js';
import { SpentLedger } from './spent-ledger.js';
import { SpentStore } from './spent-store.js';
import { Transfers } from './transfers.js';

/** The dependencies of the paying side. */
interface PayerParts
  extends Pick<
    PayingParts,
    'clock' | 'exchange' | 'readCard' | 'directory' | 'findEndpoint' | 'chains' | 'wallet' | 'signer'
  > {
  database: Database;
  /** The file that stores the keys of prepaid balances. */
  depositsFile: DepositsFileStore;
  mayWriteSecrets: () => Promise<boolean>;
  /** The address of the bureau to file reports with; undefined if there is none. */
  bureau: (() => string) | undefined;
  /** Returns the bureau that an agent has besides, and its id there; undefined for the agents of `bureau`. */
  findBureau?: FindBureau;
  watcher: Watcher;
}

/** The components that pay. They work with or without a daemon. */
export interface Payer {
  calls: CallsStore;
  spent: SpentStore;
  journal: Journal;
  client: PayingClient;
  debts: Debts;
  deposits: DepositsFile;
}

export function composePayer(parts: PayerParts): Payer {
  const { database, clock, bureau, watcher } = parts;
  const calls = new CallsStore(database);
  const spent = new SpentStore(database);
  const journal = new Journal({ database, calls, spent, clock, watcher });
  const deposits = new DepositsFile(parts.depositsFile, parts.mayWriteSecrets, (agent) => watcher.balance(agent));
  const paying: PayingParts = {
    clock,
    exchange: parts.exchange,
    readCard: parts.readCard,
    directory: parts.directory,
    ...(parts.findEndpoint && { findEndpoint: parts.findEndpoint }),
    chains: parts.chains,
    wallet: parts.wallet,
    signer: parts.signer,
    journal,
    deposits,
    owedTo: (endpoint) => spent.owedTo(endpoint),
    listDebtsTo: (endpoint) => spent.listOwed().filter(({ agent_url }) => agent_url === endpoint),
    ...(bureau === undefined ? {} : { fileReport: fileReportAt(bureau, parts, parts.findBureau) }),
  };
  const debts = new Debts({ database, spent, transfers: new Transfers(paying), clock, watcher });
  return { calls, spent, journal, client: new PayingClient(paying), debts, deposits };
}

export interface SpendingArea {
  spending: Spending;
  ledger: SpentLedger;
  /** Loads the keys of prepaid balances (a failure is only logged), then starts `spending`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

type ComposeSpendingParts = Omit<PayerParts, 'watcher'> & {
  app: App;
  bus: Bus;
  clock: Clock;
  /** Is notified whether a called agent answered. */
  outcome: NonNullable<Watcher['outcome']>;
};

/** Builds the paying side of the daemon, with its routes and events. */
export async function composeSpending(parts: ComposeSpendingParts): Promise<SpendingArea> {
  const { app, bus, clock, database } = parts;
  const waiters = new KeyedWaiters(clock);
  const watcher: Watcher = {
    call: (call_id) => bus.publish('call.changed', { call_id }),
    payment: ({ payment_id, state, agent }) =>
      bus.publish('payment.changed', { id: payment_id, side: 'spent', state, agent }),
    balance: (agent) => bus.publish('payment.balance', { agent }),
    outcome: parts.outcome,
  };
  const payer = composePayer({ ...parts, watcher });
  const ledger = new SpentLedger({
    database,
    spent: payer.spent,
    clock,
    deposits: payer.deposits,
    changed: () => watcher.balance(null),
  });
  const onLost = (call: string, error: unknown) =>
    app.log.error({ area: 'payments', err: error, call }, 'the end of a call could not be recorded');
  const spending = new Spending({ ...payer, waiters, clock, onLost });
  await app.register(spendingRoutes, { spending });
  return {
    spending,
    ledger,
    async start() {
      await payer.deposits
        .load()
        .catch((error: unknown) =>
          app.log.warn({ area: 'payments', err: error }, 'the keys of deposits cannot be read'),
        );
      spending.start();
    },
    stop: () => spending.stop(),
  };
}
