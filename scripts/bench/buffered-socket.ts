import { connect, type Socket } from 'node:net';

/** Connects to a local port. Received bytes are written into `buffer`, and `received` gets their number. */
export const connectInto = (port: number, buffer: Buffer, received: (count: number) => void): Socket =>
  connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer,
      callback: (count) => {
        received(count);
        return true;
      },
    },
  });
