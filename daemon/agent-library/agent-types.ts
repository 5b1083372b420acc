/**
 * The public types of `meshd/agent`, for programs that serve an agent of their own. Only types, and no imports: this
 * file is published unchanged.
 */

/** A JSON object. */
export type JsonObject = { [key: string]: unknown };

/** Spec: Pricing row. Amounts of `lamports` are integers. */
export interface AgentPrice {
  unit: string;
  amount: number;
  currency: string;
  network?: string;
  tier?: string;
}

/** Spec: Payment declaration. `wallet` defaults to the agent's own wallet. */
export interface AgentPayment {
  modes: ('x402' | 'deposit')[];
  network?: string;
  wallet?: string;
  deposit?: { min_lamports: number; credit_unit: string };
  postpay_min_reputation?: number | null;
  free_tier?: { calls_per_day: number; by: 'pubkey' | 'ip' | 'pubkey+ip' };
}

/** The context of a call that a skill receives. */
export interface AgentCall {
  agent_id: string;
  skill: string;
  /** Aborted when the caller has disconnected or the deadline has passed. */
  signal: AbortSignal;
  /** Network address of the caller. */
  address: string;
  /** Public key of the caller's valid `Mesh-Sig`. */
  pubkey?: string;
  /** How the call is paid; null for a skill without a price. */
  mode: 'free' | 'deposit' | 'postpay' | 'x402' | null;
  /** The tier that the input names, where prices have tiers. */
  tier?: string;
}

export interface AgentSkillOptions {
  /** Kebab-case and stable: the path is `POST /v1/<id>`. */
  id: string;
  name: string;
  description: string;
  tags?: string[];
  /** 2 to 4 asks in plain words or literal JSON bodies. */
  examples?: string[];
  /**
   * JSON Schema (2020-12). An input that does not match is rejected with 400, and the error names the field.
   * Either spelling is accepted.
   */
  input_schema?: JsonObject;
  inputSchema?: JsonObject;
  /** An output that does not match is answered with 503, and its payment is refunded. */
  output_schema?: JsonObject;
  outputSchema?: JsonObject;
  /** The price of this skill; defaults to the agent's prices. */
  pricing?: AgentPrice | AgentPrice[];
  /**
   * Returns the JSON response. When it throws, the payment is refunded and the response is 503. An error whose `code`
   * is `bad_request`, `forbidden`, `not_found`, `too_large`, `too_many_requests`, `limit_reached`, `overloaded` or
   * `deadline` is returned with that code and its message.
   */
  run(input: JsonObject, call: AgentCall): unknown;
}

/**
 * Limits on calls from one address per minute, hour and day, and on all calls per day. An omitted limit does not apply.
 */
export interface AgentRateLimits {
  per_ip_per_minute?: number;
  per_ip_per_hour?: number;
  per_ip_per_day?: number;
  per_day?: number;
}

export interface AgentOptions {
  /** The id to register: 3 to 64 letters, digits, `-` or `_`. */
  agent_id: string;
  /** The folder for the agent's keys (0600) and its store; created when it is missing. */
  folder: string;
  /** Port on 127.0.0.1. The default 0 selects a free one. */
  port?: number;
  name: string;
  description: string;
  /**
   * Version of the skill contract, such as `1.2.0`. A digest of the contract is appended, so
   * that every change is visible.
   */
  version?: string;
  skills: AgentSkillOptions[];
  /** Default: free. */
  pricing?: AgentPrice | AgentPrice[];
  payment?: AgentPayment;
  defaultInputModes?: string[];
  defaultOutputModes?: string[];
  /** Protocol to endpoint. */
  contact?: { [protocol: string]: string };
  availability?: { window_hours?: string; sla?: string };
  documentationUrl?: string;
  /** Bearer token that unpriced skills require. Without it they are open to every program that can reach the agent. */
  bearer?: string;
  rateLimits?: AgentRateLimits;
  /** JSON-RPC address by network, such as `{ 'solana:local': 'http://127.0.0.1:4747/chain' }`. */
  chains?: { [network: string]: string };
  /** Reports for `/health` whether the agent's back end is available. */
  isReady?(): boolean | Promise<boolean>;
  /** Returns the reputation of a caller's key for post-pay: 0 to 1, or null. */
  reputationOf?(pubkey: string): number | null;
  /** Receives one line of JSON per call. Without it nothing is logged. */
  log?(line: string): void;
}

/** The agent's signing identity, which is separate from its wallet. */
export interface AgentIdentity {
  /** Standard base64 of the 32-byte Ed25519 key. */
  readonly pubkey: string;
  /** Returns the `Mesh-Sig` header for a request: `path` includes the query, `body` is the exact text that is sent. */
  sign(method: string, path: string, body?: string): string;
}

/** The payments of an agent's callers: the newest entries of its ledger, and its totals on each network. */
export interface AgentBooks {
  entries: JsonObject[];
  tills: {
    network: string;
    address: string;
    earned_lamports: number;
    balances_lamports: number;
    owed_lamports: number;
    keys: number;
  }[];
}

/** A running agent. */
export interface Agent {
  readonly agent_id: string;
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly identity: AgentIdentity;
  /** Base58 address of its own wallet. */
  readonly wallet: string;
  /** Returns the Tier-2 card as it is served. */
  card(): JsonObject;
  /**
   * Sends lamports from the agent's own wallet. Resolves with the transaction's signature once
   * the transaction is confirmed.
   */
  pay(transfer: { network: string; to: string; lamports: number; memo?: string }): Promise<string>;
  /** Returns the balance of the agent's own wallet in lamports. */
  balance(network: string): Promise<number>;
  /** Returns the payments of the callers, with the newest `limit` entries; default 200. */
  books(limit?: number): AgentBooks;
  /** Waits for running calls to end, then closes the server and the store. Calling it again is safe. */
  close(): Promise<void>;
}

export interface RegisterOptions {
  /** Address of the hub and the unified API, such as `http://127.0.0.1:4747`. */
  hub: string;
  /** Address of the unified API when it differs from `hub`. */
  base?: string;
  agentId: string;
  /** The Tier-2 card as the agent serves it. A function is called again for each heartbeat. */
  card: JsonObject | (() => JsonObject);
  identity: AgentIdentity;
  /**
   * Folder for the keys of the registrations (0600), so that a later run reuses them. Without
   * it each run registers again.
   */
  folder?: string;
  /** Keywords in addition to the ids and tags of the skills. */
  tags?: string[];
  /** Dotted, such as `media.text`. */
  category?: string;
  /** Milliseconds between two heartbeats; default two minutes. */
  heartbeatMs?: number;
  /** Receives the error of a failed heartbeat, which is retried with the next one. */
  onProblem?(message: string): void;
}

/** A registration on both surfaces, kept alive by heartbeats. */
export interface Registration {
  readonly agent_id: string;
  /** Sends a heartbeat at once, with the current card. Rejects when it fails. */
  beat(): Promise<void>;
  /** Deregisters on both surfaces. Calling it again is safe. */
  close(): Promise<void>;
}

/**
 * Serves an agent: `/.well-known/agent.json`, `/health`, `POST /v1/<skill>`, `/tasks`, `/`, `/openapi.yaml`, and with
 * prices the 402 challenge, `/v1/topup` and `/v1/balance`. Resolves once it listens.
 */
export type HostAgent = (options: AgentOptions) => Promise<Agent>;
/**
 * Registers the agent on the hub and the unified API, binds the identity's key, and sends heartbeats until it is
 * closed. Rejects when the id is taken.
 */
export type RegisterAgent = (options: RegisterOptions) => Promise<Registration>;
