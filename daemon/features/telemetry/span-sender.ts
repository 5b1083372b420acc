import { TELEMETRY_QUEUE_MAX } from '../../contract/telemetry.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Collector } from './collector.js';
import { countSpans, type TurnRecord } from './turn-record.js';

/** Spans of one request, unless a single turn has more. */
const BATCH_SPANS = 64;
const EVERY_MS = 5_000;
const PAUSE_MAX_MS = 300_000;

interface SpanSenderParts {
  collector: Pick<Collector, 'send'>;
  /** The request body; undefined when nothing of the records is to be sent. */
  write: (records: readonly TurnRecord[]) => string | undefined;
  clock: Clock;
  onSuccess: () => void;
  onFailure: (message: string) => void;
}

/**
 * Sends the spans of turns in batches. What waits is bounded; while the collector is away it is tried again after ever
 * longer pauses, and whatever does not fit is dropped and counted. Nothing waits for it.
 */
export class SpanSender {
  sent = 0;
  dropped = 0;
  private readonly records: TurnRecord[] = [];
  private waiting = 0;
  private failures = 0;
  private cancel: (() => void) | undefined;
  private sending: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  private isStopped = false;

  constructor(private readonly parts: SpanSenderParts) {}

  /** Number of spans that wait. */
  get queued(): number {
    return this.waiting;
  }

  add(record: TurnRecord): void {
    const spans = countSpans(record);
    if (spans === 0 || this.isStopped) return;
    if (this.waiting + spans > TELEMETRY_QUEUE_MAX) {
      this.dropped += spans;
      return;
    }
    this.records.push(record);
    this.waiting += spans;
    this.schedule();
  }

  /** Sends what waits, until the collector fails or `signal` fires, and nothing after that. */
  async stop(signal: AbortSignal): Promise<void> {
    this.isStopped = true;
    this.cancel?.();
    signal.addEventListener('abort', () => this.stopping.abort(), { once: true });
    if (signal.aborted) this.stopping.abort();
    await this.sending;
    while (this.records.length > 0 && this.failures === 0 && !signal.aborted) await this.sendBatch();
  }

  private schedule(): void {
    if (this.cancel || this.sending || this.isStopped || this.records.length === 0) return;
    const isFull = this.waiting >= BATCH_SPANS && this.failures === 0;
    const pause = isFull ? 0 : Math.min(EVERY_MS * 2 ** Math.min(this.failures, 10), PAUSE_MAX_MS);
    this.cancel = this.parts.clock.after(pause, () => {
      this.cancel = undefined;
      this.sending = this.sendBatch().finally(() => {
        this.sending = undefined;
        this.schedule();
      });
    });
  }

  /** Returns the oldest records that make one request. */
  private nextBatch(): { batch: TurnRecord[]; spans: number } {
    const batch: TurnRecord[] = [];
    let spans = 0;
    for (const record of this.records) {
      if (spans > 0 && spans + countSpans(record) > BATCH_SPANS) break;
      batch.push(record);
      spans += countSpans(record);
    }
    return { batch, spans };
  }

  private async sendBatch(): Promise<void> {
    const { collector, write, onSuccess, onFailure } = this.parts;
    const { batch, spans } = this.nextBatch();
    const body = write(batch);
    const answer = body === undefined ? undefined : await collector.send('/v1/traces', body, this.stopping.signal);
    if (answer?.state === 'away') {
      this.failures += 1;
      return onFailure(answer.message);
    }
    this.failures = 0;
    this.records.splice(0, batch.length);
    this.waiting -= spans;
    if (!answer) return;
    const lost = answer.state === 'refused' ? spans : Math.min(answer.rejected, spans);
    this.sent += spans - lost;
    this.dropped += lost;
    if (lost > 0) onFailure(answer.message);
    else onSuccess();
  }
}
