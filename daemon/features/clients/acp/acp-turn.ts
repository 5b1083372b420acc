import type { ClientContext } from '@agentclientprotocol/sdk';
import type { Usage } from '../../../contract/conversations.js';
import { getErrorMessage as errorText } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { ProcessGroup } from '../../../storage/processes/process-group.js';
import { ToolCalls } from '../agent-program-calls.js';
import { isSince, type Version } from '../agent-program-cost.js';
import { usesProxy } from '../agent-program-environment.js';
import { type JsonObject, toList, toObject, toText } from '../agent-program-json.js';
import { Noise } from '../agent-program-noise.js';
import { createBrief, createMessage } from '../agent-program-prompt.js';
import type { EventQueue } from '../agent-program-queue.js';
import type { Decide, Turn, TurnEvent } from '../client.js';
import { CUT_ANSWER, NO_ROOM } from '../cut-answer.js';
import { acpDetail } from '../permission-detail.js';
import { actsUnasked, countsAnew, getVersion, sessionMeta } from './acp-agent-info.js';
import { explainRefusal } from './acp-failure.js';
import { CANCELLED, isElsewhere, memberMay, outsideDecision, selectOutcome } from './acp-permissions.js';
import { type AcpSetting, AcpSettings, findValue, readOnlyMode } from './acp-settings.js';
import { messageStream } from './acp-stream.js';
import { AcpUpdates, getCost, isAct } from './acp-updates.js';

const PROTOCOL_VERSION = 1;
/**
 * Agents started without their protocol flag wait for a person and never respond; others are slow on a busy machine.
 */
const HELLO_MS = 30_000;
const SESSION_MS = 60_000;
/** How long the agent may take to end a cancelled turn before its process group is stopped. */
const CANCEL_MS = 2_000;
/** For how long a cost waits for what the agent says next. */
const COST_HELD_MS = 250;

interface AcpTurnParts {
  turn: Turn;
  program: string;
  /** The command by which a person logs in; undefined when it is not known. */
  login?: string | undefined;
  /** Whether the program's sessions can be continued. */
  canResume: boolean;
  /** The first version that reports the tokens of a whole turn; undefined when all do. */
  countsTurnSince: Version | undefined;
  /** The first version that obeys `NO_PROXY`; undefined when all do. */
  obeysNoProxySince?: Version | undefined;
  /** The working folder. */
  root: string;
  environment: Readonly<Record<string, string>>;
  group: ProcessGroup;
  clock: Clock;
  queue: EventQueue<TurnEvent>;
  decide: Decide;
  signal: AbortSignal;
  /** Receives what the session offers, for the client's lists. */
  onOffered: (offered: { models: readonly string[]; efforts: readonly string[] }) => void;
}

/** Runs one turn with one agent: initialize, open and configure a session, send the prompt, forward the events. */
export class AcpTurn {
  private readonly noise = new Noise();
  private readonly calls: ToolCalls;
  private readonly updates: AcpUpdates;
  private sessionId = '';
  private isPrompting = false;
  private hasSpoken = false;
  private hello: JsonObject = {};
  private isUnasking = false;
  private breach: Error | undefined;
  /** The response to the prompt, with the numbers that hold for the whole turn. */
  private response: JsonObject = {};
  /** What the turn has taken in all, once it is over. */
  private usage: Usage | undefined;
  private heldCost: { event: TurnEvent; cancel: () => void } | undefined;

  constructor(private readonly parts: AcpTurnParts) {
    this.calls = new ToolCalls(parts.clock, () => parts.group.holdQuiet());
    this.updates = new AcpUpdates(this.calls);
  }

  /** Runs the whole turn. Throws an Error with a message for the operator, or the signal's reason. */
  async converse(): Promise<void> {
    const { client } = await import('@agentclientprotocol/sdk');
    const stream = messageStream(this.parts.group, {
      onUpdate: (update, sessionId) => this.takeUpdate(update, sessionId),
      onMalformed: (line) => this.takeNoise(line),
    });
    const connection = client({ name: 'meshd' })
      .onRequest('session/request_permission', toObject, ({ params }) => this.answerPermission(params))
      .connect(stream);
    try {
      await this.speak(connection.agent);
      // The agent may have written the end of its turn before it was stopped.
      if (this.breach) throw this.breach;
    } catch (error) {
      throw this.breach ?? error;
    } finally {
      this.heldCost?.cancel();
      this.usage = this.updates.usage(this.response);
      for (const call of this.calls.endAll('failed')) await this.parts.queue.push({ type: 'tool', call });
      connection.close();
    }
  }

  /**
   * Reports what the turn has taken in all. The ending must follow at once: a budget that this reaches is not to end a
   * turn that has answered, nor to hide why one has failed.
   */
  async report(): Promise<void> {
    if (this.usage) await this.parts.queue.push({ type: 'usage', usage: this.usage });
  }

  private async speak(agent: ClientContext): Promise<void> {
    const { turn, queue } = this.parts;
    const hello = await this.within(
      HELLO_MS,
      'did not answer the greeting of the Agent Client Protocol',
      this.greet(agent),
    );
    this.hello = hello;
    this.isUnasking = actsUnasked(this.parts.program, hello);
    const { opened, isKept } = await this.within(SESSION_MS, 'did not open a session', this.openSession(agent, hello));
    await queue.push({ type: 'session', session: this.sessionId });
    await this.within(SESSION_MS, 'did not take the settings of its session', this.set(agent, opened));
    const text = isKept
      ? createMessage(turn, { withHistory: false })
      : `${createBrief(turn)}\n\n${createMessage(turn, { withHistory: true })}`;
    const answer = await this.prompt(agent, text);
    for (const call of this.calls.endAll('done')) await queue.push({ type: 'tool', call });
    if (this.countsTurn(hello)) this.response = answer;
    const stopReason = toText(answer['stopReason']);
    this.judge(stopReason);
    if (stopReason === 'max_tokens') await queue.push({ type: 'text', text: CUT_ANSWER });
  }

  private async greet(agent: ClientContext): Promise<JsonObject> {
    const hello = await this.request(agent, 'initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'meshd', version: '1' },
    });
    if (hello['protocolVersion'] === PROTOCOL_VERSION) return hello;
    throw new Error(
      `${this.parts.program} speaks version ${String(hello['protocolVersion'])} of the Agent Client Protocol, ` +
        `not ${PROTOCOL_VERSION}.`,
    );
  }

  /** Continues the conversation's session where the agent can and still has it (`isKept`), else opens a new one. */
  private async openSession(agent: ClientContext, hello: JsonObject): Promise<{ opened: JsonObject; isKept: boolean }> {
    const abilities = toObject(hello['agentCapabilities']);
    const { root, turn } = this.parts;
    const place = { cwd: root, mcpServers: this.listToolServers(hello), ...sessionMeta(turn, hello) };
    const canResume = typeof toObject(abilities['sessionCapabilities'])['resume'] === 'object';
    const method = canResume ? 'session/resume' : abilities['loadSession'] === true ? 'session/load' : undefined;
    const { session } = turn;
    if (session !== null && method !== undefined && this.parts.canResume) {
      try {
        this.sessionId = session;
        this.updates.startFrom(countsAnew(hello) ? 0 : (turn.session_cost_usd ?? 0));
        const opened = await this.request(agent, method, { ...place, sessionId: session });
        return { opened, isKept: true };
      } catch {
        // Agents drop sessions. The history is then sent again. Any other fault recurs in the `session/new` below.
        this.parts.signal.throwIfAborted();
      }
    }
    this.sessionId = '';
    this.updates.startFrom(0);
    const opened = await this.request(agent, 'session/new', place);
    this.sessionId = toText(opened['sessionId']);
    if (this.sessionId === '') throw new Error(`${this.parts.program} opened a session without a name.`);
    return { opened, isKept: false };
  }

  /**
   * The daemon's own tools, for agents that take servers over HTTP and call them without a proxy, which would see the
   * token. The token goes through the program's input.
   */
  private listToolServers(hello: JsonObject): object[] {
    const { tool_server } = this.parts.turn;
    const { mcpCapabilities } = toObject(hello['agentCapabilities']);
    if (!tool_server || toObject(mcpCapabilities)['http'] !== true || !this.callsDirectly(hello)) return [];
    const headers = [{ name: 'Authorization', value: `Bearer ${tool_server.token}` }];
    return [{ type: 'http', name: 'meshd', url: tool_server.url, headers }];
  }

  private async set(agent: ClientContext, opened: JsonObject): Promise<void> {
    const { turn, program } = this.parts;
    const { effort, mode } = await this.setModel(agent, opened);
    const level = effort && turn.member.effort !== 'default' ? findValue(effort, turn.member.effort) : undefined;
    if (effort && level !== undefined) await this.apply(agent, effort, level);
    const quiet = this.isUnasking ? undefined : readOnlyMode(mode);
    if (turn.profile === 'outside') {
      if (!mode || quiet === undefined) {
        throw new Error(
          `${program} offers no mode in which it only reads, so it is not run for other programs’ questions: ` +
            'give the member another client.',
        );
      }
      await this.apply(agent, mode, quiet);
    } else if (
      mode &&
      quiet !== undefined &&
      !memberMay(turn.member.tools, 'edit') &&
      !memberMay(turn.member.tools, 'execute')
    ) {
      await this.apply(agent, mode, quiet);
    }
  }

  /** Chooses the member's model and returns what the session then offers: which levels there are depends on it. */
  private async setModel(agent: ClientContext, opened: JsonObject): Promise<AcpSettings> {
    const { turn, program, onOffered } = this.parts;
    const settings = new AcpSettings(this.sessionId, opened);
    const { model, effort } = settings;
    onOffered({ models: model?.values ?? [], efforts: effort?.values ?? [] });
    const asked = turn.member.model;
    if (asked === 'strongest' || asked === 'default') return settings;
    const value = model && findValue(model, asked);
    if (!model || value === undefined) throw new Error(noSuchModel(program, asked, model));
    const { configOptions } = await this.apply(agent, model, value);
    // All of them, so that an empty list says nothing: there is the one for the model.
    const isTold = toList(configOptions).length > 0;
    return isTold ? new AcpSettings(this.sessionId, { ...opened, configOptions }) : settings;
  }

  private async apply(agent: ClientContext, setting: AcpSetting, value: string): Promise<JsonObject> {
    const { method, params } = setting.request(value);
    return this.request(agent, method, params).catch((error: unknown) => {
      throw new Error(`${this.parts.program} did not take \`${value}\`: ${errorText(error)}`);
    });
  }

  private async prompt(agent: ClientContext, text: string): Promise<JsonObject> {
    this.isPrompting = true;
    const asked = this.request(agent, 'session/prompt', {
      sessionId: this.sessionId,
      prompt: [{ type: 'text', text }],
    });
    try {
      return await this.unlessAborted(asked);
    } catch (error) {
      if (this.parts.signal.aborted) await this.callOff(agent, asked);
      throw error;
    } finally {
      this.isPrompting = false;
    }
  }

  /** Sends `session/cancel`, then waits up to `CANCEL_MS` for the prompt request to settle. */
  private async callOff(agent: ClientContext, asked: Promise<unknown>): Promise<void> {
    await agent.notify('session/cancel', { sessionId: this.sessionId }).catch(() => undefined);
    await new Promise<void>((resolve) => {
      const cancel = this.parts.clock.after(CANCEL_MS, resolve);
      const done = () => {
        cancel();
        resolve();
      };
      asked.then(done, done);
    });
  }

  private async takeUpdate(update: JsonObject, sessionId: unknown): Promise<void> {
    // A loaded session replays its earlier messages. Updates of other sessions do not belong to this turn, and none
    // counts of an agent that is being stopped.
    if (sessionId !== this.sessionId || this.breach) return;
    if (!this.isPrompting) {
      const cost = getCost(update);
      if (cost !== undefined) this.updates.startFrom(cost);
      return;
    }
    try {
      await this.releaseCost();
      for (const event of this.updates.take(update)) {
        if (event.type === 'text') this.hasSpoken = true;
        if (event.type === 'usage') await this.holdCost(event);
        else await this.parts.queue.push(event);
      }
      this.checkDeed(update);
    } catch (error) {
      this.failTurn(error);
    }
  }

  /** Throws an Error about a deed that the agent did not ask for and must not do. */
  private checkDeed(update: JsonObject): void {
    const { turn, program, root } = this.parts;
    const kind = this.updates.getKind(update);
    if (turn.profile === 'outside') {
      const isIn = (path: string) => !isElsewhere(path, root);
      if (!this.updates.isForbiddenOutside(update, isIn)) return;
      throw new Error(`${program} did something in a run that may only read (${kind}), so it was stopped.`);
    }
    // Others report a use as begun while its permission, which is denied, is still asked for.
    const isDone = update['status'] === 'completed' || (this.isUnasking && update['status'] === 'in_progress');
    if (!isDone || !isAct(kind) || memberMay(turn.member.tools, kind)) return;
    const { name } = this.updates.describe(update);
    throw new Error(`${program} used ${name} (${kind}), for which the member has no tool, so it was stopped.`);
  }

  /** Holds a cost back for a moment: agents report it right before they end a turn, which it is not to end first. */
  private async holdCost(event: TurnEvent): Promise<void> {
    const { clock, queue } = this.parts;
    this.heldCost = { event, cancel: clock.after(COST_HELD_MS, () => void this.releaseCost()) };
    const cost_usd = this.updates.costOfSession;
    if (cost_usd !== undefined) await queue.push({ type: 'session', session: this.sessionId, cost_usd });
  }

  private async releaseCost(): Promise<void> {
    const { heldCost } = this;
    this.heldCost = undefined;
    heldCost?.cancel();
    if (heldCost) await this.parts.queue.push(heldCost.event);
  }

  private takeNoise(line: string): void {
    try {
      this.noise.add(line);
    } catch (error) {
      this.failTurn(error);
    }
  }

  private failTurn(error: unknown): void {
    this.breach ??= error instanceof Error ? error : new Error(String(error));
    void this.parts.group.stop();
  }

  private async answerPermission(params: JsonObject): Promise<{ outcome: ReturnType<typeof selectOutcome> }> {
    const { turn, root, environment, group, signal, decide } = this.parts;
    if (signal.aborted || !this.isPrompting) return { outcome: CANCELLED };
    const toolCall = toObject(params['toolCall']);
    const kind = this.updates.getKind(toolCall);
    const { name, target, content, input } = this.updates.describe(toolCall);
    if (turn.profile === 'outside')
      return { outcome: selectOutcome(outsideDecision(kind, toolCall, root), params['options']) };
    if (!memberMay(turn.member.tools, kind)) return { outcome: selectOutcome('deny', params['options']) };
    const release = group.holdQuiet();
    const title = toText(toolCall['title']);
    const detail = acpDetail(kind, content, input, { root, environment });
    const asked = decide({ tool: name, target, reason: title === target ? '' : title, detail });
    const decision = await this.unlessAborted(asked).catch(() => undefined);
    release();
    return { outcome: decision === undefined ? CANCELLED : selectOutcome(decision, params['options']) };
  }

  private countsTurn(hello: JsonObject): boolean {
    const { countsTurnSince } = this.parts;
    return countsTurnSince === undefined || isSince(getVersion(hello), countsTurnSince);
  }

  private callsDirectly(hello: JsonObject): boolean {
    const { environment, obeysNoProxySince } = this.parts;
    if (obeysNoProxySince === undefined || !usesProxy(environment)) return true;
    return isSince(getVersion(hello), obeysNoProxySince);
  }

  private judge(stopReason: string): void {
    const { program } = this.parts;
    if (stopReason === 'refusal') throw new Error(`${program} refused to answer.`);
    if (stopReason === 'max_turn_requests')
      throw new Error(`${program} reached its own limit of steps before it had an answer.`);
    if (stopReason === 'cancelled') throw new Error(`${program} called the turn off.`);
    if (!this.hasSpoken && stopReason === 'max_tokens') throw new Error(NO_ROOM);
    if (!this.hasSpoken) throw new Error(`${program} ended its turn without an answer.`);
  }

  private request(agent: ClientContext, method: string, params: JsonObject): Promise<JsonObject> {
    return agent.request<unknown, JsonObject>(method, params).then(toObject, (error: unknown) => {
      throw explainRefusal(this.parts, this.hello, error);
    });
  }

  private async within<Value>(ms: number, what: string, promise: Promise<Value>): Promise<Value> {
    let cancel: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(
        `${this.parts.program} ${what} within ${ms / 1_000} s. Is it started in the right way, and logged in?`,
      );
      cancel = this.parts.clock.after(ms, () => reject(error));
    });
    return this.unlessAborted(Promise.race([promise, late])).finally(cancel);
  }

  private async unlessAborted<Value>(promise: Promise<Value>): Promise<Value> {
    const { signal } = this.parts;
    let stopListening: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      stopListening = () => signal.removeEventListener('abort', onAbort);
    });
    return Promise.race([promise, aborted]).finally(stopListening);
  }
}

function noSuchModel(program: string, asked: string, model: AcpSetting | undefined): string {
  if (!model)
    return `${program} lets no model be chosen: set the member's model to \`strongest\` instead of \`${asked}\`.`;
  return `${program} offers no model \`${asked}\`. It offers ${model.values.slice(0, 12).join(', ')}.`;
}
