import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import type { TurnUsage } from '../usage/usage-store.js';
import { Counters } from './counters.js';
import { writeDaemonMetrics } from './daemon-metrics.js';
import { LoopDelay } from './loop-delay.js';
import { MetricsText } from './metrics-text.js';

const aTurn = (over: Partial<TurnUsage> = {}): TurnUsage => ({
  ...{ at_ms: 1, turn: 1, member: 'developer', caller: 'curl', kind: 'found', latency_ms: null },
  ...{ input_tokens: null, output_tokens: null, cost_usd: null, client: 'builtin' },
  ...over,
});
const REQUEST = { method: 'GET', route: '/team', area: 'team', status: 200, ms: 1 };

function written(fill: (counters: Counters) => void): string[] {
  const counters = new Counters();
  fill(counters);
  const text = new MetricsText();
  counters.writeTo(text);
  return String(text).split('\n').slice(0, -1);
}
const samples = (lines: readonly string[], name: string) =>
  lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length));

describe('the counters', () => {
  it('tell what they count', () => {
    const lines = written((counters) => {
      counters.countRequest(REQUEST);
      counters.countTurn(aTurn({ input_tokens: 1, cost_usd: 1 }), 'answered');
    });
    expect(lines.filter((line) => line.startsWith('#'))).toEqual([
      '# HELP meshd_http_requests_total Answered requests by area of the API.',
      '# TYPE meshd_http_requests_total counter',
      '# HELP meshd_http_request_duration_seconds Time until an answer begins, by area.',
      '# TYPE meshd_http_request_duration_seconds histogram',
      '# HELP meshd_asks_total Questions and messages whose turn ended, by member.',
      '# TYPE meshd_asks_total counter',
      '# HELP meshd_turns_total Turns that ended, by outcome.',
      '# TYPE meshd_turns_total counter',
      '# HELP meshd_tokens_total Tokens that clients reported.',
      '# TYPE meshd_tokens_total counter',
      '# HELP meshd_cost_usd_total Cost in US dollars that clients reported.',
      '# TYPE meshd_cost_usd_total counter',
    ]);
    expect(written(() => undefined)).toEqual([]);
  });

  it('of requests are by area, method and status; a method that is none of HTTP is another', () => {
    const lines = written((counters) => {
      for (const method of ['GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'BREW', 'get'])
        counters.countRequest({ ...REQUEST, method });
      counters.countRequest({ ...REQUEST, area: undefined, status: 404 });
    });
    expect(samples(lines, 'meshd_http_requests_total')).toEqual([
      '{area="team",method="GET",status="200"} 2',
      ...['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(
        (one) => `{area="team",method="${one}",status="200"} 1`,
      ),
      '{area="team",method="other",status="200"} 2',
      '{area="none",method="GET",status="404"} 1',
    ]);
  });

  it('of durations are by area, each bound with those that took as long at most', () => {
    const lines = written((counters) => {
      for (const ms of [0, 1, 2, 10, 10_000, 10_001, 60_000]) counters.countRequest({ ...REQUEST, ms });
      counters.countRequest({ ...REQUEST, area: 'asks', ms: 500 });
    });
    const name = 'meshd_http_request_duration_seconds';
    const bounds = [
      '0.001',
      '0.0025',
      '0.005',
      '0.01',
      '0.025',
      '0.05',
      '0.1',
      '0.25',
      '0.5',
      '1',
      '2.5',
      '5',
      '10',
      '+Inf',
    ];
    const counts = [2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 7];
    expect(samples(lines, `${name}_bucket{area="team",`)).toEqual(
      bounds.map((bound, at) => `le="${bound}"} ${counts[at]}`),
    );
    expect(samples(lines, `${name}_sum`)[0]).toMatch(/^\{area="team"\} 80\.01[34]\d*$/);
    expect(samples(lines, `${name}_count`)).toEqual(['{area="team"} 7', '{area="asks"} 1']);
    expect(samples(lines, `${name}_sum`)[1]).toBe('{area="asks"} 0.5');
  });

  it('of turns are by member, kind, caller and outcome, with tokens and cost where they are known', () => {
    const lines = written((counters) => {
      counters.countTurn(aTurn({ caller: 'you', input_tokens: 5, output_tokens: 7 }), 'answered');
      counters.countTurn(aTurn({ caller: 'you', input_tokens: 5, cost_usd: 0.25 }), 'answered');
      counters.countTurn(aTurn({ caller: 'your tests', kind: 'failed', output_tokens: 0 }), 'failed');
      counters.countTurn(aTurn({ member: 'consultant' }), 'answered');
    });
    expect(samples(lines, 'meshd_asks_total')).toEqual([
      '{member="developer",kind="found",from="you"} 2',
      '{member="developer",kind="failed",from="tests"} 1',
      '{member="consultant",kind="found",from="program"} 1',
    ]);
    expect(samples(lines, 'meshd_turns_total')).toEqual(['{outcome="answered"} 3', '{outcome="failed"} 1']);
    expect(samples(lines, 'meshd_tokens_total')).toEqual([
      '{member="developer",type="input"} 10',
      '{member="developer",type="output"} 7',
    ]);
    expect(samples(lines, 'meshd_cost_usd_total')).toEqual(['{member="developer"} 0.25']);
  });

  it('are of two hundred members, and of the others together', () => {
    const lines = written((counters) => {
      for (let at = 0; at < 202; at += 1) counters.countTurn(aTurn({ member: `m${at}` }), 'answered');
      counters.countTurn(aTurn({ member: 'm199' }), 'answered');
    });
    const asks = samples(lines, 'meshd_asks_total');
    expect([asks.length, asks[199], asks[200]]).toEqual([
      201,
      '{member="m199",kind="found",from="program"} 2',
      '{member="others",kind="found",from="program"} 2',
    ]);
  });
});

describe('the text of a number', () => {
  it.each([
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
  ])('%s is %s', (value, text) => {
    expect(String(new MetricsText().add('gauge', 'a', 'b', [{ value }]))).toBe(
      `# HELP a b\n# TYPE a gauge\na ${text}\n`,
    );
  });

  it('stands behind its labels, and no histogram without distributions is written', () => {
    const text = new MetricsText()
      .addHistogram('none', 'None.', [])
      .add('counter', 'a_total', 'b', [{ labels: { c: 'd', e: 'f' }, value: 1 }])
      .addHistogram('h', 'H.', [{ labels: {}, bounds: [1], counts: [2, 3], sum: 9 }]);
    expect(String(text).split('\n')).toEqual([
      ...['# HELP a_total b', '# TYPE a_total counter', 'a_total{c="d",e="f"} 1', '# HELP h H.', '# TYPE h histogram'],
      ...['h_bucket{le="1"} 2', 'h_bucket{le="+Inf"} 5', 'h_sum 9', 'h_count 5', ''],
    ]);
  });
});

describe('the metrics of the daemon', () => {
  const read = (delay: ReturnType<LoopDelay['read']>) =>
    writeDaemonMetrics({
      version: '1.2.3',
      startedMs: 1_500,
      counters: new Counters(),
      telemetry: { view: () => ({ sent: 3, queued: 4, dropped: 5 }) as never },
      loopDelay: { read: () => delay } as LoopDelay,
      storeBytes: () => 6,
      connections: async () => 7,
      eventsSockets: () => 8,
      liveAsks: () => 9,
    });

  it('are each told with a help and a type', async () => {
    const lines = (await read({ p50: 0.25, p99: 0.5, max: 0.75 })).split('\n');
    const told = lines.map((line) => line.replace(/^(process_\w+_(?:bytes|total)) \d+(\.\d+)?$/, '$1 some'));
    const metric = (name: string, help: string, values: string[], type = 'gauge') => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...values.map((value) => `${name}${value}`),
    ];
    expect(told).toEqual([
      ...metric('meshd_build_info', 'The version of this daemon.', ['{version="1.2.3"} 1']),
      ...metric('process_start_time_seconds', 'When the daemon started, in seconds since 1970.', [' 1.5']),
      ...metric('process_resident_memory_bytes', 'Memory of the process.', [' some']),
      ...metric('process_cpu_seconds_total', 'Processor time of the process.', [' some'], 'counter'),
      ...metric('meshd_event_loop_delay_p50_seconds', 'Median delay of the event loop since the last reading.', [
        ' 0.25',
      ]),
      ...metric('meshd_event_loop_delay_p99_seconds', 'Its 99th percentile.', [' 0.5']),
      ...metric('meshd_event_loop_delay_max_seconds', 'The longest one.', [' 0.75']),
      ...metric('meshd_store_bytes', 'Size of the store.', [' 6']),
      ...metric('meshd_connections', 'Open connections, sockets included.', [' 7']),
      ...metric('meshd_events_sockets', 'Sockets that follow the events, as dashboards do.', [' 8']),
      ...metric('meshd_asks_live', 'Asks that wait or run.', [' 9']),
      ...metric('meshd_telemetry_queued_spans', 'Spans that wait for the collector.', [' 4']),
      ...metric(
        'meshd_telemetry_spans_total',
        'Spans by what became of them.',
        ['{result="sent"} 3', '{result="dropped"} 5'],
        'counter',
      ),
      '',
    ]);
    const cpu = Number(lines.find((line) => line.startsWith('process_cpu_seconds_total'))?.split(' ')[1]);
    const { user, system } = process.cpuUsage();
    expect(cpu).toBeGreaterThan(0);
    expect(cpu).toBeLessThanOrEqual((user + system) / 1e6);
    expect(cpu).toBeGreaterThan(((user + system) / 1e6) * 0.5);
  });

  it('leave the delay of the event loop out before it is measured', async () => {
    expect(await read(undefined)).not.toContain('event_loop');
  });
});

describe('the delay of the event loop', () => {
  it('is measured from the first reading on, until nobody reads for ten minutes', () => {
    const clock = new FakeClock();
    const delay = new LoopDelay(clock);
    expect(delay.read()).toBeUndefined();
    expect(clock.pending).toBe(1);
    clock.advance(599_999);
    delay.read();
    expect(clock.pending).toBe(1);
    clock.advance(599_999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(clock.pending).toBe(0);
    delay.read();
    delay.stop();
    expect(clock.pending).toBe(0);
    delay.stop();
  });
});
