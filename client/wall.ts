import type { ClusterAnswer } from '../daemon/contract/clusters.js';
import type { AckFrame, FRAME_MAX_BYTES, Vis, WallFrame } from '../daemon/contract/wall.js';
import { ApiError } from './api-error.js';
import { call } from './call.js';
import type { Daemon } from './daemon.js';
import { FrameQueue } from './frame-queue.js';
import { openSocket } from './open-socket.js';
import type { QueryValues } from './query.js';
import { realTimers } from './timers.js';
import { type WallEnding, WallLine, type WallStatus } from './wall-line.js';

const MAX_BYTES: typeof FRAME_MAX_BYTES = 65_536;
/** Frames that may wait for a slow reader; beyond it the oldest go, and a `gap` says how many. */
const WAITING_MAX = 10_000;

/** Where one sits on a Wall, and as whom. */
export interface WallSeat {
  /** Its id, or the slug of a public one. */
  cluster: string;
  /** The handle under which one speaks. */
  agent: string;
  /** How others see that one is there; `public` when absent. */
  vis?: Vis;
  /** The cluster's `ck_` or `ak_`, in the place of the daemon's `clusterToken`. */
  token?: string | undefined;
  did?: string;
}

/** Not of the wire: what was said between these two times (milliseconds) is not known here, and kept nowhere. */
export interface GapFrame {
  kind: 'gap';
  since: number;
  until: number;
  /** How many frames, where that is known: those that came and were not read in time. Null for those of a cut line. */
  missed: number | null;
}

export interface WallOptions {
  /** Told of every change of the line: `cut` is tried again by itself. */
  onStatus?(status: WallStatus): void;
  /** Lets go of the seat. */
  signal?: AbortSignal;
}

interface Awaited {
  resolve(ack: AckFrame): void;
  reject(error: ApiError): void;
}

/**
 * A seat on a cluster's Wall: what is said is read by `for await`, one reader at a time, each frame once. The line is taken up again when it is cut; then a `gap`
 * comes before the next `ready`. The loop ends when the seat is left from here, and throws `ApiError` when it is lost for good: `deleted`, `revoked`, `refused`,
 * `too_much`. Nothing of a Wall is stored. Spec: WebSocket frames.
 */
export class Wall implements AsyncIterable<WallFrame | GapFrame> {
  private readonly queue = new FrameQueue<WallFrame | GapFrame>();
  private readonly timers = realTimers();
  /** What was said and not answered, oldest first: the daemon answers in order. */
  private awaited: Awaited[] = [];
  private readonly line: WallLine;
  private cutSince: number | undefined;
  private dropped: GapFrame | undefined;
  private hasBeenIn = false;
  private refusal: ApiError | undefined;
  private joined: { resolve(): void; reject(error: unknown): void } | undefined;

  private constructor(
    daemon: Daemon,
    seat: WallSeat,
    private readonly options: WallOptions,
  ) {
    const { cluster, agent, vis, did, token = daemon.clusterToken } = seat;
    const path = `/v1/clusters/${encodeURIComponent(cluster)}/ws`;
    const values: QueryValues = { agent, vis, did };
    this.line = new WallLine({
      open: () => openSocket(daemon, path, values, token),
      timers: this.timers,
      onFrame: (frame) => this.take(frame),
      onStatus: (status) => this.turn(status),
      // The same call without an upgrade is refused for the same reason, in words.
      isOpenToUs: async () => {
        const refusal = await call(daemon, path, { clusterToken: token, query: values }).then(
          () => undefined,
          (error: unknown) => error,
        );
        // Who was never in is told that the daemon is away; who was waits for it.
        const isRefused =
          refusal instanceof ApiError && [...(this.hasBeenIn ? [] : [0]), 400, 401, 403, 429].includes(refusal.status);
        this.refusal = isRefused ? refusal : undefined;
        return !isRefused;
      },
    });
  }

  /** Resolves once seated; throws `ApiError` when the daemon refuses (`not_found`, `unauthorized`, `bad_request`) or does not answer (`offline`). */
  static async join(daemon: Daemon, seat: WallSeat, options: WallOptions = {}): Promise<Wall> {
    const { signal } = options;
    signal?.throwIfAborted();
    const cluster = await idOf(daemon, seat.cluster, signal);
    signal?.throwIfAborted();
    const wall = new Wall(daemon, { ...seat, cluster }, options);
    await new Promise<void>((resolve, reject) => {
      wall.joined = { resolve, reject };
      signal?.addEventListener('abort', wall.abort, { once: true });
      wall.line.start();
    });
    return wall;
  }

  /** Says something to all who are there now, and resolves with how many it reached. Throws `bad_request` with the daemon's words, `too_large`, `offline`. */
  say(payload: unknown): Promise<AckFrame> {
    return this.send({ payload });
  }

  /** As `say`, to these handles only. */
  to(handles: string | readonly string[], payload: unknown): Promise<AckFrame> {
    return this.send({ to: handles, payload });
  }

  /** Leaves the room. Safe to repeat. What came before can still be read. */
  leave(): void {
    this.end(new ApiError(0, 'offline', 'The cluster was left before the daemon responded.'));
    this.queue.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WallFrame | GapFrame, void, undefined> {
    for (;;) {
      const gap = this.dropped;
      this.dropped = undefined;
      if (gap) yield gap;
      const frame = await this.queue.next();
      if (frame === undefined) return;
      yield frame;
    }
  }

  private readonly abort = () => {
    const { reason } = this.options.signal as AbortSignal;
    this.end(new ApiError(0, 'offline', 'The cluster was left before the daemon responded.', {}, reason));
    this.joined?.reject(reason);
    this.queue.cut(reason);
  };

  private send(frame: { to?: string | readonly string[]; payload: unknown }): Promise<AckFrame> {
    const text = JSON.stringify(frame);
    if (new TextEncoder().encode(text).length > MAX_BYTES) {
      return Promise.reject(
        new ApiError(0, 'too_large', `That is larger than a frame of ${MAX_BYTES} bytes: send it in pieces.`),
      );
    }
    return new Promise((resolve, reject) => {
      if (this.line.send(text)) this.awaited.push({ resolve, reject });
      else reject(new ApiError(0, 'offline', 'Not delivered: there is no connection to the cluster.'));
    });
  }

  private take(frame: WallFrame): void {
    if (frame.kind === 'ready') {
      if (this.cutSince !== undefined)
        this.keep({ kind: 'gap', since: this.cutSince, until: this.timers.now(), missed: null });
      this.cutSince = undefined;
    }
    if (frame.kind === 'ack') this.awaited.shift()?.resolve(frame);
    if (frame.kind === 'error') this.awaited.shift()?.reject(new ApiError(0, 'bad_request', frame.detail));
    this.keep(frame);
  }

  private keep(frame: WallFrame | GapFrame): void {
    this.queue.push(frame);
    if (this.queue.size <= WAITING_MAX) return;
    this.queue.dropOldest();
    const now = this.timers.now();
    this.dropped = {
      kind: 'gap',
      since: this.dropped?.since ?? now,
      until: now,
      missed: (this.dropped?.missed ?? 0) + 1,
    };
  }

  private turn(status: WallStatus): void {
    switch (status.state) {
      case 'in':
        this.hasBeenIn = true;
        this.joined?.resolve();
        break;
      case 'cut':
        if (this.hasBeenIn) this.cutSince ??= status.since;
        this.forget(
          new ApiError(0, 'offline', 'The connection was lost before the daemon responded: delivery is unknown.'),
        );
        break;
      case 'over': {
        const error = this.refusal ?? endingError(status.ending);
        this.end(error);
        this.joined?.reject(error);
        this.queue.end(error);
        break;
      }
    }
    this.options.onStatus?.(status);
  }

  private end(error: ApiError): void {
    this.options.signal?.removeEventListener('abort', this.abort);
    this.line.stop();
    this.forget(error);
  }

  private forget(error: ApiError): void {
    for (const { reject } of this.awaited.splice(0)) reject(error);
  }
}

/** The socket is that of an id; only a public cluster goes by its slug. */
async function idOf(daemon: Daemon, cluster: string, signal: AbortSignal | undefined): Promise<string> {
  if (cluster.startsWith('c_')) return cluster;
  return (await call<ClusterAnswer>(daemon, `/v1/clusters/${encodeURIComponent(cluster)}`, { signal })).cluster.id;
}

const ENDINGS: Readonly<Record<WallEnding['why'], string>> = {
  deleted: 'The cluster was deleted.',
  revoked: 'The token is no longer valid for this cluster.',
  refused: 'There is no such cluster, or the token is wrong.',
  too_much: 'The daemon disconnected: too many messages at once.',
};

const endingError = ({ why, reason }: WallEnding): ApiError =>
  new ApiError(0, why, ENDINGS[why], reason === '' ? {} : { reason });
