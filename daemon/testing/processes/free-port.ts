import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The range is below the ephemeral ports of Linux, macOS and Windows, which other tests use all the time. */
const LOWEST = 12_000;
const END = 32_000;

/** Returns a port that is free and that the system does not assign as an ephemeral port. */
export async function aFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, END);
    const server = createServer();
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    await once(server.close(), 'close');
    return port;
  }
}
