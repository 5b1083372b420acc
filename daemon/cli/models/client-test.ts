import type { ClientTest } from '../../contract/clients.js';
import type { HttpClient } from '../http-client.js';

const LOOK_AGAIN_MS = 300;

/** Waits for the end of a test. Ctrl-C stops it. */
export async function waitForTest(client: HttpClient, started: ClientTest): Promise<ClientTest> {
  const path = `/clients/tests/${started.test}`;
  let test = started;
  const stop = () => void client.send<ClientTest>('DELETE', path).catch(() => undefined);
  process.on('SIGINT', stop);
  try {
    while (test.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      test = await client.get<ClientTest>(path);
    }
    return test;
  } finally {
    process.off('SIGINT', stop);
  }
}
