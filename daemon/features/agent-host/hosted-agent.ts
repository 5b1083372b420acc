import type { AgentCard, AgentHealth, PublicCard } from '../../contract/network/card.js';
import type { AgentBanner, HostedTask, TaskSendBody } from '../../contract/network/hosted-agents.js';
import type { Balance, PaymentDeclaration, Topup } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';
import type { Clock } from '../../lib/time/clock.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import type { Payer, PaymentPort } from '../payments/payment-port.js';
import { agentBanner } from './agent-banner.js';
import { agentCard, publicCard } from './agent-cards.js';
import { agentOpenApi } from './agent-openapi.js';
import type { AgentSpec, HostedSkill, SkillCall } from './agent-spec.js';
import { CachedDocument, type ServedDocument } from './cached-document.js';
import { checkedInput, checkedOutput } from './checked-json.js';
import { RateLimits } from './rate-limits.js';
import { isPriced, mayBePriced, selectTier } from './skill-prices.js';
import { finishedTask, taskInput } from './tasks.js';

/** One request to run a skill. */
export interface SkillRequest extends Pick<SkillCall, 'signal' | 'caller' | 'session'> {
  payer: Payer;
  /** SHA-256 of method, path and body. */
  requestSha256: string;
}

/** The response to a skill call. */
export interface SkillAnswer {
  status: number;
  body: unknown;
  headers: Readonly<Record<string, string>>;
}

export interface HostedAgentPorts {
  /** Returns the payment processor. First called when a call has a price. */
  processor: () => PaymentPort;
  clock: Clock;
  /** Receives unexpected errors thrown by a skill. */
  onFailure(error: unknown, skill: string): void;
}

/**
 * A hosted agent: its cards, health, skills with prices, tasks and payments. Routes authorize callers by means of
 * `needsOpener`; everything else about a request is checked here. Spec: Interface hosted by each agent.
 */
export class HostedAgent {
  private readonly cards: CachedDocument<PublicCard>;
  private readonly strictCards: CachedDocument<AgentCard>;
  private readonly descriptions: CachedDocument<string>;

  constructor(
    readonly spec: AgentSpec,
    private readonly ports: HostedAgentPorts,
    private readonly limits = new RateLimits(spec.rateLimits, ports.clock),
  ) {
    const basis = () => `${spec.url()} ${spec.measuredLatency?.() ?? ''}`;
    this.cards = new CachedDocument(() => publicCard(spec), basis);
    this.strictCards = new CachedDocument(() => agentCard(spec), basis);
    this.descriptions = new CachedDocument(() => agentOpenApi(spec), basis);
  }

  /** The Tier-2 card. Byte-identical while it does not change. */
  card(): ServedDocument<PublicCard> {
    return this.cards.get();
  }

  /** The strict A2A 1.0 card. */
  strictCard(): ServedDocument<AgentCard> {
    return this.strictCards.get();
  }

  /** Its OpenAPI 3.1 description in YAML. */
  openApi(): ServedDocument<string> {
    return this.descriptions.get();
  }

  banner(): AgentBanner {
    return agentBanner(this.spec, this.card().value.version);
  }

  async health(): Promise<AgentHealth> {
    const upstream_ready = await Promise.resolve()
      .then(() => this.spec.isReady())
      // A failing readiness check counts as not ready.
      .catch(() => false);
    return { ok: true, agent_id: this.spec.agent_id, upstream_ready };
  }

  /**
   * Counts a call from `address`, except the repeat of one that was challenged here with `nonce`. Throws
   * `too_many_requests`. Spec: Limits.
   */
  admit(address: string, nonce?: string): void {
    this.limits.admit(address, this.isChallenge(nonce) ? nonce : undefined);
  }

  private isChallenge(nonce: string | undefined): boolean {
    return nonce !== undefined && this.ports.processor().isChallenge(this.spec.agent_id, nonce);
  }

  /** Throws `not_found` for a skill that is not in the card. */
  skill(id: string): HostedSkill {
    const skill = this.spec.skills.find((one) => one.id === id);
    if (!skill) throw new MeshError('not_found', `There is no skill "${id.slice(0, 64)}": the card lists them.`);
    return skill;
  }

  /**
   * Must be called before a skill runs for a caller with the bearer token, outside `call`: counts the call from
   * `address`. Throws as `requireChargeable` and `admit`.
   */
  admitCall(id: string, address: string): void {
    this.requireChargeable(id);
    this.admit(address);
  }

  /** Throws `overloaded` for a skill with a price that cannot be charged here, and `not_found`. */
  requireChargeable(id: string): void {
    this.chargeable(this.skill(id));
  }

  /** Whether no skill can be paid for, so that every call needs the bearer token. */
  get needsOpenerAlways(): boolean {
    return this.spec.opener !== null && !this.spec.skills.some(mayBePriced);
  }

  /**
   * Whether a call needs the bearer token, which is the case for calls without a price. Without `input`: whether every
   * call of the skill does.
   */
  needsOpener(skillId: string, input?: unknown): boolean {
    if (this.spec.opener === null) return false;
    const skill = this.skill(skillId);
    if (!mayBePriced(skill)) return true;
    return isObject(input) && !isPriced(skill, selectTier(skill, input));
  }

  /**
   * Runs a skill to completion, through the payment processor when it has a price. Throws `bad_request` or
   * `unknown_key` with the `path` of an invalid input field, before any payment; the payment processor's error for an
   * unpaid call; `overloaded` when the skill failed or its output is invalid; `deadline` when it took too long. The
   * last two are refunded.
   */
  async call(skillId: string, input: unknown, request: SkillRequest): Promise<SkillAnswer> {
    const skill = this.chargeable(this.skill(skillId));
    return this.settled(skill, checkedInput(skill, input), request, (output) => output);
  }

  /** Sends a task, which calls the skill that it names. The task id is the request id. Throws as `call`. */
  async sendTask(body: TaskSendBody, request: SkillRequest): Promise<SkillAnswer> {
    const skill = this.chargeable(this.taskSkill(body));
    const input = checkedInput(skill, taskInput(skill, body));
    const session = body.sessionId;
    const asked = { ...request, ...(session === undefined ? {} : { session }) };
    if (!isPriced(skill, selectTier(skill, input))) {
      const started = this.spec.tasks.start(
        skill,
        input,
        this.createCall(asked, null, undefined, request.signal, () => undefined),
      );
      if (started) return { status: 200, body: await started, headers: {} };
    }
    return this.settled(skill, input, asked, (output, requestId) => {
      const task = finishedTask({ output, requestId, skill: skill.id, session, nowMs: this.ports.clock.now() });
      this.spec.tasks.keep?.(task);
      return task;
    });
  }

  /** The skill that a task names, or the first one. Throws `not_found`. */
  taskSkill({ metadata }: TaskSendBody): HostedSkill {
    const named = metadata?.['skill'] ?? metadata?.['skill_id'] ?? metadata?.['skillId'];
    if (typeof named === 'string') return this.skill(named);
    const [first] = this.spec.skills;
    if (!first) throw new MeshError('not_found', 'This agent has no skill.');
    return first;
  }

  /** A task by its id. Throws `not_found`. */
  task(taskId: string): Promise<HostedTask> {
    return this.spec.tasks.read(taskId);
  }

  /**
   * Opens a deposit key. A repeat with the same `Idempotency-Key` returns the first result without its secrets. Throws
   * `not_found` when the agent has no deposit mode.
   */
  topup(amountLamports: number, key: IdempotencyKey | undefined): Promise<Topup> {
    const payment = this.depositPayment();
    return this.ports.processor().topup(this.spec.agent_id, payment, amountLamports, key);
  }

  /**
   * The remaining balance of a deposit key. Throws `unauthorized` for an unknown key, `not_found` when the agent has no
   * deposit mode.
   */
  balance(apiKey: string): Promise<Balance> {
    return this.ports.processor().balance(this.spec.agent_id, this.depositPayment(), apiKey);
  }

  /** Throws `overloaded` for a skill with a price that cannot be charged here: it is not served free. */
  private chargeable(skill: HostedSkill): HostedSkill {
    if (skill.refusal === undefined) return skill;
    throw new MeshError('overloaded', `The price of this skill ${skill.refusal}`);
  }

  private depositPayment(): PaymentDeclaration {
    const { payment } = this.spec;
    if (!payment?.modes.includes('deposit'))
      throw new MeshError('not_found', 'This agent takes no deposits: its card says how it is paid.');
    return payment;
  }

  private async settled(
    skill: HostedSkill,
    input: Record<string, unknown>,
    request: SkillRequest,
    answer: (output: unknown, requestId: string | undefined) => unknown,
  ): Promise<SkillAnswer> {
    const tier = selectTier(skill, input);
    const run = async (mode: SkillCall['mode'], signal: AbortSignal) => {
      let requestId: string | undefined;
      const call = this.createCall(request, mode, tier, signal, (id) => {
        requestId = id;
      });
      return { status: 200, body: answer(await this.run(skill, input, call), requestId) };
    };
    const { payment, agent_id } = this.spec;
    if (!isPriced(skill, tier) || payment === undefined) {
      // It was admitted as the repeat of a paid call, which it is not.
      if (this.isChallenge(request.payer.nonce)) this.admit(request.payer.address);
      return { ...(await run(null, request.signal)), headers: {} };
    }
    const priced = {
      agent: agent_id,
      skill: skill.id,
      prices: skill.prices,
      payment,
      ...(tier === undefined ? {} : { tier }),
      requestSha256: request.requestSha256,
      payer: request.payer,
    };
    // A paid run is not aborted on disconnect: its result is stored, and the caller can retry with the same proof.
    const { status, body, headers } = await this.ports
      .processor()
      .serve(priced, (mode) => run(mode, new AbortController().signal));
    return { status, body, headers };
  }

  private createCall(
    { caller, payer, session }: SkillRequest,
    mode: SkillCall['mode'],
    tier: string | undefined,
    signal: AbortSignal,
    recordedAs: (id: string) => void,
  ): SkillCall {
    const { address, pubkey } = payer;
    return {
      signal,
      mode,
      address,
      caller,
      recordedAs,
      ...(tier === undefined ? {} : { tier }),
      ...(pubkey === undefined ? {} : { pubkey }),
      ...(session === undefined ? {} : { session }),
    };
  }

  private async run(skill: HostedSkill, input: Record<string, unknown>, call: SkillCall): Promise<unknown> {
    try {
      return checkedOutput(skill, await this.runWithDeadline(skill, input, call));
    } catch (error) {
      if (error instanceof MeshError) throw error;
      this.ports.onFailure(error, skill.id);
      throw new MeshError('overloaded', `The skill ${skill.id} failed. Nothing is owed for it; try again later.`, {
        cause: error,
      });
    }
  }

  private async runWithDeadline(skill: HostedSkill, input: Record<string, unknown>, call: SkillCall): Promise<unknown> {
    const { deadlineSeconds } = this.spec;
    if (deadlineSeconds === undefined) return skill.run(input, call);
    const over = new AbortController();
    let giveUp: () => void = () => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      giveUp = this.ports.clock.after(deadlineSeconds * 1000, () => {
        reject(new MeshError('deadline', `The skill ${skill.id} took longer than ${deadlineSeconds} s.`));
        over.abort();
      });
    });
    try {
      return await Promise.race([
        skill.run(input, { ...call, signal: AbortSignal.any([call.signal, over.signal]) }),
        late,
      ]);
    } finally {
      giveUp();
    }
  }
}
