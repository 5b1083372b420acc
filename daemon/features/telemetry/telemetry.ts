import type { TelemetrySettings, TelemetryTest, Telemetry as TelemetryView } from '../../contract/telemetry.js';
import type { Bus } from '../../events/bus.js';
import type { AnsweredRequest } from '../../http/create-server.js';
import { MeshError } from '../../lib/errors.js';
import { newTurnId } from '../../lib/ids.js';
import { type Clock, every, isoTime } from '../../lib/time/clock.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { JsonStore } from '../../storage/files/json-store.js';
import type { TurnChange } from '../conversations/turn-change.js';
import { Collector } from './collector.js';
import type { Otlp } from './otlp.js';
import { SpanSender } from './span-sender.js';
import { type SavedTelemetry, type TelemetryFile, withTelemetry } from './telemetry-settings.js';
import type { TurnRecord } from './turn-record.js';
import type { TurnRecorder } from './turn-recorder.js';

const METRICS_EVERY_MS = 60_000;
/** How long the stop of the daemon waits for the collector. */
const STOP_MS = 1_000;

interface TelemetryParts {
  store: JsonStore<TelemetryFile>;
  recorder: TurnRecorder;
  /** Loads OpenTelemetry and describes this daemon to it. */
  openOtlp: () => Promise<Otlp>;
  /** This daemon's own address. */
  address: () => string;
  /** Whether secrets of this project may be written: not while git tracks their folder. */
  mayWriteSecrets: () => Promise<boolean>;
  bus: Bus;
  clock: Clock;
  warn: (message: string) => void;
  onFault: (error: unknown) => void;
}

/** What is sent, as messages name it. A collector may take one and refuse the other. */
type Signal = 'Traces' | 'Metrics';

/** Telemetry to one address: what is on while it is sent. */
interface Active {
  saved: SavedTelemetry;
  otlp: Otlp;
  collector: Collector;
  sender: SpanSender;
  cancel: () => void;
}

/**
 * Traces and metrics by OpenTelemetry, sent to an address that the operator sets. Off until then, and nothing of
 * OpenTelemetry is loaded. Turns are recorded after their end is durable; no turn and no request ever waits for it.
 */
export class Telemetry {
  private active: Active | undefined;
  private lastSuccessMs: number | undefined;
  private lastError: { ms: number; message: string } | undefined;
  /** Why each signal is not sent at present, as it was logged. */
  private readonly failing = new Map<Signal, string>();
  private changing: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: TelemetryParts) {}

  async start(): Promise<void> {
    try {
      await this.parts.store.load();
      await this.apply();
    } catch (error) {
      // A daemon without telemetry is better than none.
      this.parts.onFault(error);
    }
  }

  /** Sends what waits, for at most a second. */
  async stop(): Promise<void> {
    const active = this.close();
    if (!active) return;
    const deadline = new AbortController();
    const cancel = this.parts.clock.after(STOP_MS, () => deadline.abort());
    await Promise.all([active.sender.stop(deadline.signal), this.sendMetrics(active, deadline.signal)]);
    cancel();
  }

  view(): TelemetryView {
    const { saved } = this.parts.store.data;
    const { sender } = this.active ?? {};
    const { lastSuccessMs, lastError } = this;
    return {
      address: saved?.address ?? null,
      content: saved?.content ?? false,
      header_names: saved?.headers.map(({ name }) => name) ?? [],
      sent: sender?.sent ?? 0,
      queued: sender?.queued ?? 0,
      dropped: sender?.dropped ?? 0,
      last_success_at: lastSuccessMs === undefined ? null : isoTime(lastSuccessMs),
      last_error: lastError ? { at: isoTime(lastError.ms), message: lastError.message } : null,
    };
  }

  /** Turns telemetry on, or changes it. Counters begin anew. Throws `bad_request`. */
  async set(settings: TelemetrySettings): Promise<TelemetryView> {
    const { store, address, mayWriteSecrets } = this.parts;
    if ((settings.headers ?? []).length > 0 && !(await mayWriteSecrets()))
      throw new MeshError(
        'forbidden',
        'git tracks .mesh/credentials: the headers would be published. Remove it from git first.',
      );
    await store.update(({ saved }) => ({ saved: withTelemetry(saved, settings, address()) }));
    await this.apply();
    return this.view();
  }

  /** Turns telemetry off and forgets the address and its headers. What waits is not sent. */
  async off(): Promise<TelemetryView> {
    await this.parts.store.update((file) => (file.saved ? { saved: undefined } : file));
    await this.apply();
    return this.view();
  }

  /** Sends one span and tells what came back. Throws `not_found` while telemetry is off. */
  async test(signal: AbortSignal): Promise<TelemetryTest> {
    const { active } = this;
    if (!active) throw new MeshError('not_found', 'Telemetry is off: set the address of a collector first.');
    const { clock } = this.parts;
    const begun = clock.elapsed();
    const { body, traceId } = active.otlp.writeTest(newTurnId(), clock.now());
    const { state, status, message, rejected } = await active.collector.send('/v1/traces', body, signal);
    const ok = state === 'taken' && rejected === 0;
    if (ok) this.succeeded('Traces');
    else this.failed('Traces', message);
    return { ok, status, message, ms: Math.round(clock.elapsed() - begun), trace_id: traceId };
  }

  /** Records a turn that ended, once that is durable. */
  follow(change: TurnChange, transaction: Transaction): void {
    const { active } = this;
    if (!active || change.kind !== 'ended') return;
    transaction.afterCommit(() => {
      try {
        const record = this.parts.recorder.record(change, active.saved.content);
        if (!record) return;
        active.otlp.countTurn(record);
        active.sender.add(record);
      } catch (error) {
        this.parts.onFault(error);
      }
    });
  }

  countRequest(request: AnsweredRequest): void {
    this.active?.otlp.countRequest(request);
  }

  /** Makes what runs agree with the settings. Changes run one after another. */
  private apply(): Promise<void> {
    const done = this.changing.then(async () => {
      const { saved } = this.parts.store.data;
      if (saved === this.active?.saved) return;
      void this.close()?.sender.stop(AbortSignal.abort());
      this.lastSuccessMs = undefined;
      this.lastError = undefined;
      this.failing.clear();
      if (saved) this.open(saved, await this.parts.openOtlp());
    });
    this.changing = done.catch(() => undefined);
    return done;
  }

  private open(saved: SavedTelemetry, otlp: Otlp): void {
    const { clock, bus, recorder } = this.parts;
    const collector = new Collector(saved, clock);
    const sender = new SpanSender({
      ...{ collector, clock },
      write: (records) => this.write(otlp, records),
      onSuccess: () => this.succeeded('Traces'),
      onFailure: (message) => this.failed('Traces', message),
    });
    const unwatch = bus.watch((event) => {
      if (event.type === 'turn.tool') recorder.tools.add(event.turn, event.call, clock.now(), saved.content);
    });
    const active: Active = { saved, otlp, collector, sender, cancel: () => undefined };
    const endMetrics = every(clock, METRICS_EVERY_MS, () => {
      void this.sendMetrics(active, new AbortController().signal);
    });
    active.cancel = () => {
      unwatch();
      endMetrics();
      recorder.tools.clear();
    };
    this.active = active;
  }

  private close(): Active | undefined {
    const { active } = this;
    active?.cancel();
    this.active = undefined;
    return active;
  }

  private write(otlp: Otlp, records: readonly TurnRecord[]): string | undefined {
    try {
      return otlp.writeTurns(records);
    } catch (error) {
      this.parts.onFault(error);
      return undefined;
    }
  }

  private async sendMetrics({ otlp, collector }: Active, signal: AbortSignal): Promise<void> {
    try {
      const { state, message } = await collector.send('/v1/metrics', await otlp.writeMetrics(), signal);
      if (state === 'taken') this.succeeded('Metrics');
      else this.failed('Metrics', message);
    } catch (error) {
      this.parts.onFault(error);
    }
  }

  private succeeded(signal: Signal): void {
    this.lastSuccessMs = this.parts.clock.now();
    this.failing.delete(signal);
  }

  /** Only the first failure in a row of a signal is logged, and a cause that both have once. */
  private failed(signal: Signal, message: string): void {
    const { clock, warn } = this.parts;
    this.lastError = { ms: clock.now(), message: `${signal}: ${message}` };
    if (this.failing.has(signal)) return;
    const isKnown = [...this.failing.values()].includes(message);
    this.failing.set(signal, message);
    if (!isKnown) warn(`Telemetry was not sent. ${signal}: ${message}`);
  }
}
