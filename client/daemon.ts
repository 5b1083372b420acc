import type { SocketConstructor } from './socket.js';

/** What is sent with each call. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal | null;
  cache: 'no-store';
  credentials: 'omit';
  redirect: 'error';
  /** A deletion is carried out though the page goes. */
  keepalive: boolean;
}

/** What is read of each answer. */
export interface FetchAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

/** A daemon as this library speaks to it: plain data, one for as many calls as there are. */
export interface Daemon {
  /**
   * Its origin, such as `http://127.0.0.1:4747`, without a slash at the end; empty in a page of that origin. A function is asked anew before each call and each
   * connection: a daemon that was started again may listen elsewhere.
   */
  address: string | (() => string | Promise<string>);
  /** A member's token, sent with every call but those of clusters. */
  token?: string;
  /** A cluster's `ck_` or `ak_`, sent with the calls of clusters (`/v1/clusters`). */
  clusterToken?: string | undefined;
  /** Sent with every call and, where `WebSocket` can, with every connection. */
  headers?: Record<string, string>;
  /** `globalThis.fetch` when absent. */
  fetch?: Fetch;
  /**
   * `globalThis.WebSocket` when absent, which Node.js has from version 22 on: give that of the package `ws` before. Any other than the global one is taken to
   * send headers (third argument, as `ws` has it); the global one cannot, so that a cluster's token then stands in the address of the connection.
   */
  WebSocket?: SocketConstructor;
}

/** The origin of `daemon` at this moment. */
export const addressOf = ({ address }: Daemon): string | Promise<string> =>
  typeof address === 'string' ? address : address();
