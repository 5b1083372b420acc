import type { FastifyRequest } from 'fastify';
import type { AgentClaims } from '../lib/agent-token.js';
import { MeshError } from '../lib/errors.js';
import { bearerOf, unauthorized } from './bearer.js';

/**
 * Knows which agent a request is from, by its token, before the body is looked at. Tokens are signed: there is nothing to guess, so wrong ones are
 * refused and not counted. Spec: Authentication.
 */
export class AgentBearers {
  private readonly callers = new WeakMap<object, AgentClaims>();

  constructor(private readonly authenticate: (token: string) => Promise<AgentClaims>) {}

  /** An `onRequest` hook. Throws `unauthorized` unless the request carries a token that stands. */
  readonly check = async (request: unknown): Promise<void> => {
    const token = bearerOf(request as FastifyRequest);
    if (token === undefined) throw unauthorized();
    this.callers.set(request as object, await this.authenticate(token));
  };

  /** As `check`, for an upgrade: browsers' sockets cannot send the header, so the token may stand in the query. Two different ones are refused. */
  readonly checkUpgrade = async (request: unknown): Promise<void> => {
    const { query } = request as FastifyRequest<{ Querystring: { token?: unknown } }>;
    const inHeader = bearerOf(request as FastifyRequest);
    if (inHeader !== undefined && query.token !== undefined && query.token !== inHeader) {
      throw new MeshError('unauthorized', 'Send one token: the header and the query carry different ones.');
    }
    const token = inHeader ?? query.token;
    if (typeof token !== 'string') throw unauthorized();
    this.callers.set(request as object, await this.authenticate(token));
  };

  /** Whose request it is, once it was checked. */
  callerOf(request: object): AgentClaims {
    const caller = this.callers.get(request);
    if (!caller) throw unauthorized();
    return caller;
  }
}
