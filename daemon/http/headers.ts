import type { App } from './route-types.js';

/** Headers of every response. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), ' +
    'usb=(), interest-cohort=()',
  'cache-control': 'no-store',
};

/** Headers of responses that any page may read: public cards. */
export const CARD_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'max-age=60',
};

/**
 * Headers of the answer to the preflight of a card. Clients of A2A name their version with each request, and browsers
 * ask whether they may.
 */
const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'A2A-Version',
};

/** Lets pages of any origin read the card at `path` with the header `A2A-Version`. */
export function addCardPreflight(app: App, path: string): void {
  app.options(path, { config: { access: 'card' }, schema: { hide: true } }, (_request, reply) =>
    reply.code(204).headers(PREFLIGHT_HEADERS).send(),
  );
}

/** Returns the policy of every HTML response: own files only, no inline code, no frames, no form targets. */
export function contentSecurityPolicy(port: number): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'none'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://127.0.0.1:${port}`,
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Whether the `If-None-Match` value contains this ETag. */
export function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*');
}
