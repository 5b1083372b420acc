import type { NatsConnection } from '@nats-io/transport-node';
import { Mutex } from 'async-mutex';
import type {
  NetworkCopies,
  NetworkCreate,
  NetworkJoin,
  NetworkMembers,
  NetworkRestore,
  NetworkStatus,
} from '../../contract/shared/network.js';
import { getErrorMessage, isMeshError, MeshError } from '../../lib/errors.js';
import { isoTime, sleep } from '../../lib/time/clock.js';
import type { SelectedLog } from '../../shared-log/selected-log.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { JsonStore } from '../../storage/files/json-store.js';
import { Colleagues } from './asks/colleagues.js';
import { toBase64Url } from './command-envelope.js';
import { deleteNetwork, type FoundNetwork, findNetwork } from './find-network.js';
import { PeerFrames } from './frames/peer-frames.js';
import { parseNatsAddress } from './nats-address.js';
import { checkCredentials, type OpenNats } from './nats-connection.js';
import { type Connections, NetworkSession, type SessionParts } from './network-session.js';
import type { JoinedNetwork, NetworkFile } from './network-settings.js';
import { describeSession, type SessionStatus } from './network-status.js';
import {
  bindDaemon,
  clearNetwork,
  findDaemonByKey,
  leaveNetwork,
  listDaemons,
  ownEverything,
  putState,
  readState,
  setDaemonName,
} from './network-store.js';
import type { SetAside } from './snapshots/set-aside.js';

const RECONNECT_MS = 2_000;

interface NetworkParts extends Omit<SessionParts, 'frames'> {
  /** Decides where changes of shared data go. */
  selected: Pick<SelectedLog, 'select'>;
  /** Keeps the shared data of this daemon before those of a network replace them. */
  setAside: Pick<SetAside, 'keep' | 'restore' | 'list' | 'check'>;
  settings: JsonStore<NetworkFile>;
  /** The `.creds` file of the network. */
  credentials: {
    read(): Promise<string | undefined>;
    /** Undefined removes it. */
    write(text: string | undefined): Promise<void>;
  };
  /** Whether new secrets may be written; false while Git tracks secrets of the project. */
  mayWriteSecrets: () => Promise<boolean>;
  openNats: OpenNats;
  /** The name of the project. */
  project: string;
}

/** What the store follows while a copy is restored: no network has that name. */
const RESTORING = '';
const OFF: SessionStatus = { server: null, lag: null, replicas: null, fsync: null, promise: null };

/**
 * The network of this daemon: a stream on NATS servers that all daemons of a team follow. Without one, the shared data
 * is this daemon's alone. Every connection goes out; the daemon listens to nobody.
 */
export class Network {
  private readonly mutex = new Mutex();
  private readonly stopping = new AbortController();
  private session: NetworkSession | undefined;
  private connecting: Promise<void> | undefined;
  private problem: string | undefined;
  /** The credentials that have replaced those of the connections. */
  private renewed: string | undefined;
  /** Why the settings cannot be read. Until the operator acts, no shared data is changed. */
  private broken: string | undefined;

  /** The members that other daemons share, and the asks of them. */
  readonly colleagues: Colleagues;
  /** The messages between daemons of the network that are not stored. */
  readonly frames: PeerFrames;
  private readonly sessionParts: SessionParts;

  constructor(private readonly parts: NetworkParts) {
    const { key, clock, database, members } = parts;
    const isMember = (other: string) => findDaemonByKey(database, other)?.left_ms === null;
    this.frames = new PeerFrames({ key, clock, isMember, show: () => members.show() });
    this.sessionParts = { ...parts, frames: this.frames };
    this.colleagues = new Colleagues({
      ...this.sessionParts,
      requireSession: () => this.requireSession(),
      findSession: () => this.session,
    });
  }

  /** Reads whether this daemon is in a network. From then on, changes go there. Must be called before any change. */
  async load(): Promise<void> {
    const { settings, warn, selected } = this.parts;
    try {
      await settings.load();
    } catch (error) {
      this.broken = getErrorMessage(error);
      warn(`the network is not followed: ${this.broken}`);
    }
    if (this.broken !== undefined || settings.data.joined) selected.select(this.log);
    else await this.finishRestore();
  }

  /** Connects in the background to the network that was joined; the daemon starts without waiting for it. */
  start(): void {
    const { joined } = this.parts.settings.data;
    if (joined) this.connecting = this.connect(joined);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.colleagues.end();
    await this.connecting;
    await this.mutex.runExclusive(async () => {
      await this.session?.close();
      this.session = undefined;
    });
  }

  /** Changes while this daemon is in a network: refused with `network_unavailable` until it is connected. */
  private readonly log: SharedLog = {
    isShared: true,
    submit: <Result>(kind: string, entity: string, body: Record<string, unknown>): Promise<Result> => {
      if (this.session) return this.session.log.submit<Result>(kind, entity, body);
      const why = this.broken ?? this.problem ?? 'this daemon is not connected to its network yet';
      throw new MeshError(
        'network_unavailable',
        `Nothing was changed: ${why}. Reading goes on; see meshd network status.`,
      );
    },
  };

  /**
   * Creates a network on the servers and joins it. Throws `slug_taken` when they have one of that name, and like `join`.
   */
  create(body: NetworkCreate): Promise<NetworkStatus> {
    return this.enter(body, { mustBeNew: true });
  }

  /**
   * Joins a network of the servers; without a name, their only one. Durable when it resolves. In that network already,
   * it replaces its credentials, and nothing else. Throws `bad_request` for
   * an address without TLS beyond this machine, `not_found` without such a network, `forbidden` for refused credentials,
   * and `network_unavailable` when no server answers.
   */
  join(body: NetworkJoin): Promise<NetworkStatus> {
    return this.enter(body, { mustBeNew: false });
  }

  /**
   * Leaves the network. What was shared stays in this store; what was set aside returns when the data of the network
   * were not complete yet. Throws `not_found` without a network.
   */
  leave(): Promise<NetworkStatus> {
    return this.mutex.runExclusive(async () => {
      const { settings, database } = this.parts;
      if (!settings.data.joined) throw new MeshError('not_found', 'This daemon is in no network.');
      this.colleagues.end();
      await this.session?.leave();
      this.session = undefined;
      this.problem = undefined;
      if (readState(database)?.loading != null) await this.returnCopy();
      await this.forget();
      return this.status();
    });
  }

  /** The shared data that were set aside before others replaced them, the newest first. */
  async copies(): Promise<NetworkCopies> {
    const copies = await this.parts.setAside.list();
    return { copies, count: copies.length };
  }

  /**
   * Replaces the shared data by a copy, and sets aside what it replaces. A restore that was cut off is finished by the
   * next start. Throws `bad_request` in a network or for a copy that cannot be used, `not_found` without it.
   */
  restore({ copy }: NetworkRestore): Promise<NetworkCopies> {
    return this.mutex.runExclusive(async () => {
      const { settings, selected, setAside } = this.parts;
      if (this.broken !== undefined) throw new MeshError('store_readonly', this.broken);
      const { joined } = settings.data;
      if (joined)
        throw new MeshError(
          'bad_request',
          `This daemon is in the network "${joined.network}", whose data it follows: leave it first (meshd ` +
            'network leave).',
        );
      await setAside.check(copy);
      this.problem = 'a copy of the shared data is being restored';
      selected.select(this.log);
      try {
        await setAside.keep('restore');
        await this.replaceBy(copy);
      } finally {
        this.problem = undefined;
        selected.select(undefined);
      }
      this.parts.onReady();
      return this.copies();
    });
  }

  async status(): Promise<NetworkStatus> {
    const { settings, key, database } = this.parts;
    const { joined } = settings.data;
    const { session } = this;
    const state = session?.log.state;
    const sequence = readState(database)?.sequence ?? 0;
    const described = session ? await describeSession(session, sequence) : OFF;
    const problem = this.broken ?? state?.cannotFollow ?? state?.problem ?? this.problem ?? null;
    return {
      state: this.stateOf(described),
      network: joined?.network ?? null,
      url: joined?.url ?? null,
      daemon: session?.daemon ?? toBase64Url(key.pubkey),
      sequence,
      ...described,
      problem: joined || this.broken !== undefined ? problem : null,
      refused: state?.refusedCount ?? 0,
      frames: this.frames.counts,
      refusals: (state?.refusals ?? []).map(({ key: signer, ...refusal }) => ({ ...refusal, key: signer ?? null })),
    };
  }

  members(): NetworkMembers {
    const self = this.session?.daemon;
    const members = listDaemons(this.parts.database).map((daemon) => {
      const { isPresent, lastSeenMs } = this.frames.find(daemon.key);
      return {
        id: daemon.id,
        name: daemon.name,
        self: daemon.id === self,
        present: isPresent && daemon.left_ms === null,
        last_seen_at: lastSeenMs === undefined ? null : isoTime(lastSeenMs),
        joined_at: isoTime(daemon.joined_ms),
        left_at: daemon.left_ms === null ? null : isoTime(daemon.left_ms),
      };
    });
    return { members, count: members.length };
  }

  private requireSession(): NetworkSession {
    const { settings } = this.parts;
    if (this.broken === undefined && !settings.data.joined)
      throw new MeshError('not_found', 'This daemon is in no network: join one first (meshd network join).');
    const { session } = this;
    if (session?.log.state.isConnected) return session;
    const why = this.broken ?? session?.log.state.problem ?? this.problem ?? 'this daemon is not connected to it';
    throw new MeshError(
      'network_unavailable',
      `No member of another daemon can be asked: ${why}. See meshd network status.`,
    );
  }

  /** Half of the network's data would remain. Who created the network has no copy, and can leave it all the same. */
  private async returnCopy(): Promise<void> {
    const { setAside, warn, kinds } = this.parts;
    try {
      await setAside.restore();
    } catch (error) {
      warn(`the network is left with what was loaded of its data: ${getErrorMessage(error)}`);
      await kinds.replaced().catch(() => undefined);
    }
  }

  /** From the first transaction to the last, the store is marked as incomplete. */
  private async replaceBy(copy: string): Promise<void> {
    const { transactions, setAside } = this.parts;
    await transactions.run((transaction) =>
      putState(transaction, { network: RESTORING, identity: '', sequence: 0, loading: copy }),
    );
    await setAside.restore(copy);
    await transactions.run((transaction) => clearNetwork(transaction));
  }

  private async finishRestore(): Promise<void> {
    const state = readState(this.parts.database);
    if (state?.network === RESTORING && state.loading !== null) await this.replaceBy(state.loading);
  }

  private stateOf({ lag }: SessionStatus): NetworkStatus['state'] {
    if (this.broken !== undefined) return 'stopped';
    if (!this.parts.settings.data.joined) return 'off';
    const state = this.session?.log.state;
    if (state?.cannotFollow !== undefined) return 'stopped';
    if (!state?.isConnected || lag === null) return 'connecting';
    return lag > 0 ? 'catching_up' : 'following';
  }

  private enter(body: NetworkJoin, { mustBeNew }: { mustBeNew: boolean }): Promise<NetworkStatus> {
    return this.mutex.runExclusive(async () => {
      const { settings, credentials, clock, mayWriteSecrets, project } = this.parts;
      await settings.load();
      const { joined: own } = settings.data;
      const isSame = own?.url === body.url && (body.network ?? own.network) === own.network;
      const isRenewal = !mustBeNew && isSame && body.credentials !== undefined;
      if (own && !isRenewal)
        throw new MeshError(
          'bad_request',
          `This daemon is in the network "${own.network}": leave it first (meshd network leave).`,
        );
      if (body.credentials !== undefined && !(await mayWriteSecrets()))
        throw new MeshError('forbidden', 'Git tracks files of .mesh/credentials: see meshd doctor, then join.');
      if (body.credentials !== undefined) checkCredentials(body.credentials);
      if (own) return this.renewCredentials(own, body.credentials);
      const connections = await this.openConnections(body.url, body.credentials);
      const { connection } = connections;
      let created: FoundNetwork | undefined;
      try {
        const found = await findNetwork(connection, clock, body.network, mustBeNew);
        if (mustBeNew) created = found;
        await credentials.write(body.credentials);
        const joined = { url: body.url, network: found.network, name: body.name ?? project };
        await this.follow(joined, found.identity, mustBeNew);
        this.session = await NetworkSession.open(this.sessionParts, joined, connections);
        if (mustBeNew) await this.makeFirstSnapshot(this.session);
      } catch (error) {
        if (created) await this.undoCreation(connection, created);
        await (this.session ?? connection).close();
        this.session = undefined;
        await this.forget();
        throw error;
      }
      await this.session.register();
      return this.status();
    });
  }

  /** Both connections take the new credentials as soon as they are dialled again. */
  private async renewCredentials(joined: JoinedNetwork, text: string | undefined): Promise<NetworkStatus> {
    const { connection } = await this.openConnections(joined.url, text);
    await connection.close();
    await this.parts.credentials.write(text);
    this.renewed = text;
    return this.status();
  }

  private async makeFirstSnapshot(session: NetworkSession): Promise<void> {
    try {
      await session.makeSnapshot();
    } catch (error) {
      throw new MeshError(
        'network_unavailable',
        `The network was not created: the servers did not take its first snapshot (${getErrorMessage(error)}).`,
        { cause: error },
      );
    }
  }

  /** Nobody could join a network without a snapshot, or create another one of its name. */
  private async undoCreation(connection: NatsConnection, created: FoundNetwork): Promise<void> {
    try {
      await deleteNetwork(connection, created);
    } catch (error) {
      this.parts.warn(`the network "${created.network}" is left unfinished on the servers: ${getErrorMessage(error)}`);
    }
  }

  /**
   * Sets the store to the beginning of the network's stream, and sends later changes there. A network that is new
   * begins with the shared data of this store. They are replaced by those of another one, and set aside before.
   */
  private async follow(joined: JoinedNetwork, identity: string, isNew: boolean): Promise<void> {
    const { transactions, selected, settings, setAside, key, clock } = this.parts;
    const { network, name } = joined;
    selected.select(this.log);
    if (!isNew) await setAside.keep(network);
    await transactions.run((transaction) => {
      if (isNew) leaveNetwork(transaction);
      else clearNetwork(transaction);
      putState(transaction, { network, identity, sequence: 0, loading: isNew ? null : 'newest' });
      if (!isNew) return;
      const { id } = bindDaemon(transaction, toBase64Url(key.pubkey), clock.now());
      setDaemonName(transaction, id, name);
      ownEverything(transaction, id);
    });
    await settings.update(() => ({ joined, shared: [] }));
  }

  /** Sends changes to the embedded log again. Of the network only the shared data stay, and whose they are. */
  private async forget(): Promise<void> {
    const { transactions, selected, settings, credentials } = this.parts;
    await settings.update(() => ({ joined: undefined, shared: [] }));
    this.renewed = undefined;
    await credentials.write(undefined);
    await transactions.run((transaction) => leaveNetwork(transaction));
    selected.select(undefined);
  }

  /** Connects to servers, and says how a second connection is opened. Throws `bad_request` for a wrong address. */
  private async openConnections(url: string, text: string | undefined): Promise<Connections> {
    const { openNats, project } = this.parts;
    const findCredentials = () => this.renewed ?? text;
    const wanted = { address: parseNatsAddress(url), credentials: text, findCredentials, name: `meshd ${project}` };
    return { connection: await openNats(wanted), openForFrames: () => openNats({ ...wanted, echo: false }) };
  }

  private async connect(joined: JoinedNetwork): Promise<void> {
    const { credentials, clock, warn, settings } = this.parts;
    const { signal } = this.stopping;
    while (!signal.aborted && settings.data.joined === joined) {
      try {
        const connections = await this.openConnections(joined.url, await credentials.read());
        await this.mutex.runExclusive(async () => {
          if (signal.aborted || settings.data.joined !== joined) return connections.connection.close();
          this.session = await NetworkSession.open(this.sessionParts, joined, connections);
          this.problem = undefined;
        });
        void this.session?.renewSnapshot();
        void this.session?.register();
        return;
      } catch (error) {
        if (this.problem !== getErrorMessage(error)) warn(`the network is away: ${getErrorMessage(error)}`);
        this.problem = getErrorMessage(error);
        if (!isMeshError(error, 'network_unavailable') && !isMeshError(error, 'forbidden')) return;
        await sleep(clock, RECONNECT_MS, signal);
      }
    }
  }
}
