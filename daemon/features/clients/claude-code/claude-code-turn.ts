import type { Usage } from '../../../contract/conversations.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { ProcessGroup } from '../../../storage/processes/process-group.js';
import { AnswerText } from '../agent-program-answer.js';
import { ToolCalls } from '../agent-program-calls.js';
import { turnCost } from '../agent-program-cost.js';
import { Noise } from '../agent-program-noise.js';
import type { Decide, Turn, TurnEvent } from '../client.js';
import { claudeDetail, type RunPlace } from '../permission-detail.js';
import { type Frame, readFrame } from './claude-code-frames.js';

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { kind: Kind }>;

const REFUSED = 'The operator did not allow this. Go on without it, or say what you would need and why.';
const REFUSED_OUTSIDE = 'Other programs’ questions may only read this project. Go on without it.';
export const NOT_LOGGED_IN =
  'Claude Code is not logged in, or its key is refused: start `claude` once and log in, or set ANTHROPIC_API_KEY.';
const SESSION_GONE = /^No conversation found with session ID/;

/** The state of one run of the program. */
export class ClaudeCodeTurn {
  result: FrameOf<'result'> | undefined;
  /** Whether no further result follows: nothing ran in the background when it came, or the run has failed. */
  isFinal = false;
  private readonly answer = new AnswerText();
  private readonly noise = new Noise();
  private readonly calls: ToolCalls;
  /** Ids of messages whose text has already arrived in pieces. */
  private readonly streamed = new Set<string>();
  /** What each message has taken: messages of one id report it again and again. */
  private readonly taken = new Map<string, Usage>();
  private streamedId = '';
  private session: FrameOf<'session'> | undefined;
  private isOpen = true;
  /** Set while the program reports tasks in the background, during which it may be silent. */
  private releaseBackground: (() => void) | undefined;

  constructor(
    private readonly turn: Turn,
    private readonly group: ProcessGroup,
    clock: Clock,
    private readonly decide: Decide,
    private readonly place: RunPlace,
  ) {
    this.calls = new ToolCalls(clock, () => group.holdQuiet());
  }

  /** Whether the run failed because the program did not have the session to resume. */
  get isSessionGone(): boolean {
    return this.turn.session !== null && this.result?.isError === true && SESSION_GONE.test(this.result.message);
  }

  /** Yields the events of the next line. Throws an Error when the run cannot produce an answer. */
  *take(line: string): Generator<TurnEvent, void, void> {
    const frame = readFrame(line);
    if (!frame) {
      this.noise.add(line);
      return;
    }
    switch (frame.kind) {
      case 'session':
        this.session = frame;
        yield { type: 'session', session: frame.session };
        return;
      case 'message_start':
        this.streamed.add(frame.id);
        this.streamedId = frame.id;
        yield* this.use(frame.id, frame.usage);
        return;
      case 'message_usage':
        yield* this.use(this.streamedId, frame.usage);
        return;
      case 'block_start':
        this.answer.startBlock();
        return;
      case 'text':
        yield* this.say(frame.text);
        return;
      case 'said':
        yield* this.takeMessage(frame);
        yield* this.use(frame.id, frame.usage);
        return;
      case 'results':
        for (const { id, isError, output } of frame.results) {
          const call = this.calls.end(id, isError ? 'failed' : 'done', output);
          if (call) yield { type: 'tool', call };
        }
        return;
      case 'question':
        void this.ask(frame);
        return;
      case 'retry':
        yield this.waiting(frame);
        return;
      case 'background':
        this.watchBackground(frame.isAny);
        return;
      case 'result':
        this.result = frame;
        this.isFinal = frame.isError || this.releaseBackground === undefined;
    }
  }

  /** Yields the last events of a run that has answered. */
  *finish(): Generator<TurnEvent, void, void> {
    for (const call of this.calls.endAll('done')) yield { type: 'tool', call };
    if (this.answer.isEmpty) yield* this.say(this.result?.message ?? '');
    yield* this.report();
    yield { type: 'end', citations: [] };
  }

  /** Yields what the turn has taken in all, and what its session has cost, of every version: one may follow another. */
  *report(): Generator<TurnEvent, void, void> {
    const { cost_usd: total, ...reported } = this.result?.usage ?? {};
    const isKept = this.turn.session !== null && this.session?.keepsCost === true;
    const before = isKept ? (this.turn.session_cost_usd ?? 0) : 0;
    const cost = total === undefined ? {} : { cost_usd: turnCost(total, before) };
    const usage = { ...largestOf(this.sumTaken(), reported), ...cost };
    if (this.session && total !== undefined) yield { type: 'session', session: this.session.session, cost_usd: total };
    // Last, so that a budget that this reaches does not end a turn that has answered.
    if (Object.keys(usage).length > 0) yield { type: 'usage', usage };
  }

  /** Ends all tool calls. Pending permission requests get no reply after this. */
  close(): void {
    this.isOpen = false;
    this.calls.endAll('failed');
    this.watchBackground(false);
  }

  private watchBackground(isAny: boolean): void {
    if (isAny) this.releaseBackground ??= this.group.holdQuiet();
    else {
      this.releaseBackground?.();
      this.releaseBackground = undefined;
    }
  }

  /** Yields what the turn has taken so far, when a message took more than was known. */
  private *use(id: string, { input_tokens, output_tokens }: Usage): Generator<TurnEvent, void, void> {
    const { input_tokens: input = 0, output_tokens: output = 0 } = this.taken.get(id) ?? {};
    const most = {
      input_tokens: Math.max(input, input_tokens ?? 0),
      output_tokens: Math.max(output, output_tokens ?? 0),
    };
    if (id === '' || (most.input_tokens === input && most.output_tokens === output)) return;
    this.taken.set(id, most);
    yield { type: 'usage', usage: this.sumTaken() };
  }

  private sumTaken(): Usage {
    if (this.taken.size === 0) return {};
    const sum = (kind: 'input_tokens' | 'output_tokens') =>
      [...this.taken.values()].reduce((all, one) => all + (one[kind] ?? 0), 0);
    return { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') };
  }

  private *say(text: string): Generator<TurnEvent, void, void> {
    const piece = this.answer.add(text);
    if (piece !== '') yield { type: 'text', text: piece };
  }

  private *takeMessage({ id, isNested, texts, tools }: FrameOf<'said'>): Generator<TurnEvent, void, void> {
    if (!isNested && !this.streamed.has(id)) {
      for (const text of texts) {
        this.answer.startBlock();
        yield* this.say(text);
      }
    }
    for (const tool of tools) yield { type: 'tool', call: this.calls.begin(tool.id, tool.name, tool.target) };
  }

  private waiting({ attempt, of, error, status }: FrameOf<'retry'>): TurnEvent {
    // Retrying for minutes does not make a rejected key valid.
    if (status === 401 || status === 403 || error === 'authentication_failed') {
      throw new Error(NOT_LOGGED_IN);
    }
    return { type: 'progress', stage: 'waiting for the model', done: attempt, total: of };
  }

  private async ask({ request, tool, target, reason, input }: FrameOf<'question'>): Promise<void> {
    if (this.turn.profile === 'outside') return this.reply(request, { behavior: 'deny', message: REFUSED_OUTSIDE });
    const release = this.group.holdQuiet();
    const decision = await this.decide({ tool, target, reason, detail: claudeDetail(tool, input, this.place) });
    release();
    if (decision === 'deny') return this.reply(request, { behavior: 'deny', message: REFUSED });
    // The program is given no lasting permission: the daemon holds the rules, so that taking one back has an effect.
    return this.reply(request, { behavior: 'allow', updatedInput: input });
  }

  private async reply(request: string, response: unknown): Promise<void> {
    if (!this.isOpen) return;
    const frame = { type: 'control_response', response: { subtype: 'success', request_id: request, response } };
    await this.group.write(`${JSON.stringify(frame)}\n`);
  }
}

/** A result leaves out subagents, and after another one what came before; messages may leave out their last tokens. */
function largestOf(taken: Usage, reported: Usage): Usage {
  const largest: Usage = { ...taken, ...reported };
  for (const kind of ['input_tokens', 'output_tokens'] as const)
    if (largest[kind] !== undefined) largest[kind] = Math.max(taken[kind] ?? 0, reported[kind] ?? 0);
  return largest;
}
