import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Agent, AgentOptions } from '../../agent-library.js';
import { hostAgent } from '../../agent-library.js';
import {
  type Call,
  type CallBody,
  type Caps,
  type Ledger,
  LOCAL_NETWORK,
  type Wallet,
} from '../../contract/payments.js';
import { aFreePort } from '../processes/free-port.js';
import { RealClock } from '../real-clock.js';
import { temporaryFolder } from '../temporary-folder.js';
import { type TestApp, testApp } from './test-app.js';

export const PRICE = 5000;
/** The fee of the embedded network for a transfer, in lamports. */
export const FEE = 5000;
const FUNDS = 10_000_000;

/** A daemon with a funded wallet, and the ports of local agents that it may call. */
export interface APayer {
  app: TestApp;
  ports: readonly number[];
  wallet: string;
  /** `POST /calls`. */
  pay(body: Partial<CallBody> & { agent: string }): Promise<Call>;
  ledger(): Promise<Ledger>;
  caps(caps: Partial<Caps>): Promise<void>;
  getLamports(address: string): Promise<number>;
}

export async function aPayer({ root, caps = {} }: { root?: string; caps?: Partial<Caps> } = {}): Promise<APayer> {
  const ports = [await aFreePort(), await aFreePort()];
  const env = { MESHD_LOOPBACK_ENDPOINTS: ports.map((port) => `127.0.0.1:${port}`).join(',') };
  const app = await testApp({ clock: new RealClock(), env, ...(root === undefined ? {} : { root }) });
  const funded = (await app.call('POST', '/wallets/main/fund', { lamports: FUNDS })).body as Wallet;
  const payer: APayer = {
    app,
    ports,
    wallet: funded.address,
    pay: async (body) =>
      (await app.call('POST', '/calls', { skill: 'paint', input: { prompt: 'a lamp' }, ...body })).body,
    ledger: async () => (await app.call('GET', '/ledger?limit=200')).body,
    caps: async (patch) => void (await app.call('PATCH', '/ledger/caps', patch)),
    async getLamports(address) {
      const rpc = { jsonrpc: '2.0', id: 1, method: 'getBalance', params: [address] };
      return ((await app.call('POST', '/chain', rpc)).body as { result: { value: number } }).result.value;
    },
  };
  await payer.caps({ per_call_lamports: 1_000_000, per_day_lamports: 10_000_000, ...caps });
  return payer;
}

/** An agent that sells one skill, `paint`. To callers it looks like an agent in its own process. */
interface AnAgent {
  agent: Agent;
  /** The calls of the skill, in order. */
  runs: { input: unknown; mode: string | null; pubkey: string | undefined }[];
}

export async function aSeller(
  { app, ports }: Pick<APayer, 'app' | 'ports'>,
  options: Partial<AgentOptions> & { run?: AgentOptions['skills'][number]['run'] } = {},
): Promise<AnAgent> {
  const runs: AnAgent['runs'] = [];
  const { run = () => ({ painted: runs.length }), ...rest } = options;
  const agent = await hostAgent({
    agent_id: 'painter',
    folder: temporaryFolder(),
    port: ports[0] as number,
    name: 'Painter',
    description: 'Paints pictures.',
    pricing: { unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK },
    payment: { modes: ['x402', 'deposit'], deposit: { min_lamports: 2 * PRICE, credit_unit: 'lamports' } },
    chains: { [LOCAL_NETWORK]: `${app.address}/chain` },
    skills: [
      {
        id: 'paint',
        name: 'Paint',
        description: 'Paints a picture.',
        run(input, call) {
          runs.push({ input, mode: call.mode, pubkey: call.pubkey });
          return run(input, call);
        },
      },
    ],
    ...rest,
  });
  onTestFinished(() => agent.close());
  return { agent, runs };
}

/** A request as the crooked agent receives it. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

/**
 * Starts an agent whose responses the test chooses, valid or not. `hang up` closes the connection without a response.
 */
export async function aCrookedAgent(
  port: number,
  answer: (request: SeenRequest) => { status: number; body?: unknown; headers?: Record<string, string> } | 'hang up',
): Promise<{ url: string; seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
      seen.push(request);
      const said = answer(request);
      if (said === 'hang up') return response.destroy();
      response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
      return response.end(said.body === undefined ? '' : JSON.stringify(said.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, seen };
}
