import type { Caller } from '../../contract/asks.js';
import type { CardTests } from '../../contract/member-tests.js';
import type { CardInterface } from '../../contract/network/card.js';
import type { HostedTask } from '../../contract/network/hosted-agents.js';
import type { CallMode, PaymentDeclaration } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import type { SkillDeclaration } from '../../lib/agents/skill-declaration.js';
import type { RateLimit } from './rate-limits.js';

/** The context of the call that a skill runs for. */
export interface SkillCall {
  /** Aborts when the caller no longer waits for the response. A paid call runs to its end. */
  signal: AbortSignal;
  /** How the call is paid. Null for a free skill. */
  mode: CallMode | null;
  tier?: string;
  /** Network address of the caller. */
  address: string;
  /** The caller's public key, from a valid `Mesh-Sig`. */
  pubkey?: string;
  caller: Caller;
  /** The session that a task continues. */
  session?: string;
  /** Reports the request id under which the call is recorded. */
  recordedAs(requestId: string): void;
}

/**
 * A runnable skill. An error thrown by `run` becomes the error of the call. The caller of `run` validates its output.
 */
export interface HostedSkill extends SkillDeclaration {
  /** Why its price cannot be charged here, so that it is not served. */
  refusal?: string;
  run(input: Record<string, unknown>, call: SkillCall): Promise<unknown>;
}

/** The credential required for skills without a price. */
export interface Opener {
  /** Its name in the card's `securitySchemes`. */
  name: string;
  description: string;
  /** Takes the same time for every wrong token. */
  isRight(token: string): boolean;
}

/** Tasks that remain available after the call that created them. */
export interface TaskRecords {
  /**
   * Starts a skill without a price and returns its task while it runs. Undefined for a skill that does not
   * support this.
   */
  start(skill: HostedSkill, input: Record<string, unknown>, call: SkillCall): Promise<HostedTask> | undefined;
  /** Stores a finished task when no other component does. */
  keep?(task: HostedTask): void;
  /** Throws `not_found`. */
  read(taskId: string): Promise<HostedTask>;
}

/** A hosted agent: a card with runnable skills. Spec: Interface hosted by each agent. */
export interface AgentSpec {
  agent_id: string;
  /** `{agent_url}`, available once it is known. */
  url: () => string;
  name: string;
  description: string;
  /** Version of the skill contract, without the digest that is appended to it. */
  version: string;
  inputModes: readonly string[];
  outputModes: readonly string[];
  /** Prices as shown in the card. */
  pricing: PricingRow | PricingRow[];
  /** Present whenever a skill has a price. */
  payment?: PaymentDeclaration;
  contact?: Readonly<Record<string, string>>;
  availability?: Readonly<{ now?: boolean; window_hours?: string; sla?: string }>;
  /** The usual time until an answer, or the longest one, in words, as declared. */
  latency: string;
  /** The measured time until an answer, in words; undefined while too few are known. */
  measuredLatency?: () => string | undefined;
  documentationUrl?: string;
  skills: readonly HostedSkill[];
  /** Null when skills without a price are open to all. */
  opener: Opener | null;
  /** The interfaces besides its skills. */
  interfaces: readonly CardInterface[];
  preferredTransport: string;
  /** Protocols that answer besides HTTP, A2A and x402. */
  moreProtocols: readonly string[];
  /** Path of the banner below `url`. */
  bannerPath: string;
  /** Paths beyond those of every agent, for the banner and the OpenAPI description. They require the opener. */
  morePaths: readonly { method: 'GET' | 'POST'; path: string; summary: string; operation: Record<string, unknown> }[];
  /** The state of its contract tests. Undefined when it has none. */
  tests?: CardTests;
  /** The providers that run it. */
  providers: () => readonly string[];
  rateLimits: RateLimit;
  /** Seconds after which a skill is aborted. Undefined when skills enforce their own deadline. */
  deadlineSeconds?: number;
  isReady(): boolean | Promise<boolean>;
  tasks: TaskRecords;
}
