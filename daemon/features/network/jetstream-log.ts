import { randomUUID } from 'node:crypto';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
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
import { findSequence, findStream, jetStreamCode, toStreamName } from './command-stream.js';
import { readState } from './network-store.js';
import { StreamReader } from './stream-reader.js';

/** How long a change waits for a majority of the servers, and then for being applied here. */
const SUBMIT_MS = 10_000;
/** How long one attempt waits for the acknowledgement. The next one has the same id, and is stored once. */
const ACK_MS = 2_500;
const RETRY_MS = 200;

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
  client: JetStreamClient;
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
  loadSnapshot: (snapshot: { created: string; firstSequence: number }) => Promise<void>;
  /** Called after each message, once it is durable here. */
  onApplied?: (applied: Applied) => void;
}

const unavailable = (message: string, cause?: unknown) => new MeshError('network_unavailable', message, { cause });

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
    if (this.cannotFollow !== undefined) throw unavailable(`Nothing was changed: ${this.cannotFollow}`);
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
        await client.publish(subject, message, { msgID: command.id, timeout: ACK_MS });
        return undefined;
      } catch (error) {
        if (jetStreamCode(error) !== undefined && (error as Error).name !== 'NoRespondersError')
          throw unavailable(`Nothing was changed: the servers refused it (${getErrorMessage(error)}).`, error);
        isUncertain ||= (error as Error).name !== 'NoRespondersError';
        if (this.waiting.has(command.id) && clock.elapsed() + RETRY_MS < endMs && this.isConnected) {
          await sleep(clock, RETRY_MS);
          continue;
        }
        const fate = isUncertain
          ? 'The change may still take effect: look before you send it again.'
          : 'Nothing was changed.';
        throw unavailable(`No majority of the network’s servers confirmed it. ${fate}`, error);
      }
    }
  }

  private async begin(): Promise<number> {
    const { manager, network, database, applier, loadSnapshot } = this.parts;
    const stream = await findStream(manager, network);
    if (!stream) throw new Error(`the servers have no network "${network}"`);
    const state = readState(database);
    if (state?.created !== stream.created)
      throw new CannotFollowError(`the network "${network}" was created anew: leave it, and join it again.`);
    const { created } = stream;
    const next = state.sequence + 1;
    const { first_seq: first, last_seq: last } = stream.state;
    if (state.loading !== null || next < first) await loadSnapshot({ created, firstSequence: first });
    else if (next <= last && (await findSequence(manager, toStreamName(network), { seq: next })) === undefined)
      await loadSnapshot({ created, firstSequence: next + 1 });
    return applier.restart();
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
    for await (const { type } of this.parts.connection.status()) {
      if (type === 'disconnect') this.isConnected = false;
      if (type !== 'reconnect') continue;
      this.isConnected = true;
      this.reader.restart();
    }
    this.isConnected = false;
  }
}
