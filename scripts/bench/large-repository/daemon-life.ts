import { setTimeout as pause } from 'node:timers/promises';
import type { AskRecord } from '../../../daemon/contract/asks.js';
import type { Health, KnowledgeStatus } from '../../../daemon/contract/system.js';
import { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';

const LOOK_MS = 100;
const LIMIT_MS = 20 * 60_000;
const MEMBER = 'consultant';

/** One life of the built daemon on a repository, with the limits that it ships with. */
export class DaemonLife {
  private peakBytes = 0;
  private token: string | undefined;

  private constructor(
    readonly daemon: DaemonProcess,
    private readonly startedMs: number,
  ) {}

  static async start(root: string, home: string): Promise<DaemonLife> {
    const startedMs = performance.now();
    const daemon = await DaemonProcess.start(root, { PATH: process.env['PATH'], HOME: home });
    return new DaemonLife(daemon, startedMs);
  }

  /** Milliseconds since the process was started. */
  get ageMs(): number {
    return performance.now() - this.startedMs;
  }

  get megabytes(): number {
    return this.daemon.residentBytes() / 1e6;
  }

  /** The largest resident memory at any look. */
  get peakMegabytes(): number {
    return this.peakBytes / 1e6;
  }

  async ask(text: string): Promise<{ record: AskRecord; ms: number }> {
    this.token ??= await this.daemon.getToken(MEMBER);
    const askedMs = performance.now();
    const record = await this.daemon.ask(MEMBER, this.token, { text });
    return { record, ms: performance.now() - askedMs };
  }

  async status(): Promise<KnowledgeStatus> {
    this.peakBytes = Math.max(this.peakBytes, this.daemon.residentBytes());
    return (await this.daemon.call<Health>('GET', '/health')).knowledge;
  }

  /**
   * Looks until `isReached`, and calls `meanwhile` after each look. Throws when the index fails or after 20 minutes.
   */
  async until(
    what: string,
    isReached: (status: KnowledgeStatus) => boolean,
    meanwhile: () => Promise<void> = async () => undefined,
  ): Promise<KnowledgeStatus> {
    const untilMs = performance.now() + LIMIT_MS;
    for (;;) {
      const status = await this.status();
      if (isReached(status)) return status;
      if (status.state === 'failed' || status.structure.state === 'failed')
        throw new Error(`The index failed before ${what}: ${status.message ?? 'the structure graph'}.`);
      if (performance.now() > untilMs) throw new Error(`${what} was not reached: ${JSON.stringify(status)}`);
      await meanwhile();
      await pause(LOOK_MS);
    }
  }
}

export const isTextRead = ({ state }: KnowledgeStatus): boolean => state === 'ready';
export const isGraphRead = ({ structure }: KnowledgeStatus): boolean => structure.state === 'ready';
