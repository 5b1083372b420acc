import type { Counters } from './counters.js';
import type { LoopDelay } from './loop-delay.js';
import { MetricsText } from './metrics-text.js';
import type { Telemetry } from './telemetry.js';

interface DaemonMetricsParts {
  version: string;
  startedMs: number;
  counters: Counters;
  telemetry: Pick<Telemetry, 'view'>;
  loopDelay: LoopDelay;
  /** The size of the store, without reading its tables. */
  storeBytes: () => number;
  connections: () => Promise<number>;
  eventsSockets: () => number;
  liveAsks: () => number;
}

/** Writes the metrics of this daemon in the text format of Prometheus. Reads counters and a few sizes only. */
export async function writeDaemonMetrics(parts: DaemonMetricsParts): Promise<string> {
  const { version, startedMs, counters, telemetry, loopDelay, storeBytes, eventsSockets, liveAsks } = parts;
  const connections = await parts.connections();
  const { user, system } = process.cpuUsage();
  const delay = loopDelay.read();
  const { sent, queued, dropped } = telemetry.view();
  const text = new MetricsText();
  const gauge = (name: string, help: string, value: number) => text.add('gauge', name, help, [{ value }]);
  text.add('gauge', 'meshd_build_info', 'The version of this daemon.', [{ labels: { version }, value: 1 }]);
  gauge('process_start_time_seconds', 'When the daemon started, in seconds since 1970.', startedMs / 1_000);
  gauge('process_resident_memory_bytes', 'Memory of the process.', process.memoryUsage.rss());
  text.add('counter', 'process_cpu_seconds_total', 'Processor time of the process.', [
    { value: (user + system) / 1e6 },
  ]);
  if (delay) {
    gauge('meshd_event_loop_delay_p50_seconds', 'Median delay of the event loop since the last reading.', delay.p50);
    gauge('meshd_event_loop_delay_p99_seconds', 'Its 99th percentile.', delay.p99);
    gauge('meshd_event_loop_delay_max_seconds', 'The longest one.', delay.max);
  }
  gauge('meshd_store_bytes', 'Size of the store.', storeBytes());
  gauge('meshd_connections', 'Open connections, sockets included.', connections);
  gauge('meshd_events_sockets', 'Sockets that follow the events, as dashboards do.', eventsSockets());
  gauge('meshd_asks_live', 'Asks that wait or run.', liveAsks());
  counters.writeTo(text);
  gauge('meshd_telemetry_queued_spans', 'Spans that wait for the collector.', queued);
  text.add('counter', 'meshd_telemetry_spans_total', 'Spans by what became of them.', [
    { labels: { result: 'sent' }, value: sent },
    { labels: { result: 'dropped' }, value: dropped },
  ]);
  return String(text);
}
