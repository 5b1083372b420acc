/** A first-in, first-out queue of frames for one reader. */
export class FrameQueue<Frame> {
  private readonly frames: Frame[] = [];
  private ending: { error?: unknown } | undefined;
  private wake: (() => void) | undefined;

  get size(): number {
    return this.frames.length;
  }

  push(frame: Frame): void {
    if (!this.ending) this.frames.push(frame);
    this.wake?.();
  }

  /** Removes the oldest unread frame. */
  dropOldest(): void {
    this.frames.shift();
  }

  /** Ends the queue. Once the waiting frames are read, the reader gets `error`, or the end when there is none. */
  end(error?: unknown): void {
    this.ending ??= error === undefined ? {} : { error };
    this.wake?.();
  }

  /** As `end`, but drops the waiting frames. */
  cut(error?: unknown): void {
    this.frames.length = 0;
    this.end(error);
  }

  /** Resolves with the next frame; undefined at the end. Throws the error that the queue was ended with. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.frames.shift();
      if (frame !== undefined) return frame;
      if (this.ending && 'error' in this.ending) throw this.ending.error;
      if (this.ending) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
