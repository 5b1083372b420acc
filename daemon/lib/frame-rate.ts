import type { Clock } from './clock.js';

export interface FrameLimits {
  framesPerSecond: number;
  burst: number;
  bytesPerSecond: number;
}

/** How much one socket may say. */
export const FRAME_LIMITS: FrameLimits = { framesPerSecond: 200, burst: 400, bytesPerSecond: 1024 * 1024 };

/** A client's frame has at least its head and its mask. */
const FRAME_MIN_BYTES = 6;
/** A smaller slice would cost more than what it spares. */
const SLICE_MIN_BYTES = 1024;

/** A token bucket of frames and one of bytes, refilled by the monotonic clock. */
export class FrameRate {
  private frames: number;
  private bytes: number;
  private since: number;

  constructor(
    private readonly clock: Clock,
    private readonly limits: FrameLimits = FRAME_LIMITS,
  ) {
    this.frames = limits.burst;
    this.bytes = limits.bytesPerSecond;
    this.since = clock.elapsed();
  }

  /** So many bytes hold hardly more frames than are admitted; 0 once there was one too many. */
  get sliceBytes(): number {
    if (this.frames < 0 || this.bytes < 0) return 0;
    return Math.max(SLICE_MIN_BYTES, Math.floor(this.frames) * FRAME_MIN_BYTES);
  }

  /** Counts a frame of `bytes`; false when it is one too many. */
  admits(bytes: number): boolean {
    const { framesPerSecond, burst, bytesPerSecond } = this.limits;
    const now = this.clock.elapsed();
    const seconds = (now - this.since) / 1000;
    this.since = now;
    this.frames = Math.min(burst, this.frames + seconds * framesPerSecond) - 1;
    this.bytes = Math.min(bytesPerSecond, this.bytes + seconds * bytesPerSecond) - bytes;
    return this.frames >= 0 && this.bytes >= 0;
  }
}
