import { createHmac } from 'node:crypto';
import { expect, it, vi } from 'vitest';

const KEY = 'a2V5';
const protocolOf = (run: string) => `meshd.page.${createHmac('sha256', KEY).update(run).digest('hex')}`;

it('opens the first socket at once, and each later one with the proof to the run that answers then', async () => {
  vi.resetModules();
  const opened: string[][] = [];
  let run = 'one';
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('fetch', async () => Response.json({ run }));
  vi.stubGlobal(
    'WebSocket',
    class {
      constructor(_address: URL, protocols: string[]) {
        opened.push(protocols);
      }
    },
  );
  const { takeKey } = await import('./page-proof.js');
  const { pageSockets } = await import('./page-socket.js');
  await takeKey({ key: KEY, run } as DOMStringMap);
  const open = pageSockets();
  const address = new URL('ws://127.0.0.1:1/events');
  open(address);
  expect(opened).toEqual([[protocolOf('one')]]);
  run = 'two';
  open(address);
  await vi.waitFor(() => expect(opened).toEqual([[protocolOf('one')], [protocolOf('two')]]));
  vi.unstubAllGlobals();
});
