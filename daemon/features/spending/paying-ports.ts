import type { OutboundRequest } from '../../http/outbound/outbound-exchange.js';
import { type Clock, sleep } from '../../lib/time/clock.js';
import type { Chains, WalletKey } from '../chains/chain.js';
import type { Journal } from './journal.js';
import type { NeighbourPlace } from './moved-agent.js';
import type { SpentRow } from './spent-store.js';

export interface ExchangeAnswer {
  status: number;
  header(name: string): string | undefined;
  /** Undefined if the body is not JSON. */
  json: unknown;
}

/**
 * Sends requests to agents, under the outbound policy for untrusted addresses. Rejects when there is no complete
 * response.
 */
interface Exchange {
  send(request: OutboundRequest, signal: AbortSignal): Promise<ExchangeAnswer>;
}

/** Signs requests with the identity key, which is not the wallet key. `path` includes the query. */
export interface Signer {
  readonly pubkey: string;
  sign(method: string, path: string, body?: string): string;
}

/** The endpoint of an agent that was found. */
export interface FoundAgent {
  /** Null for an agent that is called by its address and is not registered. */
  agent_id: string | null;
  endpoint: string;
  /**
   * Returns the name of the agent's local network, for an agent of another daemon; null for one of another machine,
   * which nobody here can pay on. Throws `network_unavailable` when it gives no answer.
   */
  localNetwork?: () => Promise<string | null>;
}

/** The directories: the hub, the unified API, and agent search over both. */
export interface AgentDirectory {
  /**
   * Finds an agent by id, or by `<project>/<member>`; undefined if it is not registered or names no endpoint. Throws
   * `not_found` and `bad_request` for a project.
   */
  find(agentId: string): Promise<FoundAgent | undefined>;
  /** Finds an agent by the address under which it is registered. */
  findByEndpoint(endpoint: string): Promise<FoundAgent | undefined>;
}

/**
 * Files a signed report about an agent. Returns the response of the bureau, or why the report was not filed. Never
 * throws.
 */
export type FileReport = (
  agentId: string,
  report: Record<string, unknown>,
  idempotencyKey: string,
  signal: AbortSignal,
) => Promise<unknown>;

/** The keys of prepaid balances with other agents. */
export interface DepositKeys {
  /** Returns the key with the highest balance at `endpoint` whose wallet address is `address` on `network`. */
  find(endpoint: string, address: string | undefined, network: string): Promise<DepositKey | undefined>;
  /** Returns the keys as last read or written. */
  list(): readonly DepositKey[];
  /** Gives the keys of a member of another project the address that it has now. */
  moved(place: NeighbourPlace): Promise<void>;
  /** Stores a key. It is durable before this resolves. */
  put(key: DepositKey): Promise<void>;
}

export interface DepositKey {
  /** Shown in the ledger. */
  agent: string;
  endpoint: string;
  api_key: string;
  network: string;
  /** The address that top-ups are paid to. */
  address: string;
  /** The balance that the agent last reported. */
  lamports: number;
  updated_ms: number;
}

export interface PayingParts {
  clock: Clock;
  exchange: Exchange;
  /** Reads the card that an agent serves at `url`. Rejects with the reason. */
  readCard: (url: string) => Promise<unknown>;
  directory: AgentDirectory;
  /**
   * Returns where the agent of a payment is now: a member of another project may have another port since. Rejects while
   * its project does not run. Absent where no other project is known.
   */
  findEndpoint?: (paid: Pick<SpentRow, 'agent' | 'agent_url' | 'network'>) => Promise<string>;
  chains: Chains;
  wallet: () => Promise<WalletKey>;
  signer: Signer;
  journal: Journal;
  deposits: DepositKeys;
  /** Returns what this side owes to the agent at `endpoint` in lamports, including what running calls may add. */
  owedTo: (endpoint: string) => number;
  /** Lists the debts to the agent at `endpoint`, without running calls. */
  listDebtsTo: (endpoint: string) => readonly Pick<SpentRow, 'payment_id' | 'amount_lamports'>[];
  /** Absent if there is no bureau. */
  fileReport?: FileReport;
}

/** Thrown out of a wait at shutdown. The call resumes from its record at the next start. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** Resolves after `ms`. Throws Stopped as soon as `signal` fires. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await sleep(clock, ms, signal);
  if (signal.aborted) throw new StoppedError('Stopped.');
}
