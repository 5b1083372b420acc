import { WRONG_CREDENTIALS_PER_MINUTE } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { AnyRequest } from '../route-types.js';

const MAX_LENGTH = 4096;

/** Returns the credential of `Authorization: Bearer <token>`, or undefined when there is none that could be one. */
export function parseBearer(request: AnyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || header.length > MAX_LENGTH) return undefined;
  const match = /^bearer ([^\s]+) *$/i.exec(header);
  return match?.[1];
}

/**
 * The same error for an unknown subject, a closed one and a wrong token, so that callers cannot probe which of these
 * applies.
 */
export function unauthorized(): MeshError {
  return new MeshError('unauthorized', 'Send "Authorization: Bearer <token>" with a token that is valid here.');
}

/**
 * Slows down guessing: allows twenty wrong credentials a minute per subject, then returns `too_many_requests`. Only
 * wrong credentials are counted and refused, so nobody can lock out the holder of a right one. Loopback callers are not
 * exempt. Keeps at most 10,000 subjects and forgets the oldest ones first.
 */
export class WrongCredentials {
  private readonly windows = new Map<string, { since: number; count: number }>();

  private explain: (token: string) => MeshError | undefined = () => undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * `explain` returns the error for a token that was valid once, or undefined for any other. Nobody but a former holder
   * can send such a token, so that it tells nothing to whoever guesses.
   */
  explainWith(explain: (token: string) => MeshError | undefined): void {
    this.explain = explain;
  }

  /** Counts one wrong credential, `token` if it is one, presented for `subject`. Returns the error to throw. */
  refuse(subject: string, token?: string): MeshError {
    const now = this.clock.elapsed();
    let window = this.windows.get(subject);
    if (!window || now - window.since >= 60_000) {
      this.windows.delete(subject);
      window = { since: now, count: 0 };
      this.windows.set(subject, window);
      if (this.windows.size > 10_000) this.windows.delete(this.windows.keys().next().value as string);
    }
    window.count += 1;
    if (window.count <= WRONG_CREDENTIALS_PER_MINUTE)
      return (token === undefined ? undefined : this.explain(token)) ?? unauthorized();
    const retryAfter = Math.ceil((60_000 - (now - window.since)) / 1000);
    return new MeshError('too_many_requests', `Too many wrong credentials: wait ${retryAfter} s.`, {
      details: { retry_after: retryAfter },
    });
  }
}

/**
 * Throws unless the request carries a bearer token for which `isRight` holds: `unauthorized`, or `too_many_requests`
 * after twenty wrong ones a minute for `subject`.
 */
export function requireBearer(
  request: AnyRequest,
  wrong: WrongCredentials,
  subject: string,
  isRight: (token: string) => boolean,
): void {
  const token = parseBearer(request);
  if (token === undefined) throw unauthorized();
  if (!isRight(token)) throw wrong.refuse(subject.slice(0, 80), token);
}
