import type { AgentClaims } from '../lib/agent-token.js';
import { MeshError } from '../lib/errors.js';
import { bearerOf, unauthorized } from './bearer.js';
import type { AnyRequest } from './route-types.js';

/** Both throw `unauthorized` for a token that does not stand. */
export interface Authentication {
  authenticate(token: string): Promise<AgentClaims>;
  /** The same at once, for tokens that were read before; undefined for others. */
  recognize(token: string): AgentClaims | undefined;
}

/**
 * Knows which agent a request is from, by its token, before the body is looked at. Tokens are signed: there is nothing to guess, so wrong ones are
 * refused and not counted. Spec: Authentication.
 */
export class AgentBearers {
  private readonly callers = new WeakMap<object, AgentClaims>();

  constructor(private readonly surface: Authentication) {}

  /** An `onRequest` hook. Refuses with `unauthorized` unless the request carries a token that stands; one that is known waits for no promise. */
  readonly check = (request: AnyRequest, _reply: unknown, done: (error?: Error) => void): void => {
    const token = bearerOf(request);
    if (token === undefined) throw unauthorized();
    const known = this.surface.recognize(token);
    if (known) {
      this.callers.set(request, known);
      done();
      return;
    }
    this.surface.authenticate(token).then((claims) => {
      this.callers.set(request, claims);
      done();
    }, done);
  };

  /** As `check`, for an upgrade: browsers' sockets cannot send the header, so the token may stand in the query. Two different ones are refused. */
  readonly checkUpgrade = async (request: AnyRequest): Promise<void> => {
    const query = request.query as { token?: unknown };
    const inHeader = bearerOf(request);
    if (inHeader !== undefined && query.token !== undefined && query.token !== inHeader) {
      throw new MeshError('unauthorized', 'Send one token: the header and the query carry different ones.');
    }
    const token = inHeader ?? query.token;
    if (typeof token !== 'string') throw unauthorized();
    this.callers.set(request, await this.surface.authenticate(token));
  };

  /** Whose request it is, once it was checked. */
  callerOf(request: object): AgentClaims {
    const caller = this.callers.get(request);
    if (!caller) throw unauthorized();
    return caller;
  }
}
