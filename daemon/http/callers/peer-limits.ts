import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { BODY_LIMIT } from '../../contract/limits.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import { asksUpgrade } from '../upgrades.js';

/** Limits how often and how many bytes each other user may store. Both methods throw when the limit is exceeded. */
export interface Budget {
  count(uid: number): void;
  /** Reserves bytes and returns the function that releases them. */
  reserve(uid: number, bytes: number): () => void;
}

/** Methods of requests that store nothing, in the capitals in which Fastify passes them on. */
export const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Limits other users of this machine to their budget on every route that they may call and that may store something.
 * The limit applies before the credential is checked and before the body is read. The work that follows runs with their
 * uid as its context, so that the store can attribute its growth.
 */
export class PeerLimits {
  constructor(
    /** Returns the uid of another user's connection; undefined for those of the operator and of root. */
    private readonly getUid: (socket: Socket) => number | undefined,
    private readonly budget: Budget,
  ) {}

  /** Applies the limits to every route that is added after the call. */
  cover(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      if (isOpenSocket(route)) return before(route, (request) => this.admitSocket(request));
      if (!mayStore(route)) return;
      before(route, (request, reply) => this.admit(request, reply));
      // Reading the body loses the async context, so the context is entered after it.
      const mark = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
        const uid = this.getUid(request.raw.socket);
        if (uid === undefined) done();
        else foreignCaller.run(uid, done);
      };
      route.preValidation = [mark, ...[route.preValidation ?? []].flat()];
    });
  }

  /**
   * Runs `work` for a frame of `bytes`. Throws `too_many_requests` or `no_space` when the frame belongs to another user
   * and exceeds the budget.
   */
  carry<T>(socket: Socket, bytes: number, work: () => Promise<T>): Promise<T> {
    const uid = this.getUid(socket);
    if (uid === undefined) return work();
    this.budget.count(uid);
    const release = this.budget.reserve(uid, bytes);
    return foreignCaller.run(uid, work).finally(release);
  }

  /** A new connection is announced to all others, so opening one counts as storing something. */
  private admitSocket({ raw }: FastifyRequest): void {
    const uid = asksUpgrade(raw) ? this.getUid(raw.socket) : undefined;
    if (uid !== undefined) this.budget.count(uid);
  }

  private admit({ method, raw, headers }: FastifyRequest, reply: FastifyReply): void {
    const uid = this.getUid(raw.socket);
    if (uid === undefined) return;
    this.budget.count(uid);
    // Deleting is how a user frees space.
    if (method === 'DELETE') return;
    const length = Number(headers['content-length'] ?? BODY_LIMIT);
    reply.raw.once('close', this.budget.reserve(uid, Math.min(length, BODY_LIMIT)));
  }
}

/** Runs `admit` for each request to the route before the route's other hooks. `admit` throws to refuse. */
function before(route: RouteOptions, admit: (request: FastifyRequest, reply: FastifyReply) => void): void {
  const hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    admit(request, reply);
    done();
  };
  route.onRequest = [hook, ...[route.onRequest ?? []].flat()];
}

const isOpenSocket = ({ config }: RouteOptions) =>
  config?.socket === true && (config.access ?? 'operator') !== 'operator';

/** Whether a route may store something for another user. Operator routes refuse other users in any case. */
function mayStore({ method, config }: RouteOptions): boolean {
  const access = config?.access ?? 'operator';
  return access !== 'operator' && [method].flat().some((one) => !READING.has(one));
}
