import type { SocketConstructor } from './socket.js';

/** What is passed to `fetch` with each call. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal | null;
  cache: 'no-store';
  credentials: 'omit';
  redirect: 'error';
  /** Set for a DELETE, so that it is carried out even if the page is unloaded. */
  keepalive: boolean;
}

/** The part of a response that is read. */
export interface FetchAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

/** The daemon to talk to: plain data, reusable for any number of calls. */
export interface Daemon {
  /**
   * Its origin, such as `http://127.0.0.1:4747`, without a trailing slash; empty in a page of that origin. A function
   * is called before each call and each connection: a restarted daemon may listen at another address.
   */
  address: string | (() => string | Promise<string>);
  /** A member's token, sent with every call except those of clusters. */
  token?: string;
  /** A cluster's `ck_` or `ak_` token, sent with the calls of clusters (`/v1/clusters`). */
  clusterToken?: string | undefined;
  /** Sent with every call and, where `WebSocket` can send headers, with every connection. */
  headers?: Record<string, string>;
  /** `globalThis.fetch` when absent. */
  fetch?: Fetch;
  /**
   * `globalThis.WebSocket` when absent, which Node.js has since version 22; for older versions pass that of the package
   * `ws`. Any constructor other than the global one is expected to send headers (third argument, as in `ws`). The
   * global one cannot, so a cluster's token is then in the URL of the connection.
   */
  WebSocket?: SocketConstructor;
}

/** Returns the current origin of `daemon`. */
export const resolveAddress = ({ address }: Daemon): string | Promise<string> =>
  typeof address === 'string' ? address : address();
