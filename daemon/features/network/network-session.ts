import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { within } from '../../lib/async/within.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, every } from '../../lib/time/clock.js';
import type { Decider } from '../../shared-log/shared-log.js';
import type { Database } from '../../storage/database/database.js';
import type { Transactions } from '../../storage/database/transaction.js';
import { CommandApplier, type Ownership } from './command-applier.js';
import { toBase64Url } from './command-envelope.js';
import { findStream, toStreamName } from './command-stream.js';
import { JetStreamLog } from './jetstream-log.js';
import type { JoinedNetwork } from './network-settings.js';
import { findDaemonByKey } from './network-store.js';
import { Presence } from './presence.js';

const INFO_MS = 2_000;
const CLOSE_MS = 3_000;
/** How often a daemon that the network does not list yet registers itself. */
const REGISTER_MS = 20_000;

export interface SessionParts {
  database: Database;
  transactions: Transactions;
  /** The identity of this daemon. */
  key: SigningKey;
  clock: Clock;
  deciders: ReadonlyMap<string, Decider>;
  ownership: (kind: string) => Ownership;
  warn: (message: string) => void;
}

/** A connection to the servers of one network, and what runs on it. */
export class NetworkSession {
  readonly log: JetStreamLog;
  readonly presence: Presence;
  private cancel: (() => void) | undefined;

  private constructor(
    private readonly parts: SessionParts,
    private readonly joined: JoinedNetwork,
    private readonly connection: NatsConnection,
    private readonly manager: JetStreamManager,
    jetstream: typeof import('@nats-io/jetstream').jetstream,
  ) {
    const { database, key, clock, warn } = parts;
    const { network } = joined;
    this.log = new JetStreamLog({
      ...{ connection, manager, network, key, database, clock, warn },
      client: jetstream(connection),
      applier: new CommandApplier({ ...parts, network }),
      loadSnapshot: () => Promise.reject(new MeshError('network_unavailable', 'the network keeps no snapshot')),
    });
    const findDaemon = (other: string) => findDaemonByKey(database, other)?.id;
    this.presence = new Presence({ connection, network, key, clock, findDaemon });
  }

  /** Opens a session over a connection, which it closes with itself. The store must be set to the network. */
  static async open(parts: SessionParts, joined: JoinedNetwork, connection: NatsConnection): Promise<NetworkSession> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const session = new NetworkSession(parts, joined, connection, manager, jetstream);
    session.log.start();
    session.presence.start();
    session.cancel = every(parts.clock, REGISTER_MS, () => void session.register());
    return session;
  }

  /** The id of this daemon in the network. */
  get daemon(): string {
    const key = toBase64Url(this.parts.key.pubkey);
    return findDaemonByKey(this.parts.database, key)?.id ?? key;
  }

  get server() {
    const { info } = this.connection;
    return info && { name: info.server_name, version: info.version, address: this.connection.getServer() };
  }

  /**
   * Registers this daemon in the network, unless it is. While the servers cannot take that, or this daemon still catches
   * up, it is tried again later.
   */
  async register(): Promise<void> {
    const { database, key, warn } = this.parts;
    const known = findDaemonByKey(database, toBase64Url(key.pubkey));
    if (known && known.name === this.joined.name && known.left_ms === null) return;
    try {
      await this.log.submit('daemon.join', this.daemon, { name: this.joined.name });
      this.presence.announce();
    } catch (error) {
      warn(`this daemon could not register itself in the network: ${(error as Error).message}`);
    }
  }

  /** Returns what the servers say of the stream; undefined when they do not answer within two seconds. */
  stream(): Promise<StreamInfo | undefined> {
    return within(this.parts.clock, INFO_MS, findStream(this.manager, this.joined.network)).catch(() => undefined);
  }

  /** Tells the network that this daemon leaves, as far as the servers can be reached, and ends the session. */
  async leave(): Promise<void> {
    const { warn, key } = this.parts;
    await this.log.submit('daemon.leave', this.daemon, {}).catch((error: Error) => {
      warn(`the network was left without telling it: ${error.message}`);
    });
    const durable = `daemon-${toBase64Url(key.pubkey)}`;
    const removed = this.manager.consumers.delete(toStreamName(this.joined.network), durable);
    await within(this.parts.clock, INFO_MS, removed).catch(() => undefined);
    await this.close();
  }

  async close(): Promise<void> {
    this.cancel?.();
    this.presence.stop();
    const stopped = this.log.stop();
    // Ends the requests that the log waits for. Without a server, the client goes on dialling for a while.
    const closed = this.connection.close().then(() => stopped);
    await within(this.parts.clock, CLOSE_MS, closed);
  }
}
