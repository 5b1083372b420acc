import type { Socket } from 'node:net';

type Read = (this: Socket, chunk: Buffer) => void;

/**
 * Hands what comes over a connection to those who read it now in slices of so many bytes as `sliceBytes` says before each, and drops the rest once that is 0. A chunk may hold nine
 * thousand tiny frames, and whoever is cut off in the midst of it should cost no more than the slice at hand. A reader takes itself off as before.
 */
export function readInSlices(connection: Socket, sliceBytes: () => number): void {
  for (const read of connection.listeners('data') as Read[]) {
    const inSlices = (chunk: Buffer) => {
      for (let at = 0; at < chunk.length && connection.rawListeners('data').includes(inSlices); ) {
        const end = at + sliceBytes();
        if (end === at) return;
        read.call(connection, at === 0 && end >= chunk.length ? chunk : chunk.subarray(at, end));
        at = end;
      }
    };
    // By this a listener is known to stand for another, as one added with `once` does.
    inSlices.listener = read;
    connection.removeListener('data', read);
    connection.on('data', inSlices);
  }
}
