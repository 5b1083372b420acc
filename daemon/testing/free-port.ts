import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux, macOS and Windows give to whoever asks for any port, which other tests do all the time. */
const LOWEST = 12_000;
const END = 32_000;

/** A port that nobody listens on now, and that the system gives to nobody who does not name it. */
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
