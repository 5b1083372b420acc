import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { BODY_LIMIT } from '../contract/limits.js';
import { foreignCaller } from '../lib/foreign-caller.js';

/** How often and how much each other user may store. Both throw when it is too much. */
export interface Budget {
  count(uid: number): void;
  /** Gives what sets the bytes free again. */
  reserve(uid: number, bytes: number): () => void;
}

/** Methods of requests that store nothing. */
export const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Holds other users of this machine to their budget, on every route that may store something and is open to them, whatever its feature: before its
 * credential is looked at and before a byte of its body is read. The work that follows is marked as theirs, so that the store knows for whom it grows.
 */
export class PeerLimits {
  constructor(
    /** The uid of another user's connection; undefined for the operator's and root's. */
    private readonly uidOf: (socket: Socket) => number | undefined,
    private readonly budget: Budget,
  ) {}

  /** Covers every route that is added from now on. */
  cover(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      if (isOpenSocket(route)) return before(route, (request) => this.admitSocket(request));
      if (!mayStore(route)) return;
      before(route, (request, reply) => this.admit(request, reply));
      // Reading the body loses what follows the work, so it is marked after that.
      const mark = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
        const uid = this.uidOf(request.raw.socket);
        if (uid === undefined) done();
        else foreignCaller.run(uid, done);
      };
      route.preValidation = [mark, ...[route.preValidation ?? []].flat()];
    });
  }

  /** Does what a frame of `bytes` asks for. Throws `too_many_requests` or `no_space` when it is another user's and too much. */
  carry<T>(socket: Socket, bytes: number, work: () => Promise<T>): Promise<T> {
    const uid = this.uidOf(socket);
    if (uid === undefined) return work();
    this.budget.count(uid);
    const release = this.budget.reserve(uid, bytes);
    return foreignCaller.run(uid, work).finally(release);
  }

  /** Whoever comes is told to all who are there, so that its coming is counted as what stores something. */
  private admitSocket({ raw }: FastifyRequest): void {
    const uid = raw.headers.upgrade === undefined ? undefined : this.uidOf(raw.socket);
    if (uid !== undefined) this.budget.count(uid);
  }

  private admit({ method, raw, headers }: FastifyRequest, reply: FastifyReply): void {
    const uid = this.uidOf(raw.socket);
    if (uid === undefined) return;
    this.budget.count(uid);
    // Deleting is how a user gets room again.
    if (method === 'DELETE') return;
    const length = Number(headers['content-length'] ?? BODY_LIMIT);
    reply.raw.once('close', this.budget.reserve(uid, Math.min(length, BODY_LIMIT)));
  }
}

/** Has `admit` look at each request to the route before anything else of the route does; it throws to refuse. */
function before(route: RouteOptions, admit: (request: FastifyRequest, reply: FastifyReply) => void): void {
  const hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    admit(request, reply);
    done();
  };
  route.onRequest = [hook, ...[route.onRequest ?? []].flat()];
}

const isOpenSocket = ({ config }: RouteOptions) =>
  config?.socket === true && (config.access ?? 'operator') !== 'operator';

/** Operator routes refuse other users anyway. */
function mayStore({ method, config }: RouteOptions): boolean {
  const access = config?.access ?? 'operator';
  return access !== 'operator' && [method].flat().some((one) => !READING.has(one.toUpperCase()));
}
