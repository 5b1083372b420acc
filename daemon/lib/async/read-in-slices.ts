import type { Socket } from 'node:net';

type Read = (this: Socket, chunk: Buffer) => void;

/** What limits a connection. */
interface SliceLimit {
  /** Size of the next slice in bytes; 0 drops the rest of the chunk. */
  readonly sliceBytes: number;
  /** Number of frames that were read so far. */
  readonly framesRead: number;
  /** Whether the connection is ended for its frames: what it sent is dropped and not kept for later. */
  readonly isOverFrames: boolean;
}

/** After this many frames of one connection, everybody else is served first. */
const FRAMES_PER_TURN = 100;

/**
 * Replaces the current `data` listeners of a connection by ones that read each chunk in slices. A chunk may hold nine
 * thousand tiny frames: a client that is cut off in the middle of it must cost no more than the current slice, and the
 * rest of it waits for the next turn of the event loop once `FRAMES_PER_TURN` frames were read, or until the connection
 * is resumed when it was paused meanwhile. A reader removes its listener as before.
 */
export function readInSlices(connection: Socket, limit: SliceLimit): void {
  for (const read of connection.listeners('data') as Read[]) {
    const inSlices = (chunk: Buffer) => {
      const lastFrame = limit.framesRead + FRAMES_PER_TURN;
      for (let at = 0; at < chunk.length && connection.rawListeners('data').includes(inSlices); ) {
        if (limit.framesRead >= lastFrame && !connection.isPaused()) {
          connection.pause();
          setImmediate(() => connection.resume());
        }
        if (connection.isPaused() && !limit.isOverFrames) {
          connection.unshift(chunk.subarray(at));
          return;
        }
        const end = at + limit.sliceBytes;
        if (end === at) return;
        read.call(connection, chunk.subarray(at, end));
        at = end;
      }
    };
    // Node.js identifies a wrapped listener by this property, as for one added with `once`.
    inSlices.listener = read;
    connection.removeListener('data', read);
    connection.on('data', inSlices);
  }
}
