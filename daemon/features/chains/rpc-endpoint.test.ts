import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../lib/time/clock.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { RpcChain } from './rpc-chain.js';
import { ENDPOINT, RpcEndpoint, RpcEndpointError } from './rpc-endpoint.js';

/** A server that answers successive calls with successive `answers`. Returns its address and the number of calls. */
async function aServer(
  ...answers: ((response: ServerResponse) => void)[]
): Promise<{ address: string; calls: () => number; asked: Promise<void> }> {
  let calls = 0;
  let tell = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      (answers[Math.min(calls, answers.length - 1)] as (response: ServerResponse) => void)(response);
      calls += 1;
      tell();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?key=topsecret`,
    calls: () => calls,
    asked,
  };
}

const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse) => {
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof value === 'string' ? value : JSON.stringify(value));
  };
const endpoint = (address: string) => new RpcEndpoint('solana:devnet', address, systemClock, 1);
const OVERLOADED = { code: 'network_unavailable', message: expect.not.stringMatching(/topsecret/) };

it('attempts a read three times before it reports an unreachable network, without its address', async () => {
  const { address, calls } = await aServer(json({}, 503));
  await expect(endpoint(address).read('getSlot', [])).rejects.toMatchObject(OVERLOADED);
  expect(calls()).toBe(3);
  await expect(endpoint('http://127.0.0.1:1/topsecret').read('getSlot', [])).rejects.toMatchObject(OVERLOADED);
});

it('succeeds when a retry is answered', async () => {
  const busy = json({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'Node is behind' } });
  const { address, calls } = await aServer(json('', 429), busy, json({ jsonrpc: '2.0', id: 1, result: 7 }));
  expect(await endpoint(address).read('getSlot', [])).toBe(7);
  expect(calls()).toBe(3);
});

it('sends a transaction only once', async () => {
  const { address, calls } = await aServer(json({}, 500));
  await expect(endpoint(address).send('sendTransaction', ['x'])).rejects.toMatchObject(OVERLOADED);
  expect(calls()).toBe(1);
});

it('returns a refusal unchanged', async () => {
  const { address, calls } = await aServer(
    json({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Invalid', data: { err: 'x' } } }),
  );
  const refusal = await endpoint(address)
    .read('getSlot', [])
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RpcEndpointError);
  expect(refusal).toMatchObject({ code: -32602, message: 'Invalid', data: { err: 'x' } });
  expect(calls()).toBe(1);
});

it.each([
  ['no JSON', json('<html>')],
  ['no JSON-RPC', json('7')],
  ['nothing', json({})],
  ['a redirect', (response: ServerResponse) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
  [
    'half an answer',
    (response: ServerResponse) =>
      response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  ],
  [
    'more than it may',
    (response: ServerResponse) => response.writeHead(200).end(Buffer.alloc(ENDPOINT.bytes + 1, 0x20)),
  ],
])('treats %s as no response', async (_name, answer) => {
  const { address } = await aServer(answer);
  await expect(endpoint(address).send('getSlot', [])).rejects.toMatchObject(OVERLOADED);
});

it('times out after ten seconds', async () => {
  const clock = new FakeClock();
  const { address, asked } = await aServer(() => undefined);
  const answer = new RpcEndpoint('solana:devnet', address, clock).send('getSlot', []).catch((error: unknown) => error);
  await asked;
  clock.advance(ENDPOINT.totalMs);
  expect(await answer).toMatchObject({ ...OVERLOADED, message: expect.stringContaining('within 10 s') });
});

it('does not round balances', async () => {
  const { address } = await aServer(
    json('{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":9007199254740993}}'),
  );
  expect(
    await new RpcChain('solana:mainnet', endpoint(address), systemClock).getBalance('11111111111111111111111111111111'),
  ).toBe(9007199254740993n);
});

it.each([
  ['getBalance', (chain: RpcChain) => chain.getBalance('11111111111111111111111111111111')],
  ['getTransaction', (chain: RpcChain) => chain.find('1'.repeat(64))],
  ['getSignaturesForAddress', (chain: RpcChain) => chain.listTransactions('11111111111111111111111111111111')],
])('treats a response to %s with an unexpected shape as no response', async (_method, ask) => {
  for (const result of [
    7,
    'x',
    {},
    { value: 'x' },
    [7],
    [{ signature: 7 }],
    { value: [] },
    { meta: null },
    { meta: {}, transaction: null },
  ]) {
    const { address } = await aServer(json({ jsonrpc: '2.0', id: 1, result }));
    const answer = ask(new RpcChain('solana:devnet', endpoint(address), systemClock));
    await expect(answer).rejects.toMatchObject({ code: 'network_unavailable' });
  }
});

it('refuses a proof whose transaction has an unsupported version', async () => {
  const { address } = await aServer(
    json({ jsonrpc: '2.0', id: 1, error: { code: -32015, message: 'Transaction version (1) is not supported' } }),
  );
  await expect(
    new RpcChain('solana:devnet', endpoint(address), systemClock).find('1'.repeat(64)),
  ).rejects.toMatchObject({
    code: 'proof_format',
  });
});
