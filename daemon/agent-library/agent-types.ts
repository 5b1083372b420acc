/**
 * What `meshd/agent` offers to a program that is an agent of its own. Types alone, and none of anybody else's: this file is published as it is.
 */

/** An object of JSON. */
export type JsonObject = { [key: string]: unknown };

/** Spec: Pricing row. Amounts of `lamports` are integers. */
export interface AgentPrice {
  unit: string;
  amount: number;
  currency: string;
  network?: string;
  tier?: string;
}

/** Spec: Payment declaration. `wallet` is the agent's own unless another is named. */
export interface AgentPayment {
  modes: ('x402' | 'deposit')[];
  network?: string;
  wallet?: string;
  deposit?: { min_lamports: number; credit_unit: string };
  postpay_min_reputation?: number | null;
  free_tier?: { calls_per_day: number; by: 'pubkey' | 'ip' | 'pubkey+ip' };
}

/** What a skill knows of the call that it runs for. */
export interface AgentCall {
  agent_id: string;
  skill: string;
  /** Fires when nobody waits for the answer any more, or its time is up. */
  signal: AbortSignal;
  /** Network address of the caller. */
  address: string;
  /** Key of the caller's valid `Mesh-Sig`. */
  pubkey?: string;
  /** How the call is paid; null for a skill that has no price. */
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
  /** JSON Schema (2020-12): an input that does not fit is 400 and names the field. Either spelling. */
  input_schema?: JsonObject;
  inputSchema?: JsonObject;
  /** An output that does not fit is 503, and what was paid for it is refunded. */
  output_schema?: JsonObject;
  outputSchema?: JsonObject;
  /** What this skill costs; the agent's own prices unless it names some. */
  pricing?: AgentPrice | AgentPrice[];
  /**
   * Answers with JSON. What it throws is refunded and answered with 503; an error whose `code` is `bad_request`, `forbidden`, `not_found`, `too_large`,
   * `too_many_requests`, `limit_reached`, `overloaded` or `deadline` is answered as such, with its message.
   */
  run(input: JsonObject, call: AgentCall): unknown;
}

/** Calls from one address in a minute, an hour and a day, and from all of them in a day; what is left out is not limited. */
export interface AgentRateLimits {
  per_ip_per_minute?: number;
  per_ip_per_hour?: number;
  per_ip_per_day?: number;
  per_day?: number;
}

export interface AgentOptions {
  /** As it is registered: 3 to 64 letters, digits, `-` or `_`. */
  agent_id: string;
  /** Where its keys (0600) and its store are kept; made when it is missing. */
  folder: string;
  /** On 127.0.0.1; 0, the default, takes a free one. */
  port?: number;
  name: string;
  description: string;
  /** Of the skill contract, such as `1.2.0`; a digest of the contract is added, so that no change goes unnoticed. */
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
  /** What unpriced skills are called with; without it they are open to every program that reaches the agent. */
  bearer?: string;
  rateLimits?: AgentRateLimits;
  /** JSON-RPC address by network, such as `{ 'solana:local': 'http://127.0.0.1:4747/chain' }`. */
  chains?: { [network: string]: string };
  /** Whether what stands behind the agent is there, for `/health`. */
  isReady?(): boolean | Promise<boolean>;
  /** Reputation of a caller's key, 0 to 1 or null, for post-pay. */
  reputationOf?(pubkey: string): number | null;
  /** One line of JSON at a time; nothing is logged without it. */
  log?(line: string): void;
}

/** Who signs: the agent's identity, which is not its wallet. */
export interface AgentIdentity {
  /** Standard base64 of the 32-byte Ed25519 key. */
  readonly pubkey: string;
  /** The `Mesh-Sig` header for a request: `path` with its query, `body` as it is sent. */
  sign(method: string, path: string, body?: string): string;
}

/** What the callers of an agent have paid: the newest entries of its ledger, and what it holds on each network. */
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

/** An agent that is being served. */
export interface Agent {
  readonly agent_id: string;
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly identity: AgentIdentity;
  /** Base58 address of its own wallet. */
  readonly wallet: string;
  /** The Tier-2 card as it is served. */
  card(): JsonObject;
  /** Sends lamports from its own wallet and resolves with the transaction's signature once they are confirmed. */
  pay(transfer: { network: string; to: string; lamports: number; memo?: string }): Promise<string>;
  /** What its own wallet holds. */
  balance(network: string): Promise<number>;
  /** What its callers have paid, the newest `limit` entries; default 200. */
  books(limit?: number): AgentBooks;
  /** Lets calls that run come to their end, then closes the server and the store. Repeating it is safe. */
  close(): Promise<void>;
}

export interface RegisterOptions {
  /** Address of the hub and the unified API, such as `http://127.0.0.1:4747`. */
  hub: string;
  /** Address of the unified API where it is another. */
  base?: string;
  agentId: string;
  /** The Tier-2 card as the agent serves it; a function is asked again at each heartbeat. */
  card: JsonObject | (() => JsonObject);
  identity: AgentIdentity;
  /** Where the keys of its registrations are kept (0600), so that a later run takes them up again; without it each run registers anew. */
  folder?: string;
  /** Keywords beside the ids and tags of the skills. */
  tags?: string[];
  /** Dotted, such as `media.text`. */
  category?: string;
  /** Between two heartbeats; default two minutes. */
  heartbeatMs?: number;
  /** What a heartbeat could not do; it is tried again with the next one. */
  onProblem?(message: string): void;
}

/** An agent on both surfaces, kept alive. */
export interface Registration {
  readonly agent_id: string;
  /** A heartbeat now, with the card as it is; rejects with what went wrong. */
  beat(): Promise<void>;
  /** Deregisters on both surfaces. Repeating it is safe. */
  close(): Promise<void>;
}

/**
 * Serves an agent: `/.well-known/agent.json`, `/health`, `POST /v1/<skill>`, `/tasks`, `/`, `/openapi.yaml`, and with prices the 402 challenge, `/v1/topup`
 * and `/v1/balance`. Resolves when it listens.
 */
export type HostAgent = (options: AgentOptions) => Promise<Agent>;
/** Registers on the hub and the unified API, binds the identity's key, and sends heartbeats until it is closed. Rejects when the id is taken. */
export type RegisterAgent = (options: RegisterOptions) => Promise<Registration>;
