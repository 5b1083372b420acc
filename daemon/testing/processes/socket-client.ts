import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** A real WebSocket client whose frames are read in order. Closed when the test ends. */
export class SocketClient<Frame = Record<string, unknown>> {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  private read = 0;
  private wake: () => void = () => undefined;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)) as Frame);
      this.wake();
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) =>
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
    );
    onTestFinished(() => this.socket.terminate());
  }

  /** Resolves with the next unread frame. */
  async next(): Promise<Frame> {
    while (this.frames.length <= this.read) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.read += 1;
    return this.frames[this.read - 1] as Frame;
  }

  /** Resolves with the next frame for which `isIt` holds; skips the frames before it. */
  async until(isIt: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (isIt(frame)) return frame;
    }
  }
}
