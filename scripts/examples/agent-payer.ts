import { join } from 'node:path';
import type { AgentIdentity } from '../../daemon/agent-library/agent-types.js';
import { LibraryChains } from '../../daemon/agent-library/library-chains.js';
import type { CallBody, Caps, LedgerEntry } from '../../daemon/contract/payments.js';
import { walletKey } from '../../daemon/features/chains/wallet-key.js';
import type { CallRow } from '../../daemon/features/spending/calls-store.js';
import { composePayer, type Payer } from '../../daemon/features/spending/compose-spending.js';
import type { AgentDirectory, FoundAgent } from '../../daemon/features/spending/paying-ports.js';
import { readCardThrough } from '../../daemon/features/spending/read-card.js';
import { toLedgerEntry } from '../../daemon/features/spending/spending-views.js';
import { OutboundExchange } from '../../daemon/http/outbound/outbound-exchange.js';
import { OutboundFetch } from '../../daemon/http/outbound/outbound-fetch.js';
import { newCallId } from '../../daemon/lib/ids.js';
import { systemClock } from '../../daemon/lib/time/clock.js';
import { Database } from '../../daemon/storage/database/database.js';
import { loadKey } from '../../daemon/storage/files/key-file.js';
import { SecretFile } from '../../daemon/storage/files/secret-file.js';

interface AgentPayerOptions {
  /** The agent's own folder, with its wallet and its payment journal. */
  folder: string;
  identity: AgentIdentity;
  /** Address of the hub, the agent search and the reputation bureau. */
  hub: string;
  chains: Readonly<Record<string, string>>;
  caps: Caps;
}

/** A supplier from a search. */
interface Found {
  agent_id: string;
  endpoint: string | null;
}

const MAX_BYTES = 256 * 1024;
const TOTAL_MS = 10_000;

/**
 * Pays other agents from a stand-alone agent. Uses the paying side of the daemon with the agent's own journal and
 * wallet.
 */
export class AgentPayer {
  private readonly stopping = new AbortController();

  private constructor(
    private readonly options: AgentPayerOptions,
    private readonly database: Database,
    private readonly exchange: OutboundExchange,
    private readonly outbound: OutboundFetch,
    private readonly payer: Payer,
  ) {}

  /**
   * Opens the journal, and finishes or resumes the calls that an earlier run left. Throws an Error when the agent has
   * no wallet.
   */
  static async open(options: AgentPayerOptions): Promise<AgentPayer> {
    const { folder, identity, hub, caps } = options;
    const database = new Database(join(folder, 'payer.db'));
    const noWallet = () => {
      throw new Error('The agent has no wallet yet: host it first.');
    };
    const wallet = walletKey(await loadKey(folder, 'wallet.key', noWallet, async () => false));
    // Loopback addresses that may be called: the hub, which is on this machine, and agents that it lists.
    const listed = new Set<string>([new URL(hub).host]);
    const exchange = new OutboundExchange({ clock: systemClock, loopback: () => listed });
    const outbound = new OutboundFetch({ clock: systemClock, loopback: () => listed });
    const directory = hubDirectory(hub, exchange, listed);
    const payer = composePayer({
      database,
      clock: systemClock,
      exchange,
      readCard: (url) => readCardThrough(outbound, url),
      directory,
      chains: new LibraryChains(options.chains, systemClock),
      wallet: async () => wallet,
      signer: identity,
      depositsFile: new SecretFile(join(folder, 'deposits.json')),
      mayWriteSecrets: async () => true,
      bureau: () => hub,
      watcher: { call: () => undefined, payment: () => undefined, balance: () => undefined },
    });
    await database.write(() => payer.spent.putCaps(caps));
    const opened = new AgentPayer(options, database, exchange, outbound, payer);
    for (const { call_id } of payer.calls.listLive('running'))
      await payer.client.resumeCall(call_id, opened.stopping.signal);
    return opened;
  }

  /**
   * Returns the agents that the agent search finds for `query`, best first. Throws an Error when the response is not
   * 200.
   */
  async search(query: string): Promise<Found[]> {
    const body = JSON.stringify({ query, filters: { online_only: true, protocols: ['http'], limit: 10 } });
    const url = `${this.options.hub}/v1/search`;
    const answer = await this.exchange.send(
      { method: 'POST', url, body, headers: {}, totalMs: TOTAL_MS, maxBytes: MAX_BYTES },
      this.stopping.signal,
    );
    if (answer.status !== 200) throw new Error(`The Oracle answered ${answer.status}.`);
    return (answer.json as { agents: Found[] }).agents;
  }

  /**
   * Calls a skill and pays for it within the caps. Returns the call in its final state. A call over the caps gets no
   * approval and remains `waiting`.
   */
  async call({ agent, skill, input, mode, topup_lamports }: CallBody): Promise<CallRow> {
    const { calls, client, journal } = this.payer;
    const call_id = newCallId();
    const call = {
      call_id,
      agent,
      skill,
      input: input ?? {},
      asked_mode: mode ?? ('auto' as const),
      max_lamports: null,
      topup_lamports: topup_lamports ?? null,
      wants_report: true,
      created_ms: systemClock.now(),
    };
    await calls.submit(undefined, call, () => undefined);
    await client.resumeCall(call_id, this.stopping.signal);
    return journal.find(call_id) as CallRow;
  }

  /** Returns the payments, newest first. */
  entries(limit: number): LedgerEntry[] {
    return this.payer.spent.list({ limit }).map(toLedgerEntry);
  }

  /** Returns the prepaid deposits with other agents. */
  deposits(): { agent: string; lamports: number }[] {
    return this.payer.deposits.list().map(({ agent, lamports }) => ({ agent, lamports }));
  }

  close(): void {
    this.stopping.abort();
    this.outbound.stop();
    this.database.close();
  }
}

/**
 * Returns a directory that finds agents over the API of a hub. Loopback endpoints that the hub lists are added to
 * `listed`.
 */
function hubDirectory(hub: string, exchange: OutboundExchange, listed: Set<string>): AgentDirectory {
  const never = new AbortController().signal;
  return {
    async find(agentId): Promise<FoundAgent | undefined> {
      const url = `${hub}/agents/${encodeURIComponent(agentId)}`;
      const answer = await exchange.send(
        { method: 'GET', url, headers: {}, totalMs: TOTAL_MS, maxBytes: MAX_BYTES },
        never,
      );
      const { agent_id, agent_card } = (answer.json ?? {}) as {
        agent_id?: string;
        agent_card?: { endpoint?: string } | null;
      };
      const endpoint = agent_card?.endpoint;
      if (answer.status !== 200 || agent_id === undefined || endpoint === undefined) return undefined;
      if (URL.canParse(endpoint) && new URL(endpoint).hostname === '127.0.0.1') listed.add(new URL(endpoint).host);
      return { agent_id, endpoint };
    },
    findByEndpoint: async () => undefined,
  };
}
