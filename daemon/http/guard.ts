import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../contract/errors.js';
import type { Access } from './callers/access.js';
import { isLeftOver, LEFT_OVER } from './left-over-worker.js';
import { asksUpgrade } from './upgrades.js';

/** Requests with more header fields are refused, because Node drops the surplus silently. */
const MAX_HEADERS = 100;

/** `movedTo` is the address of the same document under the daemon's canonical host name. */
type Refusal = { code: ErrorCode; message: string; movedTo?: string };

/**
 * Refuses other origins, rebound host names and malformed requests on every route and upgrade. Binding to the loopback
 * address alone is not enough: a page of any site can send requests to it, and a rebound host name makes them
 * same-origin, so the Host check is unconditional. `localhost` is not accepted either: browsers connect to [::1] first,
 * where another user may listen on the same port.
 *
 * `check` never throws and trusts no header to be present, single or well-formed. Hosts and origins are compared as
 * exact strings, port included.
 */
export class Guard {
  private hosts: ReadonlySet<string> = new Set();
  private origins: ReadonlySet<string> = new Set();
  private movedHosts: ReadonlySet<string> = new Set();
  private address = '';

  /** Sets the daemon's only host name when its port is known. Before that every request is refused. */
  listeningOn(port: number): void {
    const withPort = (name: string) => [`${name}:${port}`, ...(port === 80 ? [name] : [])];
    this.hosts = new Set(withPort('127.0.0.1'));
    this.origins = new Set(withPort('127.0.0.1').map((host) => `http://${host}`));
    this.movedHosts = new Set(withPort('localhost'));
    // A browser omits port 80 in an Origin, so the address must omit it as well.
    this.address = `http://127.0.0.1${port === 80 ? '' : `:${port}`}`;
  }

  check(request: IncomingMessage, access: Access): Refusal | undefined {
    const { rawHeaders, headers, url, method, httpVersion } = request;
    if (!url?.startsWith('/') || httpVersion === '1.0')
      return refuse('bad_request', 'Send an HTTP/1.1 request with a path as its target.');
    if (rawHeaders.length > MAX_HEADERS * 2) return refuse('bad_request', `Send at most ${MAX_HEADERS} header fields.`);
    let hosts = 0;
    let origins = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = (rawHeaders[i] as string).toLowerCase();
      if (name === 'host') hosts += 1;
      else if (name === 'origin') origins += 1;
    }
    if (hosts !== 1 || origins > 1) return refuse('bad_request', 'Send exactly one Host and at most one Origin.');
    if (!this.hosts.has(headers.host ?? '')) return this.refuseHost(request, access);

    if (access === 'card' && CARD_METHODS.has(method)) return undefined;
    if (headers.origin !== undefined && !this.origins.has(headers.origin)) return FOREIGN;
    const site = headers['sec-fetch-site'];
    if (access !== 'page' && isLeftOver(request)) return LEFT_OVER;
    if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
    return access === 'page' && isNavigation(request) ? undefined : FOREIGN;
  }

  /**
   * Redirects a document requested under `localhost` to the canonical address. Refuses any other request under a
   * foreign host name.
   */
  private refuseHost(request: IncomingMessage, access: Access): Refusal {
    const { headers, url = '/', method } = request;
    const refusal = refuse('wrong_host', `Use ${this.address} instead.`);
    const isPlain = headers['sec-fetch-mode'] === undefined && headers['sec-fetch-dest'] === undefined;
    const isDocument =
      access === 'page' &&
      !asksUpgrade(request) &&
      headers.origin === undefined &&
      (isNavigation(request) || (isPlain && method === 'GET'));
    if (!isDocument || !this.movedHosts.has((headers.host ?? '').toLowerCase())) return refusal;
    return { ...refusal, movedTo: `${this.address}${url}` };
  }
}

const CARD_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);
const FOREIGN = { code: 'forbidden_origin', message: 'Pages of other origins may not call this daemon.' } as const;
const isNavigation = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

function refuse(code: ErrorCode, message: string): Refusal {
  return { code, message };
}
