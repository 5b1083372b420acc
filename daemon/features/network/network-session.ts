import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { within } from '../../lib/async/within.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { getErrorMessage } from '../../lib/errors.js';
import { type Clock, every } from '../../lib/time/clock.js';
import type { CommandKinds } from '../../shared-log/command-kinds.js';
import type { Database } from '../../storage/database/database.js';
import type { Transactions } from '../../storage/database/transaction.js';
import { AskService } from './asks/ask-service.js';
import type { SharedMembers } from './asks/shared-members.js';
import { type Applied, CommandApplier } from './command-applier.js';
import { toBase64Url } from './command-envelope.js';
import { eraseMessages, findStream, toStreamName } from './command-stream.js';
import type { PeerFrames } from './frames/peer-frames.js';
import { JetStreamLog } from './jetstream-log.js';
import type { JoinedNetwork } from './network-settings.js';
import { findDaemonByKey, listDaemons, readState, setSnapshotSequence } from './network-store.js';
import { NetworkSnapshots } from './snapshots/network-snapshots.js';
import { countSharedRows } from './snapshots/shared-state.js';
import { SnapshotBucket, type StoredSnapshot } from './snapshots/snapshot-bucket.js';
import { SnapshotSchedule } from './snapshots/snapshot-schedule.js';

const INFO_MS = 2_000;
const CLOSE_MS = 3_000;
/** How often a daemon that the network does not list yet registers itself. */
const REGISTER_MS = 20_000;
const LOOK_MS = 3_600_000;
/**
 * With the hour until the look that finds it, and another one until what it replaces is erased: what was deleted is
 * gone from the servers after a day.
 */
const SNAPSHOT_AGE_MS = 21 * LOOK_MS;
/** How long a daemon may take to store a snapshot, or to load one that is no longer the newest. */
const LOADING_MS = LOOK_MS / 2;

export interface SessionParts {
  database: Database;
  transactions: Transactions;
  /** The identity of this daemon. */
  key: SigningKey;
  clock: Clock;
  kinds: CommandKinds;
  warn: (message: string) => void;
  /** Called when changes are taken: once the network has registered this daemon, and after a restore. */
  onReady: () => void;
  /** The members of this daemon that others see and may ask. */
  members: SharedMembers;
  files: ConstructorParameters<typeof NetworkSnapshots>[0]['files'];
  /** The messages between daemons that are not stored. */
  frames: Pick<PeerFrames, 'open' | 'close' | 'announceSoon' | 'find'>;
}

/** The connections of a session to the servers. */
export interface Connections {
  connection: NatsConnection;
  /** Opens another connection, for frames. */
  openForFrames: () => Promise<NatsConnection>;
}

/** A connection to the servers of one network, and what runs on it. */
export class NetworkSession {
  readonly log: JetStreamLog;
  private readonly asks: AskService;
  private readonly snapshots: NetworkSnapshots;
  private readonly schedule: SnapshotSchedule;
  private readonly cancels: (() => void)[] = [];
  private isRegistered = false;
  private hasFrames = false;
  private isClosed = false;
  private snapshotting: Promise<void> | undefined;

  private constructor(
    private readonly parts: SessionParts,
    private readonly joined: JoinedNetwork,
    private readonly connections: Connections,
    private readonly manager: JetStreamManager,
    jetstream: typeof import('@nats-io/jetstream').jetstream,
  ) {
    const { database, key, clock, warn, kinds, transactions, files } = parts;
    const { connection } = connections;
    const { network } = joined;
    const client = jetstream(connection);
    this.snapshots = new NetworkSnapshots({
      ...{ database, transactions, kinds, network, key, files },
      warn: (message) => this.warnWhileOpen(message),
      openBucket: async () => {
        const replicas = (await findStream(manager, network))?.config.num_replicas ?? 1;
        return SnapshotBucket.open(client, network, replicas);
      },
      eraseCommands: (sequence) => eraseMessages(manager, toStreamName(network), sequence),
    });
    this.schedule = new SnapshotSchedule(() => countSharedRows(database));
    this.log = new JetStreamLog({
      ...{ connection, manager, network, key, database, clock, warn, kinds, client },
      applier: new CommandApplier({ ...parts, network }),
      loadSnapshot: (snapshot) => this.snapshots.load(snapshot),
      onApplied: (applied) => {
        this.considerSnapshot(applied);
        // Its messages were dropped until the command that made it a member was applied here.
        if (applied.command?.kind === 'daemon.join') parts.frames.announceSoon();
      },
    });
    this.asks = new AskService({
      ...{ connection, network, key, clock, members: parts.members, warn },
      self: () => this.daemon,
      findDaemon: (other) => findDaemonByKey(database, other),
    });
  }

  /** Opens a session over connections, which it closes with itself. The store must be set to the network. */
  static async open(parts: SessionParts, joined: JoinedNetwork, connections: Connections): Promise<NetworkSession> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
    const manager = await jetstreamManager(connections.connection, { checkAPI: false });
    const session = new NetworkSession(parts, joined, connections, manager, jetstream);
    session.log.start();
    session.asks.start();
    session.cancels.push(
      every(parts.clock, REGISTER_MS, () => void session.register()),
      every(parts.clock, LOOK_MS, () => void session.renewSnapshot()),
    );
    return session;
  }

  /** The id of this daemon in the network. */
  get daemon(): string {
    const key = toBase64Url(this.parts.key.pubkey);
    return findDaemonByKey(this.parts.database, key)?.id ?? key;
  }

  get connection(): NatsConnection {
    return this.connections.connection;
  }

  get network(): string {
    return this.joined.network;
  }

  get server() {
    const { connection } = this.connections;
    const { info } = connection;
    return info && { name: info.server_name, version: info.version, address: connection.getServer() };
  }

  /**
   * Registers this daemon in the network, unless it is. While the servers cannot take that, or this daemon still catches
   * up, it is tried again later.
   */
  async register(): Promise<void> {
    const { database, key, warn } = this.parts;
    const known = findDaemonByKey(database, toBase64Url(key.pubkey));
    if (this.isRegistered && known && known.name === this.joined.name && known.left_ms === null)
      return this.openFrames();
    try {
      // Also when it is known: the answer tells that this daemon has caught up.
      await this.log.submit('daemon.join', this.daemon, { name: this.joined.name });
    } catch (error) {
      warn(`this daemon could not register itself in the network: ${getErrorMessage(error)}`);
      return;
    }
    this.asks.start();
    await this.openFrames();
    if (this.isRegistered) return;
    this.isRegistered = true;
    this.parts.onReady();
  }

  /** Opens the connection for frames, unless it is open. When that fails, it is tried again later. */
  private async openFrames(): Promise<void> {
    const { frames, warn } = this.parts;
    if (this.hasFrames || this.isClosed) return;
    this.hasFrames = true;
    try {
      const connection = await this.connections.openForFrames();
      if (this.isClosed) await connection.close();
      else frames.open(connection, this.joined.network);
    } catch (error) {
      this.hasFrames = false;
      warn(`the Wall of other daemons is away: ${getErrorMessage(error)}`);
    }
  }

  /** Stores a snapshot of the shared data on the servers. Rejects when they do not take it. */
  makeSnapshot(): Promise<void> {
    this.snapshotting ??= this.snapshots
      .make((work) => this.log.whilePaused(work))
      .then(() => this.snapshots.eraseReplaced(LOADING_MS))
      .finally(() => {
        this.snapshotting = undefined;
      });
    return this.snapshotting;
  }

  /** The daemon whose command makes a snapshot due is the one that makes it, and later ones while there is none. */
  private considerSnapshot({ key, sequence }: Applied): void {
    const { database, key: own } = this.parts;
    if (key !== toBase64Url(own.pubkey) || this.snapshotting) return;
    if (this.schedule.isTurn(sequence - (readState(database)?.snapshotSequence ?? 0))) void this.renewSnapshot();
  }

  /**
   * Makes a snapshot when one is due: also the first one of a network whose creator died before it could. Erases what
   * the newest one has replaced for a while.
   */
  async renewSnapshot(): Promise<void> {
    const { clock, database } = this.parts;
    try {
      const [newest] = await this.snapshots.list();
      if (!newest || this.isOutdated(newest)) await this.makeSnapshot();
      else {
        // Made by another daemon: the next one is due after it.
        setSnapshotSequence(database, newest.sequence);
        if (!this.isAnotherFirst()) await this.snapshots.eraseReplaced(LOADING_MS, clock.now());
      }
    } catch (error) {
      this.warnWhileOpen(`no snapshot of the network could be stored: ${getErrorMessage(error)}`);
    }
  }

  /** What the end of the session interrupts is done the next time. */
  private warnWhileOpen(message: string): void {
    if (!this.isClosed) this.parts.warn(message);
  }

  private isOutdated({ sequence, storedMs }: StoredSnapshot): boolean {
    const { database, clock } = this.parts;
    const count = (readState(database)?.sequence ?? 0) - sequence;
    if (this.schedule.isDue(count)) return true;
    return count > 0 && clock.now() - storedMs >= SNAPSHOT_AGE_MS && !this.isAnotherFirst();
  }

  /** Of the daemons that are present, one renews what is only old. */
  private isAnotherFirst(): boolean {
    const { daemon } = this;
    const { database, frames } = this.parts;
    return listDaemons(database).some(({ id, key }) => id < daemon && frames.find(key).isPresent);
  }

  /** Returns the servers’ description of the stream; undefined when they do not answer within two seconds. */
  stream(): Promise<StreamInfo | undefined> {
    return within(this.parts.clock, INFO_MS, findStream(this.manager, this.joined.network)).catch(() => undefined);
  }

  /** Announces that this daemon leaves, if the servers can be reached, and ends the session. */
  async leave(): Promise<void> {
    const { warn, key, frames } = this.parts;
    // First, because messages of a daemon that has left are dropped.
    await within(this.parts.clock, INFO_MS, frames.close()).catch(() => undefined);
    await this.log.submit('daemon.leave', this.daemon, {}).catch((error: Error) => {
      warn(`the network was left without telling it: ${error.message}`);
    });
    const durable = `daemon-${toBase64Url(key.pubkey)}`;
    const removed = this.manager.consumers.delete(toStreamName(this.joined.network), durable);
    await within(this.parts.clock, INFO_MS, removed).catch(() => undefined);
    await this.close();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const cancel of this.cancels.splice(0)) cancel();
    this.asks.stop();
    const stopped = this.log.stop();
    // Ends the requests that the log waits for. Without a server, the client goes on dialling for a while.
    const closed = Promise.all([this.parts.frames.close(), this.connections.connection.close(), stopped]);
    await within(this.parts.clock, CLOSE_MS, closed);
  }
}
