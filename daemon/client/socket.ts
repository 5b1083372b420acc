/** The part of a close event that is read. */
export interface SocketClose {
  readonly code: number;
  readonly reason: string;
}

/** The part of `WebSocket` that is used. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** Third argument of the constructor: `ws` reads it, a browser ignores it. */
export interface SocketInit {
  headers: Record<string, string>;
  handshakeTimeout: number;
  perMessageDeflate: boolean;
}

export type SocketConstructor = new (
  url: string,
  protocols: string[],
  init: SocketInit,
) => Socket & { readonly readyState: number; onerror: ((event: never) => void) | null };

/** The close of a connection that was never opened. */
export const NEVER_OPEN: SocketClose = { code: 1006, reason: '' };

/**
 * A socket whose address is still being resolved. What is sent before it is open is dropped. If it cannot be opened, it
 * closes.
 */
export class LateSocket implements Socket {
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  private socket: Socket | undefined;
  private isClosed = false;

  constructor(opening: Promise<Socket>) {
    opening.then(
      (socket) => {
        if (this.isClosed) return socket.close();
        this.socket = socket;
        socket.onopen = (event) => this.onopen?.(event);
        socket.onmessage = (event) => this.onmessage?.(event);
        socket.onclose = (event) => this.onclose?.(event);
      },
      () => this.onclose?.(NEVER_OPEN as never),
    );
  }

  send(text: string): void {
    this.socket?.send(text);
  }

  close(): void {
    this.isClosed = true;
    this.socket?.close();
  }
}
