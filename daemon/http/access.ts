/**
 * Who may call a route. Every route has one, `operator` unless it says otherwise, so that a route that forgets is closed.
 * - `operator`: a program or page of this machine's own user; no bearer (loopback, the guard and the peer's uid are the perimeter).
 * - `bearer`: any local program that holds the credential which the route itself checks.
 * - `public`: any local program.
 * - `page`: HTML that may also be reached by following a link from another site.
 * - `card`: a public card, readable by pages of any origin.
 */
export type Access = 'operator' | 'bearer' | 'public' | 'page' | 'card';

/** What a `bearer` route is opened by; a member's token unless it says otherwise. */
export const CREDENTIALS = {
  memberToken: 'Token of an exposed member.',
  agentToken: 'Token of a registered agent on the surface that minted it, valid for 24 hours.',
  clusterToken: 'Token (`ck_`) or admin token (`ak_`) of a cluster; `x-cluster-token` and `?token=` are read too.',
} as const;
export type Credential = keyof typeof CREDENTIALS;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    credential?: Credential;
    /** The route is a WebSocket; anything else refuses an upgrade. */
    socket?: boolean;
  }
}
