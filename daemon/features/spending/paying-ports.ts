import { type Clock, sleep } from '../../lib/clock.js';
import type { Chains, WalletKey } from '../chains/chain.js';
import type { Journal } from './journal.js';

/** A request to an agent, or to a bureau. */
export interface ExchangeRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  totalMs: number;
  maxBytes: number;
}

export interface ExchangeAnswer {
  status: number;
  header(name: string): string | undefined;
  /** Undefined for what is no JSON. */
  json: unknown;
}

/** Speaks with agents under the policy for addresses that strangers give. Rejects when there is no whole answer. */
export interface Exchange {
  send(request: ExchangeRequest, signal: AbortSignal): Promise<ExchangeAnswer>;
}

/** Who signs: the identity, which is not the wallet. `path` is with its query. */
export interface Signer {
  readonly pubkey: string;
  sign(method: string, path: string, body?: string): string;
}

/** Where an agent was found. */
export interface FoundAgent {
  /** Null for one that is called by its address and registered nowhere. */
  agent_id: string | null;
  endpoint: string;
}

/** The directories: the hub, the unified API, and the Oracle over both. */
export interface AgentDirectory {
  /** By id; undefined for one that is not registered, or names no endpoint. */
  find(agentId: string): Promise<FoundAgent | undefined>;
  /** By the address under which it is registered. */
  findByEndpoint(endpoint: string): Promise<FoundAgent | undefined>;
}

/** Files a signed report about an agent; gives what the bureau says, or why it was not filed. Never throws. */
export type FileReport = (
  agentId: string,
  report: Record<string, unknown>,
  idempotencyKey: string,
  signal: AbortSignal,
) => Promise<unknown>;

/** Prepaid balances with others, and the keys to them. */
export interface DepositKeys {
  /** The key with the highest balance at `endpoint`, for a wallet that is still the card's. */
  find(endpoint: string, address: string | undefined): Promise<DepositKey | undefined>;
  /** Durable before it resolves. */
  put(key: DepositKey): Promise<void>;
}

export interface DepositKey {
  /** Shown in the ledger. */
  agent: string;
  endpoint: string;
  api_key: string;
  network: string;
  /** Where it is topped up. */
  address: string;
  /** As the agent last said. */
  lamports: number;
  updated_ms: number;
}

export interface PayingParts {
  clock: Clock;
  exchange: Exchange;
  /** What an agent serves as its card at `url`. Rejects with what went wrong. */
  readCard: (url: string) => Promise<unknown>;
  directory: AgentDirectory;
  chains: Chains;
  wallet: () => Promise<WalletKey>;
  signer: Signer;
  journal: Journal;
  deposits: DepositKeys;
  /** What this side owes to the agent at `endpoint`, in lamports, with what calls that are under way may come to owe. */
  owedTo: (endpoint: string) => number;
  /** Absent where there is no bureau. */
  fileReport?: FileReport;
}

/** Thrown out of a wait when the program ends: the call goes on from its record with the next start. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Resolves after `ms`; throws Stopped as soon as `signal` fires. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await sleep(clock, ms, signal);
  if (signal.aborted) throw new Stopped('Stopped.');
}
