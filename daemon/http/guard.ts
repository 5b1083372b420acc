import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../contract/errors.js';
import type { Access } from './access.js';

/** Header fields beyond this number are refused: Node itself drops the surplus silently. */
const MAX_HEADERS = 100;

export type Refusal = { code: ErrorCode; message: string };

/**
 * Keeps other origins, rebound names and malformed requests out of every route and upgrade. Binding to the loopback address alone does
 * not: a page of any site can send requests here, and a rebound name makes them same-origin, so the Host check is unconditional.
 *
 * `check` never throws and trusts no header to be present, single, or well-formed. Membership is by exact string, port included.
 */
export class Guard {
  private hosts: ReadonlySet<string> = new Set();
  private origins: ReadonlySet<string> = new Set();
  private address = '';

  /** The daemon's own names, once its port is known. Until then everything is refused. */
  listeningOn(port: number): void {
    const names = ['127.0.0.1', 'localhost'];
    const hosts = names.map((name) => `${name}:${port}`).concat(port === 80 ? names : []);
    this.hosts = new Set(hosts);
    this.origins = new Set(hosts.map((host) => `http://${host}`));
    this.address = `http://127.0.0.1:${port}`;
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
    if (!this.hosts.has((headers.host ?? '').toLowerCase()))
      return refuse('wrong_host', `Use ${this.address} instead.`);

    if (access === 'card' && (method === 'GET' || method === 'HEAD')) return undefined;
    if (headers.origin !== undefined && !this.origins.has(headers.origin)) return FOREIGN;
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
    const isNavigation =
      method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    return access === 'page' && isNavigation ? undefined : FOREIGN;
  }
}

const FOREIGN = { code: 'forbidden_origin', message: 'Pages of other origins may not call this daemon.' } as const;

function refuse(code: ErrorCode, message: string): Refusal {
  return { code, message };
}
