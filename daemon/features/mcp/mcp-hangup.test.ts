import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Mcp } from './mcp.js';

/** Handles one POST without a body after its client disconnected. Returns the faults that were reported. */
async function collectFaults(handle: (mcp: Mcp, request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const faults: unknown[] = [];
  const mcp = new Mcp({
    getSurface: () => {
      throw new Error('The surface is broken.');
    },
    onFault: (error) => faults.push((error as Error).message),
  });
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST /mcp HTTP/1.1\r\nHost: x\r\n\r\n');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  request.on('error', () => undefined);
  client.destroy();
  await once(response, 'close');
  await handle(mcp, request, response);
  return faults;
}

it('reports no fault when the client disconnected before its request was read', async () => {
  const faults = await collectFaults(async (mcp, request, response) =>
    (await mcp.endpoint('x')).answer(request, response, undefined),
  );
  expect(faults).toEqual([]);
});

it('reports a fault of its own even though the client disconnected', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } };
  const faults = await collectFaults(async (mcp, request, response) =>
    (await mcp.endpoint('x')).answer(request, response, body),
  );
  expect(faults).toEqual(['The surface is broken.']);
});
