import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const PAGE_HEADER = 'x-meshd-page';
export const RUN_HEADER = 'x-meshd-run';
/** A browser can set no header on a socket: there the proof is a subprotocol, behind this. */
export const PAGE_PROTOCOL = 'meshd.page.';
/**
 * Marks the address of a document that was redirected for its cookie, so that a browser that keeps none is not
 * redirected again.
 */
export const COOKIE_MARK = 'meshd-first';

/**
 * Tells the dashboard's own pages from what an earlier program at this address left in the browser, which has the same
 * origin. A page is given
 * the key in its HTML and proves it by its HMAC over the number of the daemon's run: whoever hears a proof has one for
 * this run alone.
 */
export class PageProof {
  /** The number of this run: no secret. */
  readonly run = randomBytes(16).toString('base64url');
  private readonly cookie = randomBytes(16).toString('base64url');
  private readonly proof: Buffer;

  constructor(private readonly secret: Buffer) {
    this.proof = Buffer.from(createHmac('sha256', this.key).update(this.run).digest('hex'));
  }

  get key(): string {
    return this.secret.toString('base64url');
  }

  isProved({ headers }: IncomingMessage): boolean {
    const given = headers[PAGE_HEADER];
    if (typeof given === 'string') return this.isProof(given);
    return (headers['sec-websocket-protocol'] ?? '')
      .split(',')
      .map((one) => one.trim())
      .some((one) => one.startsWith(PAGE_PROTOCOL) && this.isProof(one.slice(PAGE_PROTOCOL.length)));
  }

  /** Whether this browser was cleared of what earlier programs left since the daemon was started. */
  isCleared({ headers }: IncomingMessage, port: number): boolean {
    return (headers.cookie ?? '').split(';').some((one) => one.trim() === `meshd_${port}=${this.cookie}`);
  }

  /**
   * Removes workers, caches and storage of this address and port, and says with a cookie that it was done. Always both:
   * the cookie must not
   * stand for less. Lax, since one of a strict cookie is not sent where a link of another site leads here.
   */
  clearing(port: number): Record<string, string> {
    return {
      'clear-site-data': '"cache", "storage"',
      'set-cookie': `meshd_${port}=${this.cookie}; Path=/; HttpOnly; SameSite=Lax`,
    };
  }

  private isProof(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.proof.length && timingSafeEqual(bytes, this.proof);
  }
}

/**
 * Whether a browser asks for a document that it will show itself. What a service worker passes on is no document to it
 * (`empty`), and the header of
 * navigation preload tells what a worker is about to read.
 */
export const isShownDocument = ({ method, headers }: IncomingMessage) =>
  method === 'GET' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document' &&
  headers['service-worker-navigation-preload'] === undefined;

/** Whether it is asked for before anybody wants to see it. */
export const isForLater = ({ headers }: IncomingMessage) => headers['sec-purpose'] !== undefined;
