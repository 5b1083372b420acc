import ipaddr from 'ipaddr.js';

/*
 * Which range an address is in is ipaddr.js's to know. The rules are ours, because packages against such requests
 * (request-filtering-agent, ssrf-req-filter) guard the agent of node:http, not undici with a pinned address.
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

/** An address that must not be fetched, with the reason for whoever asked. */
export class OutboundRefusal extends Error {
  override readonly name = 'OutboundRefusal';

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
  /** Named in the machine's configuration, or this daemon's own: on the loopback, and nowhere else. */
  isListedLoopback: boolean;
}

const MAX_CHARS = 2048;
const FIRST_UNPRIVILEGED_PORT = 1024;
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether the text is an address of IPv4 or IPv6. */
export const isAddress = (host: string) => ipaddr.isValid(host);

/** Whether `address` is one of the public internet; anything special (loopback, private, link-local, mapped, translated, reserved) is not. */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  // What of IPv6 has been given out at all; an old form such as ::7f00:1 counts as unicast otherwise.
  const isGlobal = !(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST);
  return isGlobal && parsed.range() === 'unicast';
}

/** Whether `address` stays on this machine. */
function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/**
 * What is to be fetched, as far as the address alone tells: `https:` on port 443 or from 1024 on, or a loopback `host:port` that is listed in
 * `loopback`. Throws an OutboundRefusal otherwise. Resolved addresses are checked by `checkAddresses`.
 */
export function outboundTarget(text: string, loopback: ReadonlySet<string>): OutboundTarget {
  const notOne = new OutboundRefusal('not_a_url', 'Only an https: address without credentials is fetched.');
  if (text.length > MAX_CHARS || !URL.canParse(text)) throw notOne;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || !['https:', 'http:'].includes(url.protocol)) throw notOne;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isListedLoopback = loopback.has(`${url.hostname}:${port}`);
  if (isListedLoopback) return { url, host, isListedLoopback };
  if (isAddress(host) && !isPublicAddress(host)) throw blocked(host);
  if (url.protocol !== 'https:')
    throw new OutboundRefusal('not_https', 'Only https: is fetched, and plain http: from no other machine.');
  if (port !== 443 && port < FIRST_UNPRIVILEGED_PORT) {
    throw new OutboundRefusal('blocked_port', `Port ${port} is not fetched from: only 443 and those from 1024 on.`);
  }
  return { url, host, isListedLoopback };
}

/** Throws an OutboundRefusal unless every one of `addresses` may be connected to: one wrong one spoils them all. */
export function checkAddresses(addresses: readonly string[], { isListedLoopback }: OutboundTarget): void {
  if (addresses.length === 0) throw new OutboundRefusal('unresolvable', 'The name has no address.');
  for (const address of addresses) {
    if (isListedLoopback ? !isLoopbackAddress(address) : !isPublicAddress(address)) throw blocked(address);
  }
}

const blocked = (address: string) =>
  new OutboundRefusal(
    'blocked_address',
    `${address} is not an address of the public internet: agents there are not fetched from.`,
  );
