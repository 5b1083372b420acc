import type { Socket } from 'node:net';

type Read = (this: Socket, chunk: Buffer) => void;

/**
 * Replaces the current `data` listeners of a connection by ones that read each chunk in slices. `sliceBytes` is called
 * before each slice and returns its size; 0 drops the rest of the chunk. A chunk may hold nine thousand tiny frames,
 * and a client that is cut off in the middle of it must cost no more than the current slice. A reader removes its
 * listener as before.
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
    // Node.js identifies a wrapped listener by this property, as for one added with `once`.
    inSlices.listener = read;
    connection.removeListener('data', read);
    connection.on('data', inSlices);
  }
}
