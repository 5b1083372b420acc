import type { OutboundExchange } from '../../http/outbound/outbound-exchange.js';
import { OutboundError } from '../../http/outbound/outbound-policy.js';
import { type Clock, sleep } from '../../lib/time/clock.js';
import type { Ask } from '../asks/ask-store.js';
import type { PushConfigRow, PushConfigsStore } from './push-configs-store.js';
import type { PushSecret, PushSecrets } from './push-secrets.js';

const TOTAL_MS = 10_000;
const ANSWER_BYTES = 64 * 1024;
/** Back-off before each retry of one notification. */
const PAUSES_MS = [1_100, 5_500, 27_500];
/** Refusals for which a retry is pointless. */
const LASTING: readonly OutboundError['reason'][] = ['not_a_url', 'not_https', 'blocked_port', 'blocked_address'];

type Request = Parameters<OutboundExchange['send']>[0];

export interface PushDeliveryParts {
  store: Pick<PushConfigsStore, 'find' | 'putSent'>;
  secrets: Pick<PushSecrets, 'find'>;
  exchange: Pick<OutboundExchange, 'send'>;
  clock: Clock;
  /** Serializes a task for the given protocol version. */
  body: (ask: Ask, version: string) => Promise<{ text: string; contentType: string }>;
  warn: (message: string) => void;
}

/**
 * Sends notifications: sequentially per configuration, with at most four attempts each. Runs in the background and
 * never delays a turn.
 */
export class PushDelivery {
  private readonly waiting = new Map<string, Ask[]>();
  private readonly stopping = new AbortController();

  constructor(private readonly parts: PushDeliveryParts) {}

  /** Queues a notification of the status of `ask`, after earlier ones for the same configuration. */
  add({ request_id, config_id }: PushConfigRow, ask: Ask): void {
    if (this.stopping.signal.aborted) return;
    const key = `${request_id}/${config_id}`;
    const waiting = this.waiting.get(key);
    if (waiting) return void waiting.push(ask);
    this.waiting.set(key, [ask]);
    void this.work(key, request_id, config_id);
  }

  stop(): void {
    this.stopping.abort();
  }

  private async work(key: string, requestId: string, configId: string): Promise<void> {
    const waiting = this.waiting.get(key) ?? [];
    try {
      for (let ask = waiting[0]; ask && !this.stopping.signal.aborted; ask = waiting[0]) {
        const row = this.parts.store.find(requestId, configId);
        if (!row) return;
        if (row.sent_status !== ask.status) await this.send(row, ask);
        waiting.shift();
      }
    } catch (error) {
      this.parts.warn(
        `A push notification of ${requestId} could not be sent: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    } finally {
      this.waiting.delete(key);
    }
  }

  private async send(row: PushConfigRow, ask: Ask): Promise<void> {
    const { store, clock, warn } = this.parts;
    for (let attempt = 0; ; attempt += 1) {
      const request = await this.createRequest(row, ask);
      // The configuration was deleted meanwhile, or replaced by another one with the same id.
      if (store.find(row.request_id, row.config_id)?.seq !== row.seq) return;
      const failure = await this.attempt(request);
      if (this.stopping.signal.aborted) return;
      const pauseMs = failure?.isLasting ? undefined : PAUSES_MS[attempt];
      if (failure === undefined || pauseMs === undefined) {
        if (failure) warn(`A push notification of ${row.request_id} was given up: ${failure.said}`);
        return store.putSent(row.seq, ask.status);
      }
      await sleep(clock, pauseMs, this.stopping.signal);
      if (this.stopping.signal.aborted) return;
    }
  }

  private async createRequest(row: PushConfigRow, ask: Ask): Promise<Request> {
    const { text, contentType } = await this.parts.body(ask, row.version);
    const secret = await this.parts.secrets.find(`${row.request_id}/${row.config_id}`);
    const headers = { 'content-type': contentType, ...createHeaders(secret) };
    return { method: 'POST', url: row.url, headers, body: text, totalMs: TOTAL_MS, maxBytes: ANSWER_BYTES };
  }

  /** Undefined when the receiver accepted the notification. */
  private async attempt(request: Request): Promise<{ said: string; isLasting: boolean } | undefined> {
    try {
      const { status } = await this.parts.exchange.send(request, this.stopping.signal);
      return status >= 200 && status < 300
        ? undefined
        : { said: `its receiver answered ${status}.`, isLasting: status === 410 };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { said: error.message, isLasting: LASTING.includes(error.reason) };
    }
  }
}

function createHeaders({ token, scheme, credentials }: PushSecret = {}): Record<string, string> {
  return {
    ...(token === undefined ? {} : { 'x-a2a-notification-token': token }),
    ...(scheme === undefined || credentials === undefined ? {} : { authorization: `${scheme} ${credentials}` }),
  };
}
