import type { Caller } from '../../contract/asks.js';
import type { CardInterface } from '../../contract/card.js';
import type { HostedTask } from '../../contract/hosted-agents.js';
import type { CardTests } from '../../contract/member-tests.js';
import type { CallMode, PaymentDeclaration } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import type { SkillDeclaration } from '../../lib/skill-declaration.js';
import type { RateLimit } from './rate-limits.js';

/** What a skill is told of the call that it runs for. */
export interface SkillCall {
  /** Fires when nobody waits for the answer any more. A call that was paid for runs to its end. */
  signal: AbortSignal;
  /** How it is paid; null for a skill that costs nothing. */
  mode: CallMode | null;
  tier?: string;
  /** Network address of the caller. */
  address: string;
  /** Key of the caller's valid `Mesh-Sig`. */
  pubkey?: string;
  caller: Caller;
  /** The session that a task continues. */
  session?: string;
  /** Says under which id the call is on record. */
  recordedAs(requestId: string): void;
}

/** A skill that can be run. What `run` throws is what the call is answered with; its output is checked by whoever calls it. */
export interface HostedSkill extends SkillDeclaration {
  run(input: Record<string, unknown>, call: SkillCall): Promise<unknown>;
}

/** What opens the skills that have no price. */
export interface Opener {
  /** Its name in the card's `securitySchemes`. */
  name: string;
  description: string;
  /** Takes the same time for every wrong token. */
  isRight(token: string): boolean;
}

/** Tasks that are on record beyond the call that made them. */
export interface TaskRecords {
  /** Starts a skill that has no price and answers while it runs; undefined for a skill that cannot be started so. */
  start(skill: HostedSkill, input: Record<string, unknown>, call: SkillCall): Promise<HostedTask> | undefined;
  /** Keeps a task that has been answered, where nobody else does. */
  keep?(task: HostedTask): void;
  /** Throws `not_found`. */
  read(taskId: string): Promise<HostedTask>;
}

/** An agent, as it is hosted: a card with skills that run. Spec: Interface hosted by each agent. */
export interface AgentSpec {
  agent_id: string;
  /** `{agent_url}`, once it is known. */
  url: () => string;
  name: string;
  description: string;
  /** Of the skill contract, without the digest that is added to it. */
  version: string;
  inputModes: readonly string[];
  outputModes: readonly string[];
  /** Prices as the card shows them. */
  pricing: PricingRow | PricingRow[];
  /** There is one wherever a skill has a price. */
  payment?: PaymentDeclaration;
  contact?: Readonly<Record<string, string>>;
  availability?: Readonly<Record<string, string>>;
  documentationUrl?: string;
  skills: readonly HostedSkill[];
  /** Null: skills without a price are open. */
  opener: Opener | null;
  /** How it is reached, beside its skills. */
  interfaces: readonly CardInterface[];
  preferredTransport: string;
  /** Where its banner is, below `url`. */
  bannerPath: string;
  /** Paths that it serves beside those of every agent, for banner and description: with the opener, and as this OpenAPI operation. */
  morePaths: readonly { method: 'GET' | 'POST'; path: string; summary: string; operation: Record<string, unknown> }[];
  /** How its contract tests stand; undefined when it has none. */
  tests?: CardTests;
  /** What runs it. */
  providers: () => readonly string[];
  rateLimits: RateLimit;
  /** Seconds after which a skill is given up; undefined where a skill sees to that itself. */
  deadlineSeconds?: number;
  isReady(): boolean | Promise<boolean>;
  tasks: TaskRecords;
}
