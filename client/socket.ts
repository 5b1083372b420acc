/** What is read of the event that ends a connection. */
export interface CloseOf {
  readonly code: number;
  readonly reason: string;
}

/** The part of `WebSocket` that a line needs. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** What a constructor is given beside the address: `ws` reads it, a browser does not. */
export interface SocketInit {
  headers: Record<string, string>;
  handshakeTimeout: number;
  perMessageDeflate: boolean;
}

export type SocketConstructor = new (
  url: string,
  protocols: string[],
  init: SocketInit,
) => Socket & { onerror: ((event: never) => void) | null };

/** Of a connection that never was one. */
const NEVER_OPEN: CloseOf = { code: 1006, reason: '' };

/** A socket that is still being opened. What is sent before it is open is dropped; one that cannot be opened is closed. */
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
