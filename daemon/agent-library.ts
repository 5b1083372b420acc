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
import * as errorsContract from './contract/errors.js';
import * as cardContract from './contract/network/card.js';
import * as hostedAgentsContract from './contract/network/hosted-agents.js';
import * as paymentsContract from './contract/payments.js';
import { Bus } from './events/bus.js';
import type { AgentSpec } from './features/agent-host/agent-spec.js';
import { HostedAgent } from './features/agent-host/hosted-agent.js';
import { hostedAgentRoutes } from './features/agent-host/hosted-agent-routes.js';
import type { Chains, WalletKey } from './features/chains/chain.js';
import { walletKey } from './features/chains/wallet-key.js';
import { EarningsLedger } from './features/payments/ledger/earnings-ledger.js';
import { PaymentProcessor } from './features/payments/payment-processor.js';
import { WrongCredentials } from './http/callers/bearer.js';
import { SignedCallers } from './http/callers/signed-caller.js';
import { createServer } from './http/create-server.js';
import { Guard } from './http/guard.js';
import { addSchemas } from './http/openapi.js';
import type { App } from './http/route-types.js';
import { SigningKey } from './lib/crypto/ed25519.js';
import { signMeshSig } from './lib/crypto/mesh-sig.js';
import { MeshError } from './lib/errors.js';
import { systemClock } from './lib/time/clock.js';
import { Database } from './storage/database/database.js';
import { UsedNonces } from './storage/database/used-nonces.js';
import { ensureDirectory } from './storage/files/atomic-write.js';
import { loadKey } from './storage/files/key-file.js';
import { connectionLimits } from './storage/files/open-files.js';

export type * from './agent-library/agent-types.js';
export { registerAgent } from './agent-library/register-agent.js';

const always = async () => true;
/** Default number of entries that `books` returns. */
const BOOKS_SHOWN = 200;

/** The server of one agent, with its store and its payments. */
class AgentServer {
  private readonly requests = new OpenRequests();
  private agent: HostedAgent | undefined;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly app: App,
    private readonly guard: Guard,
    readonly database: Database,
    readonly payments: PaymentProcessor,
  ) {}

  static async open(
    options: AgentOptions,
    { chains, wallet, paymentKey }: { chains: Chains; wallet: WalletKey; paymentKey: Uint8Array },
  ): Promise<AgentServer> {
    const { folder, log } = options;
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
      clock: systemClock,
      bus: new Bus(systemClock),
      secretKey: paymentKey,
      mainAddress: async () => wallet.address,
      getCredit: (pubkey) => options.reputationOf?.(pubkey) ?? null,
      onFault: (error, id) => app.log.error({ err: error, id }, 'a paid call failed'),
      warn: (message) => app.log.warn(message),
    });
    const server = new AgentServer(app, guard, database, payments);
    await server.addRoutes();
    return server;
  }

  private async addRoutes(): Promise<void> {
    const { app, requests } = this;
    app.addHook('onRequest', async (request) => requests.begin(request));
    // The response of a caller that disconnects never finishes, but its call must still be recorded in the books.
    app.addHook('onSend', async (request, { raw }) => {
      if (raw.closed) requests.end(request);
      else raw.once('close', () => requests.end(request));
    });
    addSchemas(app, [errorsContract, asksContract, cardContract, hostedAgentsContract, paymentsContract]);
    await app.register(hostedAgentRoutes, {
      bannerPath: '/',
      taskAccess: 'public',
      find: () => this.find(),
      getSubject: ({ spec }) => spec.agent_id,
      signed: new SignedCallers(new UsedNonces(this.database), systemClock),
      wrong: new WrongCredentials(systemClock),
    });
  }

  private async find(): Promise<HostedAgent> {
    if (this.agent && !this.closing) return this.agent;
    throw new MeshError('overloaded', `The agent is ${this.closing ? 'closing' : 'starting'}.`);
  }

  /** Listens on 127.0.0.1 and returns the port. Closes everything when it cannot. */
  async listen(wanted: number): Promise<number> {
    try {
      await this.payments.start();
      await this.app.listen({ host: '127.0.0.1', port: wanted });
    } catch (error) {
      await this.close();
      throw error;
    }
    const { port } = this.app.server.address() as { port: number };
    this.guard.listeningOn(port);
    return port;
  }

  /** Starts to answer requests to the agent. Until then they are refused. */
  serve(spec: AgentSpec): HostedAgent {
    this.agent = new HostedAgent(spec, {
      processor: () => this.payments,
      clock: systemClock,
      onFailure: (error, skill) => this.app.log.error({ err: error, skill }, 'a skill failed'),
    });
    return this.agent;
  }

  /** Calling it again is safe. */
  close(): Promise<void> {
    this.closing ??= this.shut();
    return this.closing;
  }

  private async shut(): Promise<void> {
    // Closing cuts the connections, so requests in progress are finished first.
    await this.requests.idle();
    await this.app.close();
    // A paid call writes its books after its skill has run.
    await this.payments.stop();
    this.database.close();
  }
}

/** Implements HostAgent. Throws `bad_request` with `path` for options that cannot be served. */
export const hostAgent: HostAgent = async (options: AgentOptions): Promise<Agent> => {
  const { folder } = options;
  await ensureDirectory(folder, 0o700);
  const identity = new SigningKey(await loadKey(folder, 'identity.key', SigningKey.newSeed, always));
  const wallet = walletKey(await loadKey(folder, 'wallet.key', SigningKey.newSeed, always));
  const paymentKey = await loadKey(folder, 'till.key', () => randomBytes(32), always);
  const chains = new LibraryChains(options.chains ?? {}, systemClock);
  let port = 0;
  const url = () => `http://127.0.0.1:${port}`;
  const getSpec = () => librarySpec(options, { url, wallet: wallet.address, networks: chains.list() });
  // Invalid options are reported before anything is opened.
  getSpec();

  const server = await AgentServer.open(options, { chains, wallet, paymentKey });
  port = await server.listen(options.port ?? 0);
  const hosted = server.serve(getSpec());
  return {
    agent_id: options.agent_id,
    url: url(),
    wallet: wallet.address,
    identity: {
      pubkey: identity.pubkey,
      sign: (method, path, body = '') => signMeshSig(identity, { method, path, body }, systemClock.now()),
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
      entries: new EarningsLedger(server.database, systemClock).list({ limit }).map(({ entry }) => ({ ...entry })),
      tills: server.payments.journal.earnings(),
    }),
    close: () => server.close(),
  };
};
