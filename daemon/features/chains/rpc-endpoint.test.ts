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
): Promise<{ address: string; calls: () => number; asked: Promise<void>; received: () => unknown }> {
  let calls = 0;
  let received: unknown;
  let tell = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { 'content-type': type, accept } = request.headers;
      received = { method: request.method, type, accept, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
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
    received: () => received,
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
  await expect(endpoint(address).read('getSlot', [])).rejects.toMatchObject({
    ...OVERLOADED,
    message: 'solana:devnet cannot be reached: its server answers 503. Try again later.',
    cause: expect.any(Error),
  });
  expect(calls()).toBe(3);
  await expect(endpoint('http://127.0.0.1:1/topsecret').read('getSlot', [])).rejects.toMatchObject(OVERLOADED);
});

it('succeeds when a retry is answered', async () => {
  const busy = json({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'Node is behind' } });
  const { address, calls } = await aServer(json('', 429), busy, json({ jsonrpc: '2.0', id: 1, result: 7 }));
  expect(await endpoint(address).read('getSlot', [])).toBe(7);
  expect(calls()).toBe(3);
});

it('waits twice as long before each further attempt', async () => {
  const waits: number[] = [];
  const { address } = await aServer(json({}, 500));
  const clock = {
    ...systemClock,
    after(ms: number, run: () => void) {
      if (ms < ENDPOINT.totalMs) {
        waits.push(ms);
        run();
      }
      return () => undefined;
    },
  };
  await expect(new RpcEndpoint('solana:devnet', address, clock).read('getSlot', [])).rejects.toMatchObject(OVERLOADED);
  expect(waits).toEqual([250, 500]);
});

it.each([
  ['3', 3_000],
  ['0', 250],
  ['86400', ENDPOINT.totalMs],
  ['Wed, 21 Oct 2099 07:28:00 GMT', 250],
])('waits before a further attempt as a rate limit asks with Retry-After: %s', async (after, waited) => {
  const { address } = await aServer(
    (response) => response.writeHead(429, { 'retry-after': after }).end(),
    json({ jsonrpc: '2.0', id: 1, result: 7 }),
  );
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    after(ms: number, run: () => void) {
      waits.push(ms);
      // Every other timer is a call's own limit.
      if (waits.length % 2 === 0) run();
      return () => undefined;
    },
  };
  expect(await new RpcEndpoint('solana:devnet', address, clock).read('getSlot', [])).toBe(7);
  expect(waits).toEqual([ENDPOINT.totalMs, waited, ENDPOINT.totalMs]);
});

it.each([401, 402, 403, 404])(
  'names the status %i of a key or address that is refused, and asks once',
  async (code) => {
    const { address, calls } = await aServer(json('Unauthorized', code));
    await expect(endpoint(address).read('getSlot', [])).rejects.toMatchObject({
      code: 'network_unavailable',
      message: `solana:devnet cannot be reached: its server answers ${code}. Check its address and the key in it.`,
    });
    expect(calls()).toBe(1);
  },
);

it('posts a JSON-RPC 2.0 call, and leaves no timer behind', async () => {
  const { address, received } = await aServer(json({ jsonrpc: '2.0', id: 1, result: null }));
  let timers = 0;
  const clock = {
    ...systemClock,
    after() {
      timers += 1;
      return () => {
        timers -= 1;
      };
    },
  };
  expect(await new RpcEndpoint('solana:devnet', address, clock).read('getBalance', ['x', { a: 1 }])).toBeNull();
  expect(received()).toEqual({
    method: 'POST',
    type: 'application/json',
    accept: 'application/json',
    body: { jsonrpc: '2.0', id: 1, method: 'getBalance', params: ['x', { a: 1 }] },
  });
  expect(timers).toBe(0);
});

it.each([-32004, -32005, -32014, -32016, -32429, 429])(
  'attempts a read again when the server reports with %i that it is overloaded',
  async (code) => {
    const { address, calls } = await aServer(json({ jsonrpc: '2.0', id: 1, error: { code, message: 'Busy' } }));
    await expect(endpoint(address).send('getSlot', [])).rejects.toMatchObject({
      ...OVERLOADED,
      message: expect.stringContaining('its server has too much to do.'),
    });
    expect(calls()).toBe(1);
  },
);

it('reads the error in an answer with another status, and shortens its message', async () => {
  const error = { code: -32602, message: 'x'.repeat(501) };
  const { address } = await aServer(json({ jsonrpc: '2.0', id: 1, error }, 400));
  await expect(endpoint(address).read('getSlot', [])).rejects.toMatchObject({ message: 'x'.repeat(500) });
  const other = await aServer(json({ jsonrpc: '2.0', id: 1, error: {} }, 499));
  await expect(endpoint(other.address).read('getSlot', [])).rejects.toMatchObject({
    name: 'RpcEndpointError',
    message: 'no reason given',
  });
});

it('takes an answer of exactly the limit', async () => {
  const frame = JSON.stringify({ result: '' }).length;
  const { address } = await aServer(json({ result: 'x'.repeat(ENDPOINT.bytes - frame) }));
  expect(await endpoint(address).send('getSlot', [])).toHaveLength(ENDPOINT.bytes - frame);
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
  ['no JSON', 'answers no JSON.', json('<html>')],
  ['no JSON-RPC', 'answers no JSON-RPC.', json('7')],
  ['JSON null', 'answers no JSON-RPC.', json('null')],
  ['nothing', 'answers no JSON-RPC.', json({})],
  ['a text', 'answers no JSON-RPC.', json('"x"')],
  ['no body', 'answers no JSON.', (response: ServerResponse) => response.writeHead(204).end()],
  ['too many requests', 'answers 429.', json({ result: 1 }, 429)],
  ['an error of the server', 'answers 500.', json({ result: 1 }, 500)],
  [
    'a redirect',
    'does not answer.',
    (response: ServerResponse) =>
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(JSON.stringify({ result: 1 })),
  ],
  [
    'half an answer',
    'does not answer.',
    (response: ServerResponse) =>
      response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  ],
  [
    'more than it may',
    'answer is larger than 8388608 bytes.',
    (response: ServerResponse) => response.writeHead(200).end(Buffer.alloc(ENDPOINT.bytes + 1, 0x20)),
  ],
])('treats %s as no response: it %s', async (_name, reason, answer) => {
  const { address } = await aServer(answer);
  const refusal = await endpoint(address)
    .send('getSlot', [])
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject(OVERLOADED);
  expect(String(refusal)).toContain(`${reason} Try again later.`);
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
