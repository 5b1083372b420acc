import { type Histogram, SpanKind } from '@opentelemetry/api';
import { JsonMetricsSerializer, JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  ATTR_URL_SCHEME,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_TOKEN_TYPE,
  ATTR_SERVICE_INSTANCE_ID,
  GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
  METRIC_GEN_AI_CLIENT_TOKEN_USAGE,
} from '@opentelemetry/semantic-conventions/incubating';
import type { AnsweredRequest } from '../../http/create-server.js';
import { getSpanId, getTraceId } from './trace-context.js';
import type { TurnRecord } from './turn-record.js';
import { getErrorType, getProvider, type SpanOrigin, toSpan, toSpans } from './turn-spans.js';

/** The identity of the daemon among all that report to a collector. */
interface ServiceFacts {
  version: string;
  project: string;
  /** Stays the same over restarts. */
  instance: string;
}

/** Buckets that the semantic conventions ask for, in seconds and in tokens. */
const HTTP_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const TURN_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

/** Reads the metrics when it is asked to; the daemon's clock decides when. */
class OnDemandReader extends MetricReader {
  protected async onShutdown(): Promise<void> {}
  protected async onForceFlush(): Promise<void> {}
}

const toText = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8');

/**
 * Writes spans and metrics in the OTLP/JSON form. The only module that names OpenTelemetry at run time: it is loaded
 * once telemetry is on.
 */
export class Otlp {
  private readonly origin: SpanOrigin;
  private readonly reader = new OnDemandReader();
  private readonly requests: Histogram;
  private readonly durations: Histogram;
  private readonly tokens: Histogram;

  constructor({ version, project, instance }: ServiceFacts) {
    const resource = resourceFromAttributes({
      [ATTR_SERVICE_NAME]: 'meshd',
      [ATTR_SERVICE_VERSION]: version,
      [ATTR_SERVICE_INSTANCE_ID]: instance,
      'meshd.project': project,
    });
    this.origin = { resource, scope: { name: 'meshd', version } };
    const meter = new MeterProvider({ resource, readers: [this.reader] }).getMeter('meshd', version);
    const buckets = (explicitBucketBoundaries: number[]) => ({ advice: { explicitBucketBoundaries } });
    this.requests = meter.createHistogram(METRIC_HTTP_SERVER_REQUEST_DURATION, { unit: 's', ...buckets(HTTP_SECONDS) });
    this.durations = meter.createHistogram(METRIC_GEN_AI_CLIENT_OPERATION_DURATION, {
      unit: 's',
      ...buckets(TURN_SECONDS),
    });
    this.tokens = meter.createHistogram(METRIC_GEN_AI_CLIENT_TOKEN_USAGE, { unit: '{token}', ...buckets(TOKENS) });
  }

  countRequest({ method, route, status, ms }: AnsweredRequest): void {
    this.requests.record(ms / 1_000, {
      [ATTR_HTTP_REQUEST_METHOD]: method,
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
      [ATTR_URL_SCHEME]: 'http',
      ...(status >= 500 && { [ATTR_ERROR_TYPE]: String(status) }),
      ...(route === undefined ? {} : { [ATTR_HTTP_ROUTE]: route }),
    });
  }

  countTurn(record: TurnRecord): void {
    const { client, model, startedMs, finishedMs, usage } = record;
    if (startedMs === null) return;
    const labels = {
      [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
      [ATTR_GEN_AI_PROVIDER_NAME]: getProvider(client),
      ...(model === '' ? {} : { [ATTR_GEN_AI_REQUEST_MODEL]: model }),
    };
    const type = getErrorType(record);
    const seconds = Math.max(0, finishedMs - startedMs) / 1_000;
    this.durations.record(seconds, type === undefined ? labels : { ...labels, [ATTR_ERROR_TYPE]: type });
    for (const token of ['input', 'output'] as const) {
      const count = usage?.[`${token}_tokens`];
      if (count !== undefined) this.tokens.record(count, { ...labels, [ATTR_GEN_AI_TOKEN_TYPE]: token });
    }
  }

  /** The request body for `/v1/traces`; undefined when no span is to be sent. */
  writeTurns(records: readonly TurnRecord[]): string | undefined {
    const spans = records.flatMap((record) => toSpans(this.origin, record));
    return spans.length === 0 ? undefined : toText(JsonTraceSerializer.serializeRequest(spans));
  }

  /** The request body with one span that only shows whether the collector takes it. */
  writeTest(id: string, nowMs: number): { body: string; traceId: string } {
    const identity = { traceId: getTraceId(id), spanId: getSpanId('turn', id) };
    const span = toSpan(this.origin, {
      ...{ name: 'meshd telemetry test', kind: SpanKind.INTERNAL, identity, parent: undefined },
      ...{ startMs: nowMs, endMs: nowMs, error: null, attributes: {} },
    });
    return { body: toText(JsonTraceSerializer.serializeRequest([span])), traceId: identity.traceId };
  }

  /** The request body for `/v1/metrics`. */
  async writeMetrics(): Promise<string> {
    const { resourceMetrics } = await this.reader.collect();
    return toText(JsonMetricsSerializer.serializeRequest(resourceMetrics));
  }
}
