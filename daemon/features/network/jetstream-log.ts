import { randomUUID } from 'node:crypto';
import type { JetStreamClient, JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ErrorCode } from '../../contract/errors.js';
import { COMMAND_SCHEMA } from '../../contract/shared/commands.js';
import { NETWORK_REFUSALS_MAX } from '../../contract/shared/network.js';
import { within } from '../../lib/async/within.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import { type Clock, sleep } from '../../lib/time/clock.js';
import type { CommandKinds } from '../../shared-log/command-kinds.js';
import type { Command, Outcome, SharedLog } from '../../shared-log/shared-log.js';
import type { Database } from '../../storage/database/database.js';
import { type Applied, type CommandApplier, isTooOld } from './command-applier.js';
import { commandSubject, type StreamMessage, signCommand, toBase64Url } from './command-envelope.js';
import {
  findSequence,
  findStream,
  getIdentity,
  jetStreamCode,
  NO_JETSTREAM,
  NO_LEADER,
  toStreamName,
} from './command-stream.js';
import { readState } from './network-store.js';
import type { SnapshotsOfStream } from './snapshots/network-snapshots.js';
import { checkPosition, LostChangesError } from './stream-position.js';
import { StreamReader } from './stream-reader.js';

/** How long a change waits for a majority of the servers, and then for being applied here. */
const SUBMIT_MS = 10_000;
/** How long one attempt waits for the acknowledgement. The next one has the same id, and is stored once. */
const ACK_MS = 2_500;
const RETRY_MS = 200;
/** How long servers that have just elected a leader may be behind this daemon. */
const LOST_MS = 30_000;
/** JetStream's code for a message that an earlier attempt sent and that waits for a majority. */
const IN_PROCESS = 10_158;
/** The client's errors for credentials that the servers refuse, at any time of a connection. */
const UNAUTHORIZED: ReadonlySet<string> = new Set(['AuthorizationError', 'UserAuthenticationExpiredError']);

/** A command of the network that was refused before its decider ran. */
interface Refusal {
  sequence: number;
  reason: string;
  message: string;
  /** The key that signed it, if any. */
  key: string | undefined;
}

interface LogParts {
  connection: NatsConnection;
  client: Pick<JetStreamClient, 'publish'>;
  manager: JetStreamManager;
  network: string;
  key: SigningKey;
  database: Pick<Database, 'sql'>;
  applier: CommandApplier;
  kinds: Pick<CommandKinds, 'applied'>;
  clock: Clock;
  warn: (message: string) => void;
  /**
   * Loads the newest snapshot of the stream, with at least the commands before number `firstSequence`. Called when the
   * stream no longer holds the next message.
   */
  loadSnapshot: (snapshots: SnapshotsOfStream) => Promise<void>;
  /** Called after each message, once it is durable here. */
  onApplied?: (applied: Applied) => void;
}

const UNCERTAIN = 'The change may still take effect: look before you send it again.';
const unavailable = (message: string, cause?: unknown) => new MeshError('network_unavailable', message, { cause });

/** Whether the servers, or the client for them, refused a message: sent again, it would be refused again. */
function isRefusal(error: unknown): boolean {
  const { name, cause } = error as { name?: string; cause?: { name?: string } };
  if (name === 'InvalidArgumentError' || cause?.name === 'PermissionViolationError') return true;
  const code = jetStreamCode(error);
  return code !== undefined && code !== IN_PROCESS;
}

/**
 * JetStream's codes that servers may also give for a message that they have stored, or that an earlier attempt stored:
 * they look at leaders, limits and their disks before they look for a message of the same id. All others are certain.
 */
const UNSETTLED: ReadonlySet<number> = new Set([503, NO_LEADER, 10_002, 10_023, 10_077, 10_118]);
const isUnsettled = (error: unknown): boolean => UNSETTLED.has(jetStreamCode(error) ?? 0);

/** A reason for which this daemon stops applying until the operator acts. */
class CannotFollowError extends Error {}

/**
 * The shared log of a network: each change is published to a JetStream stream, stored by a majority of the servers, and
 * applied by every daemon in the order of the stream. A change that cannot be stored now is refused; nothing is queued.
 */
export class JetStreamLog implements SharedLog {
  readonly isShared = true;
  private readonly waiting = new Map<string, (outcome: Outcome) => void>();
  private readonly reader: StreamReader;
  private readonly refusals: Refusal[] = [];
  private refusedCount = 0;
  private isConnected = true;
  private cannotFollow: string | undefined;
  private problem: string | undefined;
  private paused: Promise<void> | undefined;
  /** Since when the servers do not hold what is applied here. */
  private lostSinceMs: number | undefined;

  constructor(private readonly parts: LogParts) {
    const { manager, network, key, clock } = parts;
    this.reader = new StreamReader({
      manager,
      clock,
      stream: toStreamName(network),
      durable: `daemon-${toBase64Url(key.pubkey)}`,
      begin: () => this.begin(),
      apply: (message) => this.apply(message),
      pause: () => this.paused,
      onFailure: (error) => this.noteFailure(error),
    });
  }

  /** Follows the stream from the last message that was applied here. */
  start(): void {
    this.reader.start();
    void this.followConnection();
  }

  /** Stops applying. The connection is the caller's to close. */
  async stop(): Promise<void> {
    await this.reader.stop();
    for (const settle of this.waiting.values())
      settle({ ok: false, status: 503, code: 'network_unavailable', message: 'The daemon left the network or stops.' });
  }

  /** The sequence of the last message that is applied here. */
  get sequence(): number {
    return this.parts.applier.sequence;
  }

  get state() {
    const { cannotFollow, problem, isConnected, refusedCount } = this;
    return { isConnected, cannotFollow, problem, refusedCount, refusals: [...this.refusals] };
  }

  /**
   * Publishes a change and resolves with its decider's result once it is applied here. Rejects with what the decider
   * throws; with `network_unavailable` when no majority of the servers confirms it in time.
   */
  async submit<Result>(kind: string, entity: string, body: Record<string, unknown>): Promise<Result> {
    const { network, key, clock } = this.parts;
    this.requireFollowing();
    const command: Command = {
      schema: COMMAND_SCHEMA,
      id: randomUUID(),
      kind,
      entity,
      at: clock.now(),
      daemon: toBase64Url(key.pubkey),
      body,
    };
    const message = signCommand(key, network, command);
    const applied = new Promise<Outcome>((resolve) => this.waiting.set(command.id, resolve));
    try {
      const endMs = clock.elapsed() + SUBMIT_MS;
      const early = await Promise.race([this.publish(command, message, endMs), applied]);
      const outcome = early ?? (await within(clock, Math.max(1, endMs - clock.elapsed()), applied));
      if (!outcome) throw unavailable('The servers stored the change, and this daemon has not received it yet.');
      if (!outcome.ok) {
        const { code, message: reason, details = {} } = outcome;
        throw new MeshError(code as ErrorCode, reason, { details });
      }
      return outcome.result as Result;
    } finally {
      this.waiting.delete(command.id);
    }
  }

  /** Runs `work` while no message is applied here, so that it sees one state of the shared tables. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    if (this.paused) throw new Error('Applying is paused already.');
    let resume: () => void = () => undefined;
    this.paused = new Promise((resolve) => {
      resume = resolve;
    });
    try {
      await this.parts.applier.settled();
      return await work();
    } finally {
      this.paused = undefined;
      resume();
    }
  }

  private requireFollowing(): void {
    const why = this.cannotFollow ?? (this.lostSinceMs === undefined ? undefined : this.problem);
    if (why !== undefined) throw unavailable(`Nothing was changed: ${why}`);
    if (!this.isConnected || this.parts.connection.isClosed())
      throw unavailable(
        'Nothing was changed: there is no connection to the servers of the network. Reading goes on; see `meshd ' +
          'network status`.',
      );
  }

  /** Resolves with undefined once the servers have stored the message. */
  private async publish(command: Command, message: string, endMs: number): Promise<undefined> {
    const { client, network, clock } = this.parts;
    const subject = commandSubject(network, command);
    let isUncertain = false;
    for (;;) {
      try {
        const { seq } = await client.publish(subject, message, { msgID: command.id, timeout: ACK_MS });
        if (seq > 0) return undefined;
        // Servers before 2.10.20 say so of what an earlier attempt sent and no majority has stored yet.
        throw new Error('an earlier attempt is not stored yet');
      } catch (error) {
        if (isRefusal(error)) {
          const reason = getErrorMessage(error);
          throw isUncertain || isUnsettled(error)
            ? unavailable(`The servers refused it (${reason}). ${UNCERTAIN}`, error)
            : unavailable(`Nothing was changed: the servers refused it (${reason}).`, error);
        }
        isUncertain ||= (error as Error).name !== NO_JETSTREAM;
        if (this.waiting.has(command.id) && clock.elapsed() + RETRY_MS < endMs && this.isConnected) {
          await sleep(clock, RETRY_MS);
          continue;
        }
        const fate = isUncertain ? UNCERTAIN : 'Nothing was changed.';
        throw unavailable(`No majority of the network’s servers confirmed it. ${fate}`, error);
      }
    }
  }

  private async begin(): Promise<number> {
    const { manager, network, database, applier, loadSnapshot } = this.parts;
    const stream = await findStream(manager, network);
    if (!stream) throw new Error(`the servers have no network "${network}"`);
    const state = readState(database);
    const identity = getIdentity(stream);
    if (state?.identity !== identity)
      throw new CannotFollowError(`the network "${network}" was created anew: leave it, and join it again.`);
    const next = state.sequence + 1;
    const { first_seq: first, last_seq: lastSequence } = stream.state;
    if (state.loading === null) await this.requirePosition(state.sequence, stream);
    if (state.loading !== null || next < first) await loadSnapshot({ identity, firstSequence: first, lastSequence });
    else if (next <= lastSequence && (await findSequence(manager, toStreamName(network), { seq: next })) === undefined)
      await loadSnapshot({ identity, firstSequence: next + 1, lastSequence });
    return applier.restart();
  }

  /** What this daemon has applied and the servers have lost would make its data differ from those of the others. */
  private async requirePosition(sequence: number, stream: StreamInfo): Promise<void> {
    const { manager, database, network, clock } = this.parts;
    try {
      await checkPosition(manager, database, network, sequence, stream);
      this.lostSinceMs = undefined;
    } catch (error) {
      if (!(error instanceof LostChangesError)) throw error;
      const message = `the servers of the network have lost changes: ${error.message}.`;
      this.lostSinceMs ??= clock.elapsed();
      if (clock.elapsed() - this.lostSinceMs < LOST_MS) throw new Error(message);
      throw new CannotFollowError(`${message} Leave it, and join it again: what is here is set aside.`);
    }
  }

  private async apply(message: StreamMessage): Promise<void> {
    const { applier, onApplied, warn } = this.parts;
    const applied = await applier.apply(message);
    this.problem = undefined;
    if (!applied) return;
    const { refused, id, key, sequence, outcome, command } = applied;
    if (refused) {
      this.refusedCount += 1;
      this.refusals.unshift({ sequence, reason: refused.reason, message: refused.message, key });
      this.refusals.length = Math.min(this.refusals.length, NETWORK_REFUSALS_MAX);
      if (this.refusedCount <= NETWORK_REFUSALS_MAX)
        warn(`command ${sequence} of the network was refused: ${refused.message}`);
    }
    if (command && outcome.ok) await this.follow(command, outcome.result);
    if (id !== undefined) this.waiting.get(id)?.(outcome);
    onApplied?.(applied);
  }

  /** The command is applied, whatever becomes of what follows it. */
  private async follow(command: Command, result: unknown): Promise<void> {
    try {
      await this.parts.kinds.applied(command, result);
    } catch (error) {
      this.parts.warn(`what follows command ${command.kind} of the network failed: ${getErrorMessage(error)}`);
    }
  }

  private noteFailure(error: unknown): boolean {
    const { warn, applier, connection } = this.parts;
    if (connection.isClosed()) return false;
    if (isTooOld(error)) {
      this.cannotFollow =
        `this meshd is too old for the network (command ${applier.sequence + 1}: ${error.message} It is of the daemon ` +
        `${error.daemon}). Upgrade meshd; until then it shows the state before that command.`;
    } else if (error instanceof CannotFollowError) this.cannotFollow = error.message;
    const message = this.cannotFollow ?? getErrorMessage(error);
    if (message !== this.problem) warn(`the network is not followed: ${message}`);
    this.problem = message;
    return this.cannotFollow === undefined;
  }

  private async followConnection(): Promise<void> {
    for await (const status of this.parts.connection.status()) {
      if (status.type === 'disconnect') this.isConnected = false;
      if (status.type === 'error' && UNAUTHORIZED.has(status.error.name))
        this.problem =
          `the servers refuse the credentials of this daemon (${status.error.message}): meshd network join with the ` +
          'same address and --creds <file> replaces them';
      if (status.type !== 'reconnect') continue;
      this.isConnected = true;
      this.problem = undefined;
      this.reader.restart();
    }
    this.isConnected = false;
  }
}
