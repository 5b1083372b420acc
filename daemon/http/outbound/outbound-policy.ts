import ipaddr from 'ipaddr.js';

/*
 * The ranges of addresses are those of ipaddr.js. The rules are implemented here, because packages against server-side
 * request forgery (request-filtering-agent, ssrf-req-filter) guard the agent of node:http, not undici with a pinned
 * address.
 */

/** Why the daemon does not fetch an address, or could not. */
export type OutboundReason =
  | 'not_a_url'
  | 'not_https'
  | 'blocked_port'
  | 'blocked_address'
  | 'unresolvable'
  | 'unreachable'
  | 'redirected'
  | 'refused'
  | 'encoded'
  | 'too_large'
  | 'too_slow'
  | 'not_json'
  | 'busy';

/** An address that must not be fetched or could not be, with the reason for the caller. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';

  constructor(
    readonly reason: OutboundReason,
    message: string,
  ) {
    super(message);
  }
}

export interface OutboundTarget {
  url: URL;
  /** Without the brackets of an IPv6 address. */
  host: string;
  /**
   * Whether the target is listed in the machine's configuration or is this daemon's own. It must then be a loopback
   * address.
   */
  isListedLoopback: boolean;
}

const MAX_CHARS = 2048;
const FIRST_UNPRIVILEGED_PORT = 1024;
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether the text is an IPv4 or IPv6 address. */
export const isAddress = (host: string) => ipaddr.isValid(host);

/**
 * Whether `address` belongs to the public internet. Special addresses (loopback, private, link-local, mapped,
 * translated, reserved) do not.
 */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  // The part of IPv6 that is allocated. Without this check an old form such as ::7f00:1 would count as unicast.
  const isGlobal = !(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST);
  return isGlobal && parsed.range() === 'unicast';
}

/** Whether `address` is a loopback address of this machine. */
function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/**
 * Checks an address by its text alone and returns its target: `https:` on port 443 or from 1024 on, or a loopback
 * `host:port` that is listed in `loopback`. Throws an OutboundError otherwise. Resolved addresses are checked by
 * `checkAddresses`.
 */
export function outboundTarget(text: string, loopback: ReadonlySet<string>): OutboundTarget {
  const notOne = new OutboundError('not_a_url', 'Only an https: address without credentials is fetched.');
  if (text.length > MAX_CHARS || !URL.canParse(text)) throw notOne;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || !['https:', 'http:'].includes(url.protocol)) throw notOne;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const host = url.hostname.replace(/[[\]]/g, '');
  const isListedLoopback = loopback.has(`${url.hostname}:${port}`);
  if (isListedLoopback) return { url, host, isListedLoopback };
  if (isAddress(host) && !isPublicAddress(host)) {
    throw blocked(host, isLoopbackAddress(host) ? loopbackHint(`${url.hostname}:${port}`) : '');
  }
  if (url.protocol !== 'https:')
    throw new OutboundError('not_https', 'Only https: is fetched, and plain http: from no other machine.');
  if (port !== 443 && port < FIRST_UNPRIVILEGED_PORT) {
    throw new OutboundError('blocked_port', `Port ${port} is not fetched from: only 443 and those from 1024 on.`);
  }
  return { url, host, isListedLoopback };
}

/**
 * Throws an OutboundError unless every one of `addresses` may be connected to. A single forbidden address refuses
 * all.
 */
export function checkAddresses(addresses: readonly string[], { isListedLoopback }: OutboundTarget): void {
  if (addresses.length === 0) throw new OutboundError('unresolvable', 'The name has no address.');
  for (const address of addresses) {
    if (isListedLoopback ? !isLoopbackAddress(address) : !isPublicAddress(address)) throw blocked(address);
  }
}

const loopbackHint = (endpoint: string) =>
  ` To allow an agent of your own there, start meshd with MESHD_LOOPBACK_ENDPOINTS=${endpoint}.`;

const blocked = (address: string, hint = '') =>
  new OutboundError(
    'blocked_address',
    `${address} is not an address of the public internet: agents there are not fetched from.${hint}`,
  );
