import { createHmac, createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { jwtVerify } from 'jose';
import { type Surface, TOKEN_SECONDS } from '../../contract/network/agents.js';
import { MeshError } from '../errors.js';
import type { Clock } from '../time/clock.js';

/**
 * The agent and the registration (`rid`) that a token belongs to. A token of an earlier registration of the same id is
 * not accepted.
 */
export interface AgentClaims {
  agent_id: string;
  rid: string;
  jti: string;
  /** Epoch seconds. */
  exp: number;
}

const TYP: Readonly<Record<Surface, string>> = { hub: 'hub+jwt', v1: 'mesh-api+jwt' };
const ISSUER = 'meshd';
const MAX_CHARS = 4096;
const KEPT = 20_000;
const CLOCK_TOLERANCE_SECONDS = 5;
/**
 * Header, claims and the 43 characters of a 32-byte signature. The last character carries only four bits; restricting
 * it makes the spelling of a token unique.
 */
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/**
 * Mints and verifies the tokens of one surface: HS256 with the key of that surface, valid for 24 hours. Tokens minted
 * here or verified once are cached, so that a heartbeat does not repeat the verification. The expiry is checked on
 * every read. The caller checks on every request whether the registration still exists. Spec: Authentication.
 */
export class AgentTokens {
  private readonly verified = new Map<string, AgentClaims>();
  private readonly key: KeyObject;
  private readonly header: string;

  /** `key` is 32 random bytes. */
  constructor(
    private readonly surface: Surface,
    key: Uint8Array,
    private readonly clock: Clock,
  ) {
    this.key = createSecretKey(key);
    this.header = encoded({ alg: 'HS256', typ: TYP[surface] });
  }

  /** Returns a new token for registration `rid` of `agentId`. `expires_at` is in epoch seconds. */
  mint(agentId: string, rid: string): { token: string; expires_at: number } {
    const iat = Math.floor(this.clock.now() / 1000);
    const exp = iat + TOKEN_SECONDS;
    const jti = randomUUID();
    const signed = `${this.header}.${encoded({ iss: ISSUER, aud: this.surface, sub: agentId, jti, rid, iat, exp })}`;
    const token = `${signed}.${createHmac('sha256', this.key).update(signed).digest('base64url')}`;
    this.keep(token, { agent_id: agentId, rid, jti, exp });
    return { token, expires_at: exp };
  }

  /**
   * Returns the claims of `token` if it was minted here or verified before, else undefined. Throws `unauthorized` when
   * it has expired.
   */
  known(token: string): AgentClaims | undefined {
    const claims = this.verified.get(token);
    if (claims) this.refuseExpired(token, claims);
    return claims;
  }

  /** Returns the claims of `token`. Throws `unauthorized` when this surface did not mint it or it has expired. */
  async read(token: string): Promise<AgentClaims> {
    const known = this.known(token);
    if (known) return known;
    const claims = await this.verify(token);
    this.refuseExpired(token, claims);
    this.keep(token, claims);
    return claims;
  }

  private refuseExpired(token: string, { exp }: AgentClaims): void {
    if (exp * 1000 > this.clock.now()) return;
    this.verified.delete(token);
    throw refused();
  }

  /**
   * Evicts expired tokens and, at capacity, the oldest ones: each is valid for a day and every tick issues a new one.
   */
  private keep(token: string, claims: AgentClaims): void {
    const nowMs = this.clock.now();
    for (const [oldest, { exp }] of this.verified) {
      if (exp * 1000 > nowMs && this.verified.size < KEPT) break;
      this.verified.delete(oldest);
    }
    this.verified.set(token, claims);
  }

  private async verify(token: string): Promise<AgentClaims> {
    if (token.length > MAX_CHARS || !FORM.test(token)) throw refused();
    try {
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: this.surface,
        typ: TYP[this.surface],
        requiredClaims: ['exp', 'iat'],
        maxTokenAge: TOKEN_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.clock.now()),
      });
      const { sub, jti, exp, iat, rid } = payload as typeof payload & { exp: number; iat: number; rid?: unknown };
      if (typeof sub !== 'string' || typeof jti !== 'string' || typeof rid !== 'string') throw refused();
      if (exp - iat > TOKEN_SECONDS) throw refused();
      return { agent_id: sub, rid, jti, exp };
    } catch {
      throw refused();
    }
  }
}

const refused = () =>
  new MeshError('unauthorized', 'Send "Authorization: Bearer <token>" with a token of this surface that is not over.');
