import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
}
type OtlpAttributes = { key: string; value: OtlpValue }[];

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttributes;
  status: { code: number; message?: string };
}

/** A span as the collector decoded it. `kind` 1: internal, 2: server. */
interface ReceivedSpan extends Omit<OtlpSpan, 'attributes'> {
  attributes: Record<string, string | number>;
  resource: Record<string, string | number>;
}

interface OtlpMetric {
  name: string;
  unit: string;
  histogram?: { dataPoints: { count: number | string; sum: number; attributes: OtlpAttributes }[] };
}

interface OtlpReply {
  status: number;
  body?: object;
}

interface CollectorRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const NOT_FOUND: OtlpReply = { status: 404 };

const decoded = (attributes: OtlpAttributes) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue ?? Number(value.intValue)]),
  );

/** A collector on the loopback interface that takes OTLP/JSON over real HTTP. Stopped when the test ends. */
export class OtlpCollector {
  readonly requests: CollectorRequest[] = [];
  /** The answer to each request. */
  reply: OtlpReply = { status: 200, body: {} };
  /** Whether it takes traces only, and answers 404 elsewhere. */
  hasTracesOnly = false;
  private waiters: (() => void)[] = [];
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      this.requests.push({ path: request.url ?? '', headers: request.headers, body });
      const { status, body: said } = this.hasTracesOnly && request.url !== '/v1/traces' ? NOT_FOUND : this.reply;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said ?? {}), () => {
        for (const wake of this.waiters.splice(0)) wake();
      });
    });
  });

  private constructor() {}

  static async start(port = 0): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    await new Promise<void>((resolve) => collector.server.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => collector.stop());
    return collector;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** All that was received, as text. */
  get text(): string {
    return this.requests.map(({ body }) => body).join('\n');
  }

  get spans(): ReceivedSpan[] {
    return this.bodies<{
      resourceSpans: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
    }>('/v1/traces').flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            ...span,
            attributes: decoded(span.attributes),
            resource: decoded(resource.attributes),
          })),
        ),
      ),
    );
  }

  /** The points of a histogram that were received last. */
  points(name: string): { count: number; sum: number; attributes: Record<string, string | number> }[] {
    const last = this.bodies<{ resourceMetrics: { scopeMetrics: { metrics: OtlpMetric[] }[] }[] }>('/v1/metrics').at(
      -1,
    );
    const metrics = last?.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    const points = metrics?.find((metric) => metric.name === name)?.histogram?.dataPoints ?? [];
    return points.map(({ count, sum, attributes }) => ({ count: Number(count), sum, attributes: decoded(attributes) }));
  }

  /** Resolves when `isMet` holds, which is tried after every request. */
  async until(isMet: () => boolean): Promise<void> {
    while (!isMet()) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private bodies<T>(path: string): T[] {
    return this.requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body) as T);
  }
}
