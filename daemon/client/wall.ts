import type { ClusterAnswer } from '../contract/clusters.js';
import type { AckFrame, FRAME_MAX_BYTES, Vis, WallFrame } from '../contract/wall.js';
import { ApiError } from './api-error.js';
import { call } from './call.js';
import type { Daemon } from './daemon.js';
import { FrameQueue } from './frame-queue.js';
import { openSocket } from './open-socket.js';
import type { QueryValues } from './query.js';
import { realTimers } from './timers.js';
import { type WallEnding, WallLine, type WallStatus } from './wall-line.js';

const MAX_BYTES: typeof FRAME_MAX_BYTES = 65_536;
/** Frames that may wait for a slow reader. Beyond that the oldest are dropped, and a `gap` reports how many. */
const WAITING_MAX = 10_000;

/** The cluster to join and the identity to join with. */
export interface WallMembership {
  /** The id of the cluster, or the slug of a public one. */
  cluster: string;
  /** The handle to speak as. */
  agent: string;
  /** How others see the presence of this handle; `public` when absent. */
  vis?: Vis;
  /** The cluster's `ck_` or `ak_` token, instead of the daemon's `clusterToken`. */
  token?: string | undefined;
  did?: string;
}

/**
 * Not part of the protocol: messages sent between these two times (epoch milliseconds) are unknown here and stored
 * nowhere.
 */
export interface GapFrame {
  kind: 'gap';
  since: number;
  until: number;
  /**
   * Number of frames that were received and dropped unread. Null for a connection that was cut, where the number is
   * unknown.
   */
  missed: number | null;
}

export interface WallOptions {
  /** Called on every change of the connection. `cut` is retried automatically. */
  onStatus?(status: WallStatus): void;
  /** Leaves the cluster when aborted. */
  signal?: AbortSignal;
}

interface Awaited {
  resolve(ack: AckFrame): void;
  reject(error: ApiError): void;
}

/**
 * A connection to a cluster's Wall. Frames are read with `for await`, by one reader at a time, each frame once. A cut
 * connection is reopened; then a `gap` precedes the next `ready`. The loop ends after `leave`, and throws `ApiError`
 * when the connection is lost for good: `deleted`, `revoked`, `refused`, `too_much`. Nothing on a Wall is stored. Spec:
 * WebSocket frames.
 */
export class Wall implements AsyncIterable<WallFrame | GapFrame> {
  private readonly queue = new FrameQueue<WallFrame | GapFrame>();
  private readonly timers = realTimers();
  /** Messages without a response, oldest first: the daemon responds in order. */
  private awaited: Awaited[] = [];
  private readonly line: WallLine;
  private cutSince: number | undefined;
  private dropped: GapFrame | undefined;
  private hasBeenIn = false;
  private refusal: ApiError | undefined;
  private joined: { resolve(): void; reject(error: unknown): void } | undefined;

  private constructor(
    daemon: Daemon,
    membership: WallMembership,
    private readonly options: WallOptions,
  ) {
    const { cluster, agent, vis, did, token = daemon.clusterToken } = membership;
    const path = `/v1/clusters/${encodeURIComponent(cluster)}/ws`;
    const values: QueryValues = { agent, vis, did };
    this.line = new WallLine({
      open: () => openSocket(daemon, path, values, token),
      timers: this.timers,
      onFrame: (frame) => this.take(frame),
      onStatus: (status) => this.turn(status),
      // The same call without an upgrade is refused for the same reason, and its response contains the reason.
      isOpenToUs: async () => {
        const refusal = await call(daemon, path, { clusterToken: token, query: values }).then(
          () => undefined,
          (error: unknown) => error,
        );
        // A connection that never joined fails when the daemon is unavailable (status 0). One that had joined waits for
        // it.
        const isRefused =
          refusal instanceof ApiError && (isRefusal(refusal.status) || (refusal.status === 0 && !this.hasBeenIn));
        this.refusal = isRefused ? refusal : undefined;
        return !isRefused;
      },
    });
  }

  /**
   * Resolves once joined. Throws `ApiError` when the daemon refuses (`not_found`, `unauthorized`, `bad_request`,
   * `wrong_host`) or does not respond (`offline`).
   */
  static async join(daemon: Daemon, membership: WallMembership, options: WallOptions = {}): Promise<Wall> {
    const { signal } = options;
    signal?.throwIfAborted();
    const cluster = await resolveClusterId(daemon, membership.cluster, signal);
    signal?.throwIfAborted();
    const wall = new Wall(daemon, { ...membership, cluster }, options);
    await new Promise<void>((resolve, reject) => {
      wall.joined = { resolve, reject };
      signal?.addEventListener('abort', wall.abort, { once: true });
      wall.line.start();
    });
    return wall;
  }

  /**
   * Sends a message to everyone connected and resolves with the ack, whose `delivered` is the number reached. Throws
   * `bad_request` with the daemon's message, `too_large`, `offline`.
   */
  say(payload: unknown): Promise<AckFrame> {
    return this.send({ payload });
  }

  /** As `say`, but to these handles only. */
  to(handles: string | readonly string[], payload: unknown): Promise<AckFrame> {
    return this.send({ to: handles, payload });
  }

  /** Leaves the cluster. Idempotent. Frames received before can still be read. */
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

/** Whether the daemon refuses the cluster with this status. With 426 it admits it, but not without an upgrade. */
const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 426;

/** The socket's path needs the id. Only a public cluster can be looked up by its slug. */
async function resolveClusterId(daemon: Daemon, cluster: string, signal: AbortSignal | undefined): Promise<string> {
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
