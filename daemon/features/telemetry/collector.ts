import { OutboundExchange } from '../../http/outbound/outbound-exchange.js';
import { OutboundError } from '../../http/outbound/outbound-policy.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import type { Clock } from '../../lib/time/clock.js';
import { loopbackOf, type SavedTelemetry } from './telemetry-settings.js';

const TOTAL_MS = 10_000;
const ANSWER_BYTES = 65_536;
const WORDS_CHARS = 200;
/** Statuses after which the same data may be sent again (OTLP/HTTP, "Retryable response codes"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const UNSUPPORTED_TYPE = 415;

/** What the collector made of one request. `away`: the same data may be sent again. */
interface CollectorAnswer {
  state: 'taken' | 'refused' | 'away';
  status: number | null;
  message: string;
  /** How many spans of the request it did not take. */
  rejected: number;
}

/** Sends OTLP/JSON to the operator's collector, under the policy for outgoing requests. */
export class Collector {
  private readonly exchange: OutboundExchange;

  constructor(
    private readonly saved: Pick<SavedTelemetry, 'address' | 'headers'>,
    clock: Clock,
  ) {
    this.exchange = new OutboundExchange({ clock, loopback: () => loopbackOf(saved.address) });
  }

  /** Never rejects. */
  async send(path: '/v1/traces' | '/v1/metrics', body: string, signal: AbortSignal): Promise<CollectorAnswer> {
    const { address, headers } = this.saved;
    try {
      const { status, json } = await this.exchange.send(
        {
          ...{ method: 'POST', url: `${address}${path}`, body, totalMs: TOTAL_MS, maxBytes: ANSWER_BYTES },
          headers: Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])),
        },
        signal,
      );
      // Some collectors take OTLP as Protobuf alone, and refuse JSON in their own words or in none.
      const words = status === UNSUPPORTED_TYPE ? 'it takes no OTLP as JSON' : this.wordsOf(json);
      if (status >= 200 && status < 300) {
        const rejected = countRejected(json);
        const some = rejected === 0 ? '' : ` It refused ${rejected} of the spans${words && `: ${words}`}.`;
        return { state: 'taken', status, message: `The collector answered ${status}.${some}`, rejected };
      }
      return {
        state: RETRYABLE.has(status) ? 'away' : 'refused',
        status,
        message: `The collector answered ${status}${words && `: ${words}`}.`,
        rejected: 0,
      };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { state: 'away', status: null, message: `${address}: ${error.message}`, rejected: 0 };
    }
  }

  /** What the collector says about a failure, without anything that was sent to it as a secret. */
  private wordsOf(json: unknown): string {
    const { message, partialSuccess } = asObject(json);
    const said = message ?? asObject(partialSuccess)['errorMessage'];
    if (typeof said !== 'string') return '';
    const clean = this.saved.headers.reduce((text, { value }) => text.replaceAll(value, '[redacted]'), said);
    return sanitizeDisplayLine(scrubSecrets(clean)).slice(0, WORDS_CHARS).trim().replace(/\.$/, '');
  }
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** OTLP/JSON writes 64-bit numbers as text. */
function countRejected(json: unknown): number {
  const count = Number(asObject(asObject(json)['partialSuccess'])['rejectedSpans'] ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
