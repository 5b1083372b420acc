import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { LibraryChains } from '../../agent-library/library-chains.js';
import type { Network } from '../../contract/payments.js';
import { systemClock } from '../../lib/time/clock.js';
import { testApp } from '../../testing/apps/test-app.js';
import { PublicEndpoint } from './public-endpoint.js';
import { RpcChain } from './rpc-chain.js';
import { walletKey } from './wallet-key.js';

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
/** That of a network of one's own, as a test validator has. */
const OTHER = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const PAYEE = '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC';
const SIGNATURE = '1'.repeat(64);

/** A server with that genesis hash; without one it does not know the method. Every other answer is null. */
async function aServer(answer: { genesis: string | undefined; status?: number }) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { method: string };
    asked.push(method);
    const { genesis, status = 200 } = answer;
    const unknown = { error: { code: -32601, message: 'Method not found' } };
    const said = method !== 'getGenesisHash' ? { result: null } : genesis ? { result: genesis } : unknown;
    response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...said }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?key=topsecret`;
  return { address, asked, endpoint: (network: Network) => new PublicEndpoint(network, address, systemClock, 1) };
}

it.each<[Network, string | undefined, string]>([
  ['solana:devnet', MAINNET, 'solana:devnet is not used: its JSON-RPC address is one of solana:mainnet.'],
  ['solana:mainnet', DEVNET, 'solana:mainnet is not used: its JSON-RPC address is one of solana:devnet.'],
  ['solana:mainnet', OTHER, 'solana:mainnet is not used: its JSON-RPC address is not one of it.'],
  ['solana:mainnet', undefined, 'solana:mainnet is not used: its JSON-RPC address is not one of it.'],
])('is asked nothing as %s when its genesis is %s', async (network, genesis, message) => {
  const { asked, endpoint } = await aServer({ genesis });
  const chain = new RpcChain(network, endpoint(network), systemClock);
  for (const use of [
    () => chain.getBalance(PAYEE),
    () => chain.find(SIGNATURE),
    () => chain.listTransactions(PAYEE),
    () => chain.sign(walletKey(Buffer.alloc(32, 3)), PAYEE, 1n),
    () => chain.send({ signature: SIGNATURE, wire: '' }),
    () => endpoint(network).send('sendTransaction', []),
  ])
    await expect(use()).rejects.toMatchObject({ code: 'network_unavailable', message });
  expect(new Set(asked)).toEqual(new Set(['getGenesisHash']));
});

it.each<[Network, string | undefined]>([
  ['solana:mainnet', MAINNET],
  ['solana:devnet', DEVNET],
  ['solana:devnet', OTHER],
  ['solana:devnet', undefined],
])('is used as %s when its genesis is %s, which is asked for once', async (network, genesis) => {
  const { asked, endpoint } = await aServer({ genesis });
  const one = endpoint(network);
  expect(await Promise.all([one.read('getSlot', []), one.send('sendTransaction', [])])).toEqual([null, null]);
  await one.read('getSlot', []);
  expect(asked.toSorted()).toEqual(['getGenesisHash', 'getSlot', 'getSlot', 'sendTransaction']);
});

it('is asked again when it could not be reached', async () => {
  const answer = { genesis: MAINNET, status: 503 };
  const { endpoint } = await aServer(answer);
  const one = endpoint('solana:mainnet');
  await expect(one.read('getSlot', [])).rejects.toMatchObject({
    message: 'solana:mainnet cannot be reached: its server answers 503. Try again later.',
  });
  answer.status = 200;
  expect(await one.read('getSlot', [])).toBeNull();
});

it.each(['devnet', 'mainnet'])('that the environment gives a daemon for %s is of that network', async (name) => {
  const { address, asked } = await aServer({ genesis: name === 'devnet' ? MAINNET : DEVNET });
  const { call } = await testApp({ env: { [`MESHD_SOLANA_${name.toUpperCase()}_URL`]: address } });
  await call('POST', '/wallets', { name: 'main' });
  const transfer = { to: PAYEE, lamports: 10, network: `solana:${name}` };
  expect(await call('POST', '/wallets/main/pay', transfer)).toMatchObject({
    status: 503,
    body: { error: 'network_unavailable', message: expect.stringContaining(`solana:${name} is not used`) },
  });
  expect(new Set(asked)).toEqual(new Set(['getGenesisHash']));
});

it.each(['devnet', 'mainnet'])('that a program gives its agent for %s is of that network', async (name) => {
  const { address, asked } = await aServer({ genesis: name === 'devnet' ? MAINNET : DEVNET });
  const chain = await new LibraryChains({ [`solana:${name}`]: address }, systemClock).get(`solana:${name}`);
  await expect(chain.getBalance(PAYEE)).rejects.toThrow(`solana:${name} is not used`);
  expect(asked).toEqual(['getGenesisHash']);
});
