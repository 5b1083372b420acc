import { describe, expect, it } from 'vitest';
import { begin, ended, events, postMessage } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { MetricsText } from './metrics-text.js';

interface Metric {
  type: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\[\\\\n"])*)"';
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{((?:${LABEL},)*${LABEL})\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|NaN|[+-]Inf)$`,
);

/** Parses the text format 0.0.4 and throws for whatever Prometheus would refuse or a linter would report. */
function parse(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>();
  expect(text.endsWith('\n')).toBe(true);
  let name = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${NAME}) (\\S.*)$`).exec(line);
    const type = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`).exec(line);
    const sample = SAMPLE.exec(line);
    if (help) {
      name = help[1] ?? '';
      if (metrics.has(name)) throw new Error(`twice: ${name}`);
      metrics.set(name, { type: '', samples: [] });
    } else if (type) {
      if (type[1] !== name) throw new Error(`TYPE of another metric: ${line}`);
      if ((type[2] === 'counter') !== name.endsWith('_total')) throw new Error(`name of a counter: ${name}`);
      (metrics.get(name) as Metric).type = type[2] ?? '';
    } else if (sample) {
      const metric = metrics.get(name) as Metric;
      const [, whole = '', labels = '', , , , , value] = sample;
      const ending = whole.slice(name.length);
      const isOwn = metric.type === 'histogram' ? /^_(bucket|sum|count)$/.test(ending) : ending === '';
      if (!whole.startsWith(name) || !isOwn) throw new Error(`sample of another metric: ${line}`);
      const found = Object.fromEntries([...labels.matchAll(new RegExp(LABEL, 'g'))].map((one) => [one[1], one[2]]));
      if (
        metric.samples.some((other) => other.name === whole && JSON.stringify(other.labels) === JSON.stringify(found))
      )
        throw new Error(`twice: ${line}`);
      metric.samples.push({ name: whole, labels: found, value: Number(value?.replace('Inf', 'Infinity')) });
    } else throw new Error(`neither comment nor sample: ${line}`);
  }
  return metrics;
}

async function readMetrics(app: TestApp): Promise<Map<string, Metric>> {
  const { status, headers, text } = await app.call('GET', '/metrics');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parse(text);
}

const valuesOf = (metrics: Map<string, Metric>, name: string, labels: Record<string, string> = {}) =>
  metrics
    .get(name)
    ?.samples.filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .map(({ value }) => value);

describe('GET /metrics', () => {
  it('counts requests, asks, turns and tokens, and tells sizes', async () => {
    const agent = new ScriptedAgent('claude-code', async function* () {
      yield { type: 'usage', usage: { input_tokens: 120, output_tokens: 30, cost_usd: 0.25 } };
      yield* answers('done');
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const client = await events(app);
    await ended(client, (await postMessage(app, conv, 'hello')).turn);
    const { request_id } = await app.ask('consultant', { text: 'Which port?' });
    await app.poll('consultant', request_id, 10);
    await app.call('GET', '/no/such/route');
    const metrics = await readMetrics(app);
    expect(
      valuesOf(metrics, 'meshd_http_requests_total', { area: 'conversations', method: 'POST', status: '201' }),
    ).toEqual([1]);
    expect(valuesOf(metrics, 'meshd_http_requests_total', { area: 'none', status: '404' })).toEqual([1]);
    expect(valuesOf(metrics, 'meshd_asks_total', { member: 'developer', kind: 'answered', from: 'you' })).toEqual([1]);
    expect(valuesOf(metrics, 'meshd_asks_total', { member: 'consultant', from: 'program' })).toEqual([1]);
    expect(valuesOf(metrics, 'meshd_turns_total')).toEqual([2]);
    expect(valuesOf(metrics, 'meshd_tokens_total', { member: 'developer' })).toEqual([120, 30]);
    expect(valuesOf(metrics, 'meshd_cost_usd_total', { member: 'developer' })).toEqual([0.25]);
    expect(valuesOf(metrics, 'meshd_events_sockets')).toEqual([1]);
    expect(valuesOf(metrics, 'meshd_asks_live')).toEqual([0]);
    for (const name of ['meshd_store_bytes', 'process_resident_memory_bytes', 'meshd_connections'])
      expect(valuesOf(metrics, name)?.[0], name).toBeGreaterThan(0);
    const latency = metrics.get('meshd_http_request_duration_seconds');
    const own = latency?.samples.filter(({ labels }) => labels['area'] === 'conversations');
    const buckets = own?.filter(({ name }) => name.endsWith('_bucket')).map(({ value }) => value) ?? [];
    expect(own?.find(({ name }) => name.endsWith('_count'))?.value).toBe(buckets.at(-1));
    expect([...buckets].sort((a, b) => a - b)).toEqual(buckets);
    expect(own?.filter(({ labels }) => labels['le'] === '+Inf')).toHaveLength(1);
  });

  it('measures the event loop from its first reading on', async () => {
    const app = await testApp();
    expect((await readMetrics(app)).has('meshd_event_loop_delay_p99_seconds')).toBe(false);
    // Each reading begins anew, and an interval is over after two of the histogram's ticks of 20 ms.
    const readMaximum = async () => valuesOf(await readMetrics(app), 'meshd_event_loop_delay_max_seconds')?.[0];
    await expect.poll(readMaximum, { interval: 100 }).toBeGreaterThanOrEqual(0);
  });
});

describe('the text format', () => {
  it('escapes labels and help, and leaves out a metric without samples', () => {
    const text = new MetricsText()
      .add('gauge', 'a', 'one\\two\nthree', [{ labels: { of: 'a "b" \\ \n' }, value: 1.5e-7 }])
      .add('counter', 'b_total', 'none', []);
    expect(String(text)).toBe('# HELP a one\\\\two\\nthree\n# TYPE a gauge\na{of="a \\"b\\" \\\\ \\n"} 1.5e-7\n');
    expect(parse(String(text)).get('a')?.samples[0]?.labels['of']).toBe('a \\"b\\" \\\\ \\n');
  });
});
