import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { type Surface, TOKEN_SECONDS } from '../contract/agents.js';
import type { Clock } from './clock.js';
import { MeshError } from './errors.js';

/** Whose a token is, and of which registration: one of an earlier registration of the same id opens nothing. */
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
 * Mints and reads the tokens of one surface: HS256 under that surface's own key, valid for 24 hours. What verified once is kept, so that a heartbeat
 * does not pay for it again; its expiry is looked at on every read, and whether the registration still stands is for the caller to ask every time.
 * Spec: Authentication.
 */
export class AgentTokens {
  private readonly verified = new Map<string, AgentClaims>();

  /** `key` is 32 random bytes. */
  constructor(
    private readonly surface: Surface,
    private readonly key: Uint8Array,
    private readonly clock: Clock,
  ) {}

  /** A fresh token for registration `rid` of `agentId`. */
  async mint(agentId: string, rid: string): Promise<{ token: string; expires_at: number }> {
    const iat = Math.floor(this.clock.now() / 1000);
    const exp = iat + TOKEN_SECONDS;
    const token = await new SignJWT({ rid })
      .setProtectedHeader({ alg: 'HS256', typ: TYP[this.surface] })
      .setIssuer(ISSUER)
      .setAudience(this.surface)
      .setSubject(agentId)
      .setJti(randomUUID())
      .setIssuedAt(iat)
      .setExpirationTime(exp)
      .sign(this.key);
    return { token, expires_at: exp };
  }

  /** What `token` says. Throws `unauthorized` for anything that this surface did not mint or that is over. */
  async read(token: string): Promise<AgentClaims> {
    const known = this.verified.get(token);
    if (known) {
      if (known.exp * 1000 > this.clock.now()) return known;
      this.verified.delete(token);
      throw refused();
    }
    if (token.length > MAX_CHARS) throw refused();
    const claims = await this.verify(token);
    if (this.verified.size >= KEPT) this.verified.delete(this.verified.keys().next().value as string);
    this.verified.set(token, claims);
    return claims;
  }

  private async verify(token: string): Promise<AgentClaims> {
    try {
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: this.surface,
        typ: TYP[this.surface],
        requiredClaims: ['jti', 'sub', 'exp', 'iat', 'rid'],
        maxTokenAge: TOKEN_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.clock.now()),
      });
      const { sub, jti, exp, iat } = payload;
      const rid = payload['rid'];
      if (typeof sub !== 'string' || typeof jti !== 'string' || typeof rid !== 'string' || exp === undefined || iat === undefined)
        throw refused();
      if (exp - iat > TOKEN_SECONDS) throw refused();
      return { agent_id: sub, rid, jti, exp };
    } catch {
      throw refused();
    }
  }
}

const refused = () => new MeshError('unauthorized', 'Send "Authorization: Bearer <token>" with a token of this surface that is not over.');
