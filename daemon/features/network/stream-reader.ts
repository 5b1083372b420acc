import type { Consumer, ConsumerMessages, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import { type Clock, sleep } from '../../lib/time/clock.js';
import type { StreamMessage } from './command-envelope.js';

const BATCH = 256;
/** How long one fetch waits for messages. */
const FETCH_MS = 5_000;
/**
 * The servers say when a fetch has ended, except that those before 2.9.15 may forget it where a message arrives at that
 * moment (nats-server, pull request 3942). It is ended here when it is this late.
 */
const OVERDUE_MS = FETCH_MS + 500;
/** Where this process or the machine stood still meanwhile, what has arrived is read in this time. */
const GRACE_MS = 500;
const RETRY_MS = 500;
const NANOS_PER_MS = 1_000_000;
/** The server removes the consumer of a daemon that does not fetch for this long. */
const INACTIVE_MS = 3_600_000;

interface ReaderParts {
  manager: JetStreamManager;
  stream: string;
  /** The name of this daemon's consumer. */
  durable: string;
  clock: Clock;
  /** Returns the sequence after which to read: the next message exists. Called whenever the consumer is created. */
  begin: () => Promise<number>;
  /** Called in the order of the stream, without waiting for the earlier calls. A rejection begins again. */
  apply: (message: StreamMessage) => Promise<unknown>;
  /** Returns a promise to await before the next message is applied, while applying is paused. */
  pause: () => Promise<void> | undefined;
  /** A failure after which reading begins again; return false to end it. */
  onFailure: (error: unknown) => boolean;
}

/** Why reading begins again although nothing failed: a message is missing, or the connection came back. */
class BeginAgainError extends Error {}

/**
 * Reads the stream in order through a durable pull consumer, for as long as it is not stopped. The store knows what is
 * applied, the consumer does not: it is created anew from there after every failure, and when a message was lost.
 */
export class StreamReader {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private messages: ConsumerMessages | undefined;
  private last = 0;

  constructor(private readonly parts: ReaderParts) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Creates the consumer anew, for example after the connection came back. */
  restart(): void {
    this.messages?.stop(new BeginAgainError('the connection was replaced'));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.messages?.stop();
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock, onFailure } = this.parts;
    const { signal } = this.stopping;
    let consumer: Consumer | undefined;
    while (!signal.aborted) {
      try {
        consumer ??= await this.createConsumer();
        await this.fetch(consumer);
      } catch (error) {
        consumer = undefined;
        if (signal.aborted) return;
        if (!(error instanceof BeginAgainError) && !onFailure(error)) return;
        await sleep(clock, RETRY_MS, signal);
      }
    }
  }

  private async createConsumer(): Promise<Consumer> {
    const { manager, stream, durable, begin } = this.parts;
    this.last = await begin();
    await manager.consumers.delete(stream, durable).catch(() => undefined);
    await manager.consumers.add(stream, {
      durable_name: durable,
      ack_policy: 'all',
      deliver_policy: 'by_start_sequence',
      opt_start_seq: this.last + 1,
      inactive_threshold: INACTIVE_MS * NANOS_PER_MS,
      max_ack_pending: 4 * BATCH,
    });
    return manager.jetstream().consumers.get(stream, durable);
  }

  private async fetch(consumer: Consumer): Promise<void> {
    const { clock, apply, pause } = this.parts;
    const messages = await consumer.fetch({ max_messages: BATCH, expires: FETCH_MS });
    this.messages = messages;
    if (this.stopping.signal.aborted) messages.stop();
    let isOverdue = false;
    const end = () => {
      isOverdue = true;
      messages.stop();
    };
    let cancel = clock.after(OVERDUE_MS, () => {
      cancel = clock.after(GRACE_MS, end);
    });
    const applying: Promise<unknown>[] = [];
    let newest: JsMsg | undefined;
    try {
      for await (const message of messages) {
        this.checkOrder(message);
        await pause();
        const applied = apply(toStreamMessage(message));
        // Ends the fetch. The error itself is thrown below.
        applied.catch(() => messages.stop());
        applying.push(applied);
        newest = message;
      }
    } finally {
      cancel();
      this.messages = undefined;
      // Each rejection is of the first failed message or follows from it.
      await Promise.all(applying);
    }
    newest?.ack();
    if (isOverdue) await this.checkDelivered(consumer);
  }

  /** Nothing was sent to a fetch that was ended here which did not arrive. */
  private async checkDelivered(consumer: Consumer): Promise<void> {
    const { delivered } = await consumer.info().catch((error: unknown) => {
      if ((error as Error).name !== 'TimeoutError') throw error;
      throw new Error('the servers did not answer a request for changes', { cause: error });
    });
    if (delivered.stream_seq > this.last) throw new BeginAgainError(`message ${this.last + 1} did not arrive`);
  }

  /** No message is missing: what was erased meanwhile is in a snapshot, which `begin` loads. */
  private checkOrder({ seq }: JsMsg): void {
    if (seq <= this.last) return;
    if (seq !== this.last + 1) throw new BeginAgainError(`message ${this.last + 1} is missing`);
    this.last = seq;
  }
}

const toStreamMessage = (message: JsMsg): StreamMessage => ({
  sequence: message.seq,
  subject: message.subject,
  data: message.data,
  timeMs: Number(message.timestampNanos / BigInt(NANOS_PER_MS)),
});
