/**
 * Who may call a route. Every route has an access level. The default is `operator`, so a route that sets none is closed
 * to others.
 * - `operator`: a program or page of the user who runs the daemon. It needs no bearer token: the loopback binding, the
 *   guard and the uid of the peer are the perimeter.
 * - `bearer`: any local program that holds the credential which the route itself checks.
 * - `public`: any local program.
 * - `page`: HTML that may also be reached by following a link from another site.
 * - `card`: a public card, readable by pages of any origin.
 */
export type Access = 'operator' | 'bearer' | 'public' | 'page' | 'card';

/** The credentials that `bearer` routes accept. The default is a member token. */
export const CREDENTIALS = {
  memberToken: 'Token of an exposed member.',
  turnToken: 'Token of a running turn, which its agent gets and which ends with it.',
  agentToken: 'Token of a registered agent on the surface that minted it, valid for 24 hours.',
  clusterToken: 'Token (`ck_`) or admin token (`ak_`) of a cluster; `x-cluster-token` and `?token=` are read too.',
} as const;
export type Credential = keyof typeof CREDENTIALS;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    credential?: Credential;
    /** Whether the route is a WebSocket. Every other route refuses an upgrade. */
    socket?: boolean;
  }
}
