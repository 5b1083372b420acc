/**
 * `meshd/agent`: a library for programs that host their own agent, beside the daemon. The agent serves the same
 * interface as an exposed member, keeps its keys and its books in its own folder, and shares nothing with any daemon.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Agent, AgentOptions, HostAgent } from './agent-library/agent-types.js';
import { LibraryChains } from './agent-library/library-chains.js';
import { librarySpec } from './agent-library/library-spec.js';
import { OpenRequests } from './agent-library/open-requests.js';
import * as asksContract from './contract/asks.js';
import * as cardContract from './contract/card.js';
import * as errorsContract from './contract/errors.js';
import * as hostedAgentsContract from './contract/hosted-agents.js';
import * as paymentsContract from './contract/payments.js';
import { Bus } from './events/bus.js';
import { HostedAgent } from './features/agent-host/hosted-agent.js';
import { hostedAgentRoutes } from './features/agent-host/hosted-agent-routes.js';
import { walletKey } from './features/chains/wallet-key.js';
import { EarningsLedger } from './features/payments/earnings-ledger.js';
import { PaymentProcessor } from './features/payments/payment-processor.js';
import { WrongCredentials } from './http/bearer.js';
import { createServer } from './http/create-server.js';
import { Guard } from './http/guard.js';
import { addSchemas } from './http/openapi.js';
import { SignedCallers } from './http/signed-caller.js';
import { systemClock } from './lib/clock.js';
import { SigningKey } from './lib/ed25519.js';
import { MeshError } from './lib/errors.js';
import { signMeshSig } from './lib/mesh-sig.js';
import { ensureDirectory } from './storage/atomic-write.js';
import { Database } from './storage/database.js';
import { loadKey } from './storage/key-file.js';
import { connectionLimits } from './storage/open-files.js';
import { UsedNonces } from './storage/used-nonces.js';

export type * from './agent-library/agent-types.js';
export { registerAgent } from './agent-library/register-agent.js';

const always = async () => true;
/** Default number of entries that `books` returns. */
const BOOKS_SHOWN = 200;

/** Implements HostAgent. Throws `bad_request` with `path` for options that cannot be served. */
export const hostAgent: HostAgent = async (options: AgentOptions): Promise<Agent> => {
  const { folder, log } = options;
  const clock = systemClock;
  await ensureDirectory(folder, 0o700);
  const identity = new SigningKey(await loadKey(folder, 'identity.key', SigningKey.newSeed, always));
  const wallet = walletKey(await loadKey(folder, 'wallet.key', SigningKey.newSeed, always));
  const paymentKey = await loadKey(folder, 'till.key', () => randomBytes(32), always);
  const chains = new LibraryChains(options.chains ?? {}, clock);
  const requests = new OpenRequests();
  let port = 0;
  const url = () => `http://127.0.0.1:${port}`;
  // Invalid options are reported before anything is opened.
  librarySpec(options, { url, wallet: wallet.address, networks: chains.list() });

  const database = new Database(join(folder, 'agent.db'));
  const guard = new Guard();
  const app = await createServer({
    guard,
    isForeignPeer: () => false,
    log: log ? { level: 'info', stream: { write: (line) => log(line.trimEnd()) } } : false,
  });
  app.server.maxConnections = connectionLimits().total;
  const payments = new PaymentProcessor({
    database,
    chains,
    clock,
    bus: new Bus(clock),
    secretKey: paymentKey,
    mainAddress: async () => wallet.address,
    getCredit: (pubkey) => options.reputationOf?.(pubkey) ?? null,
    onFault: (error, id) => app.log.error({ err: error, id }, 'a paid call failed'),
    warn: (message) => app.log.warn(message),
  });
  const ports = {
    till: () => payments,
    clock,
    onFailure: (error: unknown, skill: string) => app.log.error({ err: error, skill }, 'a skill failed'),
  };
  let agent: HostedAgent | undefined;
  let isClosing = false;
  const find = async (): Promise<HostedAgent> => {
    if (agent && !isClosing) return agent;
    throw new MeshError('overloaded', `The agent is ${isClosing ? 'closing' : 'starting'}.`);
  };
  app.addHook('onRequest', async () => requests.begin());
  // The response of a caller that disconnects never finishes, but its call must still be recorded in the books.
  app.addHook('onSend', async (_request, { raw }) => {
    if (raw.closed) requests.end();
    else raw.once('close', () => requests.end());
  });
  addSchemas(app, [errorsContract, asksContract, cardContract, hostedAgentsContract, paymentsContract]);
  await app.register(hostedAgentRoutes, {
    bannerPath: '/',
    taskAccess: 'public',
    find,
    getSubject: ({ spec }) => spec.agent_id,
    signed: new SignedCallers(new UsedNonces(database), clock),
    wrong: new WrongCredentials(clock),
  });

  const shut = async () => {
    isClosing = true;
    // Closing cuts the connections, so requests in progress are finished first.
    await requests.idle();
    await app.close();
    // A paid call writes its books after its skill has run.
    await payments.stop();
    database.close();
  };
  try {
    await payments.start();
    await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  } catch (error) {
    await shut();
    throw error;
  }
  ({ port } = app.server.address() as { port: number });
  guard.listeningOn(port);
  agent = new HostedAgent(librarySpec(options, { url, wallet: wallet.address, networks: chains.list() }), ports);
  const hosted = agent;

  let closing: Promise<void> | undefined;
  return {
    agent_id: options.agent_id,
    url: url(),
    wallet: wallet.address,
    identity: {
      pubkey: identity.pubkey,
      sign: (method, path, body = '') => signMeshSig(identity, { method, path, body }, clock.now()),
    },
    card: () => structuredClone(hosted.card().value) as Record<string, unknown>,
    async pay({ network, to, lamports, memo }) {
      if (!Number.isSafeInteger(lamports) || lamports <= 0)
        throw new MeshError('bad_request', '"lamports" must be a whole number above 0.');
      const chain = await chains.get(network);
      const transfer = await chain.sign(wallet, to, BigInt(lamports), memo);
      await chain.send(transfer);
      return transfer.signature;
    },
    balance: async (network) => Number(await (await chains.get(network)).getBalance(wallet.address)),
    books: (limit = BOOKS_SHOWN) => ({
      entries: new EarningsLedger(database, clock).list({ limit }).map(({ entry }) => ({ ...entry })),
      tills: payments.journal.tills(),
    }),
    close() {
      closing ??= shut();
      return closing;
    },
  };
};
