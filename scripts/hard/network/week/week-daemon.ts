import { join } from 'node:path';
import { BoardCommands } from '../../../../daemon/features/boards/board-commands.js';
import { BoardHistoryStore } from '../../../../daemon/features/boards/board-history-store.js';
import { BoardsStore } from '../../../../daemon/features/boards/boards-store.js';
import { PostsStore } from '../../../../daemon/features/boards/posts-store.js';
import { noCluster } from '../../../../daemon/features/clusters/cluster-access.js';
import { ClusterCommands } from '../../../../daemon/features/clusters/cluster-commands.js';
import { ClustersStore } from '../../../../daemon/features/clusters/clusters-store.js';
import { HubChannelsStore } from '../../../../daemon/features/hub/hub-channels-store.js';
import { HubCommands } from '../../../../daemon/features/hub/hub-commands.js';
import { HubContactsStore } from '../../../../daemon/features/hub/hub-contacts-store.js';
import { HubMessagesStore } from '../../../../daemon/features/hub/hub-messages-store.js';
import { HubStore } from '../../../../daemon/features/hub/hub-store.js';
import { HubTalkCommands } from '../../../../daemon/features/hub/hub-talk-commands.js';
import { SharedMembers } from '../../../../daemon/features/network/asks/shared-members.js';
import { CommandApplier } from '../../../../daemon/features/network/command-applier.js';
import { openNats } from '../../../../daemon/features/network/nats-connection.js';
import { Network } from '../../../../daemon/features/network/network.js';
import { parseNetworkFile, stringifyNetworkFile } from '../../../../daemon/features/network/network-settings.js';
import { readState } from '../../../../daemon/features/network/network-store.js';
import { SetAside } from '../../../../daemon/features/network/snapshots/set-aside.js';
import { SnapshotBucket } from '../../../../daemon/features/network/snapshots/snapshot-bucket.js';
import { RegistryCommands } from '../../../../daemon/features/registry/registry-commands.js';
import { RegistryStore } from '../../../../daemon/features/registry/registry-store.js';
import { SigningKey } from '../../../../daemon/lib/crypto/ed25519.js';
import { getErrorMessage } from '../../../../daemon/lib/errors.js';
import type { Clock } from '../../../../daemon/lib/time/clock.js';
import { createChanges } from '../../../../daemon/shared-log/embedded-log.js';
import { digestSharedTables } from '../../../../daemon/shared-log/shared-tables.js';
import { Database } from '../../../../daemon/storage/database/database.js';
import { Transactions } from '../../../../daemon/storage/database/transaction.js';
import { JsonFile } from '../../../../daemon/storage/files/json-file.js';
import { JsonStore } from '../../../../daemon/storage/files/json-store.js';
import { StreamedCopies } from '../../../../daemon/storage/files/streamed-copies.js';
import { putTemplateDatabase } from '../../../../daemon/testing/template-database.js';
import { until } from '../../drill.js';
import type { WeekClock } from './week-clock.js';

const NETWORK = 'week';
const LIMIT_MS = 600_000;
/** Of the last warnings, in an error. */
const WARNINGS_TOLD = 5;

/**
 * Lets messages and snapshots have the simulated time at which the servers took them. Must be called before any daemon
 * is made.
 */
export function simulateServers(clock: WeekClock): void {
  const { apply } = CommandApplier.prototype;
  CommandApplier.prototype.apply = function (message) {
    return apply.call(this, { ...message, timeMs: clock.simulate(message.timeMs) });
  };
  const { list } = SnapshotBucket.prototype;
  SnapshotBucket.prototype.list = async function () {
    return (await list.call(this)).map((one) => ({ ...one, storedMs: clock.simulate(one.storedMs) }));
  };
}

/** Every kind of command that daemons of a network share, over the tables of one store. */
function listKinds(database: Database) {
  const [clusters, boards] = [new ClustersStore(database), new BoardsStore(database)];
  const [history, posts, agents] = [new BoardHistoryStore(database), new PostsStore(database), new HubStore(database)];
  const requireCluster = (id: string) => {
    const cluster = clusters.find(id);
    if (!cluster) throw noCluster();
    return cluster;
  };
  const talk = {
    channels: new HubChannelsStore(database),
    contacts: new HubContactsStore(database),
    messages: new HubMessagesStore(database),
  };
  return {
    ...new ClusterCommands(clusters, (id) => boards.removeAll(id)).kinds,
    ...new BoardCommands({ boards, posts, history, requireCluster }).kinds,
    ...new HubCommands(agents).kinds,
    ...new HubTalkCommands({ agents, ...talk }).kinds,
    ...new RegistryCommands(new RegistryStore(database)).kinds,
  };
}

/** What a daemon of a network is beside its HTTP: its store, its connections, and the deciders of all shared tables. */
export class WeekDaemon {
  readonly database: Database;
  readonly warnings: string[] = [];
  private readonly transactions: Transactions;
  private readonly key = new SigningKey(SigningKey.newSeed());
  private readonly changes: ReturnType<typeof createChanges>;
  private network: Network;

  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly clock: Clock,
  ) {
    this.database = new Database(putTemplateDatabase(join(folder, 'mesh.db')));
    this.transactions = new Transactions(this.database);
    this.changes = createChanges({ database: this.database, clock, pubkey: this.key.pubkey });
    this.changes.kinds.define(listKinds(this.database));
    this.network = this.createNetwork();
  }

  get sequence(): number {
    return readState(this.database)?.sequence ?? 0;
  }

  /** Creates the network of the servers, or joins it. */
  async enter(url: string, isNew: boolean): Promise<void> {
    const entry = { url, network: NETWORK, name: this.name };
    if (isNew) await this.network.create(entry);
    else await this.network.join(entry);
  }

  /** Leaves the network for good. */
  async leave(): Promise<void> {
    await this.network.leave();
  }

  /** Takes back the newest of the data that were set aside. */
  async restore(): Promise<void> {
    const [newest] = (await this.network.copies()).copies;
    if (!newest) throw new Error('Nothing was set aside.');
    await this.network.restore({ copy: newest.name });
  }

  /** Ends the daemon; its store stays. */
  stop(): Promise<void> {
    return this.network.stop();
  }

  /** Starts it again, in the network that it had joined. */
  async restart(): Promise<void> {
    this.network = this.createNetwork();
    await this.network.load();
    this.network.start();
  }

  /** Resolves once every message up to `sequence` is applied here. */
  async reach(sequence: number): Promise<void> {
    const what = `${this.name} applies message ${sequence}`;
    await until(
      what,
      LIMIT_MS,
      () => this.sequence,
      (reached) => reached >= sequence,
    ).catch((error: unknown) => {
      const warned = this.warnings.slice(-WARNINGS_TOLD).join(' | ') || 'nothing';
      throw new Error(`${getErrorMessage(error)} It is at ${this.sequence} and warned of: ${warned}`);
    });
  }

  async submit<Result>(kind: string, entity: string, body: Record<string, unknown>): Promise<Result> {
    return this.changes.log.submit<Result>(kind, entity, body);
  }

  async refusedCount(): Promise<number> {
    return (await this.network.status()).refused;
  }

  digest = (): string => digestSharedTables(this.database);

  private createNetwork(): Network {
    const { database, transactions, clock, key, folder, changes, warnings } = this;
    const settings = new JsonStore(new JsonFile(join(folder, 'network.json'), 0o600), {
      parse: parseNetworkFile,
      stringify: stringifyNetworkFile,
    });
    const { kinds, log } = changes;
    return new Network({
      ...{ database, transactions, clock, key, kinds, settings, openNats },
      members: new SharedMembers({ settings, project: this.name }),
      selected: log,
      setAside: new SetAside({
        ...{ database, transactions, clock, kinds, key },
        copies: new StreamedCopies(join(folder, 'copies'), '.jsonl.gz'),
      }),
      files: new StreamedCopies(join(folder, 'copies'), '.snapshot'),
      credentials: { read: async () => undefined, write: async () => undefined },
      mayWriteSecrets: async () => false,
      project: this.name,
      onReady: () => undefined,
      warn: (message) => void warnings.push(message),
    });
  }
}
