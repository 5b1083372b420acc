import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../lib/time/clock.js';

const RESOLUTION_MS = 20;
/** Without a reading for so long, nothing is measured any more. */
const IDLE_MS = 600_000;

type Measurements = Pick<IntervalHistogram, 'count' | 'max' | 'percentile' | 'reset' | 'enable' | 'disable'>;

/**
 * How long the event loop keeps its callbacks waiting, since the reading before. Measuring wakes the process fifty times
 * a second, so it begins with the first reading, which therefore has none.
 */
export class LoopDelay {
  private histogram: Measurements | undefined;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly monitor: (options: { resolution: number }) => Measurements = monitorEventLoopDelay,
  ) {}

  /** Returns the median, the 99th percentile and the maximum in seconds; undefined before the first interval is over. */
  read(): { p50: number; p99: number; max: number } | undefined {
    const { histogram } = this;
    this.cancel();
    this.cancel = this.clock.after(IDLE_MS, () => this.stop());
    if (!histogram) {
      this.histogram = this.monitor({ resolution: RESOLUTION_MS });
      this.histogram.enable();
      return undefined;
    }
    // The time between two measurements counts as delay.
    const toSeconds = (ns: number) => Math.max(0, ns / 1e9 - RESOLUTION_MS / 1_000);
    const isEmpty = histogram.count === 0;
    const read = {
      p50: toSeconds(histogram.percentile(50)),
      p99: toSeconds(histogram.percentile(99)),
      max: toSeconds(histogram.max),
    };
    histogram.reset();
    return isEmpty ? undefined : read;
  }

  stop(): void {
    this.cancel();
    this.histogram?.disable();
    this.histogram = undefined;
  }
}
