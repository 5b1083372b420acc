import type { Clock } from './clock.js';

export interface FrameLimits {
  framesPerSecond: number;
  burst: number;
  bytesPerSecond: number;
}

/** The default limits of incoming frames and bytes for one socket. */
const FRAME_LIMITS: FrameLimits = { framesPerSecond: 200, burst: 400, bytesPerSecond: 1024 * 1024 };

/** A frame of a client has at least its header and its mask. */
const FRAME_MIN_BYTES = 6;
/** A smaller slice would cost more than it saves. */
const SLICE_MIN_BYTES = 1024;

/** A token bucket for frames and one for bytes, refilled by the monotonic clock. */
export class FrameRate {
  /** Number of frames that were counted so far. */
  framesRead = 0;
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

  /**
   * The size of the next slice to read: it holds hardly more frames than the limit still admits, with a minimum of 1
   * KiB. 0 once a limit is exceeded.
   */
  get sliceBytes(): number {
    if (this.frames < 0 || this.bytes < 0) return 0;
    return Math.max(SLICE_MIN_BYTES, Math.floor(this.frames) * FRAME_MIN_BYTES);
  }

  /** Counts a frame of `bytes` bytes. Returns false when it exceeds a limit. */
  admits(bytes: number): boolean {
    this.refill();
    this.framesRead += 1;
    this.frames -= 1;
    this.bytes -= bytes;
    return this.frames >= 0 && this.bytes >= 0;
  }

  /** Whether the limit of frames is exceeded, which waiting for bytes does not mend. */
  get isOverFrames(): boolean {
    return this.frames < 0;
  }

  /** How long to read nothing until no byte is over the limit, in milliseconds. 0 when none is. */
  waitMs(): number {
    this.refill();
    return this.bytes >= 0 ? 0 : Math.ceil((-this.bytes / this.limits.bytesPerSecond) * 1000);
  }

  private refill(): void {
    const { framesPerSecond, burst, bytesPerSecond } = this.limits;
    const now = this.clock.elapsed();
    const seconds = (now - this.since) / 1000;
    this.since = now;
    this.frames = Math.min(burst, this.frames + seconds * framesPerSecond);
    this.bytes = Math.min(bytesPerSecond, this.bytes + seconds * bytesPerSecond);
  }
}
