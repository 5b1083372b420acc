import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import { MeshError } from '../../lib/errors.js';
import type { AnyRequest } from '../route-types.js';
import { parseBearer, unauthorized } from './bearer.js';

/** Verifies agent tokens. Both methods throw `unauthorized` for a token that is not valid. */
interface Authentication {
  authenticate(token: string): Promise<AgentClaims>;
  /** Returns the claims synchronously for tokens that were verified before; undefined for others. */
  recognize(token: string): AgentClaims | undefined;
}

/**
 * Identifies the agent that sends a request by its token, before the body is read. Tokens are signed and cannot be
 * guessed, so wrong tokens are refused but not counted. Spec: Authentication.
 */
export class AgentBearers {
  private readonly callers = new WeakMap<object, AgentClaims>();

  constructor(private readonly surface: Authentication) {}

  /**
   * An `onRequest` hook. Refuses with `unauthorized` unless the request carries a valid token. A recognized token is
   * checked synchronously.
   */
  private readonly check = (request: AnyRequest, _reply: unknown, done: (error?: Error) => void): void => {
    const token = parseBearer(request);
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

  /** The options of a route that requires a valid token. */
  readonly route = { config: { access: 'bearer' as const, credential: 'agentToken' as const }, onRequest: this.check };

  /**
   * Does the same as `check` for an upgrade. WebSockets in browsers cannot send the header, so the query may carry the
   * token. Refuses with `unauthorized` when header and query carry different tokens.
   */
  readonly checkUpgrade = async (request: AnyRequest): Promise<void> => {
    const query = request.query as { token?: unknown };
    const inHeader = parseBearer(request);
    if (inHeader !== undefined && query.token !== undefined && query.token !== inHeader) {
      throw new MeshError('unauthorized', 'Send one token: the header and the query carry different ones.');
    }
    const token = inHeader ?? query.token;
    if (typeof token !== 'string') throw unauthorized();
    this.callers.set(request, await this.surface.authenticate(token));
  };

  /**
   * Returns the claims of the agent that sent a request which was checked before. Throws `unauthorized` for other
   * requests.
   */
  getCaller(request: object): AgentClaims {
    const caller = this.callers.get(request);
    if (!caller) throw unauthorized();
    return caller;
  }
}
