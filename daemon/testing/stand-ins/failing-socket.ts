type Handler = ((event: never) => void) | null;

/**
 * The WebSocket of Node.js 22, for which no connection can be established: it fires `error`, remains in the state
 * CONNECTING and never fires `close`.
 */
export class FailingSocket {
  readonly readyState = 0;
  onopen: Handler = null;
  onmessage: Handler = null;
  onclose: Handler = null;
  onerror: Handler = null;

  constructor() {
    queueMicrotask(() => this.onerror?.(undefined as never));
  }

  send(): void {
    throw new Error('The connection is not open.');
  }

  close(): void {
    this.onerror?.(undefined as never);
  }
}
