import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { type A2AError, TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Caller } from '../../contract/asks.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import { MeshError } from '../../lib/errors.js';
import { newContextId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { HostedAgent } from '../agent-host/hosted-agent.js';
import type { Ask } from '../asks/ask-store.js';
import type { Asks } from '../asks/asks.js';
import { toA2aError } from './a2a-errors.js';
import { extendedCard, publicAgentCard } from './extended-card.js';
import { messageQuestion, takesOurModes } from './message-question.js';
import type { A2aVersion, PushNotifications } from './push-notifications.js';
import { type TaskNewsParts, taskNews, untilSettled } from './task-news.js';
import { taskPage } from './task-pages.js';
import { answerPiece, finalAnswer, statusUpdate } from './task-updates.js';
import { type Shown, toTask, toTaskStatus } from './task-view.js';

/** Maximum duration of a blocking send, just below the timeout of common HTTP clients. */
const BLOCKING_MS = 280_000;
/** The skill that a message calls. */
const ASK_SKILL = 'ask';
const CONTEXT_ID = /^[A-Za-z0-9_-]{1,48}$/;
const MESSAGE_ID = /^[^\p{Cc}]{1,256}$/u;

export interface MemberTasksParts extends TaskNewsParts {
  asks: TaskNewsParts['asks'] & Pick<Asks, 'acceptAsk' | 'cancelAsk' | 'listOwn' | 'documentsOf' | 'recheck'>;
  clock: Pick<Clock, 'after'>;
  pushes: PushNotifications;
  /** The client and model that the member currently runs on, for the extended card. */
  running: (member: string) => { client: string; model: string };
  /** Logs an internal failure and returns the id of the log entry. */
  onFault: (error: unknown) => string;
}

/** One call that was authorized by the member's token. */
export interface A2aCall {
  agent: HostedAgent;
  version: A2aVersion;
  caller: Caller;
  /** Network address of the caller. */
  address: string;
  /** Aborts when the caller has disconnected or its token was revoked. */
  signal: AbortSignal;
}

/**
 * The A2A operations on one member's requests, for one call. The request id is the task id; there is no separate store
 * of tasks. A message asks the member. Its context id is the ask's `session`, so a client that sends the context id
 * again continues the conversation; without one a new session is created. Repeating a message id with the same content
 * returns the task created first. All thrown errors are A2A errors. Contract: Ask and poll.
 */
export class MemberTasks implements A2ARequestHandler {
  /**
   * The error thrown last. An internal error that the SDK returns without it is a decoding failure of the parameters.
   */
  thrown: A2AError | undefined;
  private readonly member: string;

  constructor(
    private readonly parts: MemberTasksParts,
    private readonly call: A2aCall,
  ) {
    this.member = call.agent.spec.agent_id;
  }

  async getAgentCard(): Promise<AgentCard> {
    return publicAgentCard(this.call.agent);
  }

  getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    return this.guarded(async () => extendedCard(this.call.agent, this.parts.running(this.member)));
  }

  /** Waits until the task has ended, 280 s at most, unless `returnImmediately` is set. */
  sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    return this.guarded(async () => {
      const shown = { historyLength: checkedLength(configuration?.historyLength) };
      const ask = await this.ask(message, configuration);
      return this.task(configuration?.returnImmediately === true ? ask : await this.settled(ask), shown);
    });
  }

  sendMessageStream({ message, configuration }: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.guardedStream(async function* (this: MemberTasks) {
      const historyLength = checkedLength(configuration?.historyLength);
      const ask = await this.ask(message, configuration);
      yield* this.updates(ask.request_id, historyLength);
    });
  }

  resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.guardedStream(async function* (this: MemberTasks) {
      const ask = this.own(id);
      if (isOver(ask))
        throw new UnsupportedOperationError('This task has ended, so nothing more comes: get it instead.');
      yield* this.updates(ask.request_id, undefined);
    });
  }

  getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return this.guarded(async () => this.task(this.own(id), { historyLength: checkedLength(historyLength) }));
  }

  listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    return this.guarded(async () => {
      const historyLength = checkedLength(request.historyLength);
      const { asks, ...page } = taskPage(this.parts.asks, this.member, request);
      const withArtifacts = request.includeArtifacts === true;
      const current = withArtifacts ? await this.parts.asks.recheck(asks) : asks;
      return { ...page, tasks: current.map((ask) => this.toTask(ask, { historyLength, withArtifacts })) };
    });
  }

  /** Cancels a task. Throws for a task that has ended. */
  cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return this.guarded(async () => {
      const ended = () => new TaskNotCancelableError('This task has ended already.');
      if (isOver(this.own(id))) throw ended();
      const { status, error } = await this.parts.asks.cancelAsk(this.member, id);
      if (status !== 'error' || error?.code !== 'cancelled') throw ended();
      return this.task(this.own(id));
    });
  }

  createTaskPushNotificationConfig(config: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.guarded(async () =>
      this.parts.pushes.put(this.own(config.taskId), await this.parts.pushes.checked(config), this.call.version),
    );
  }

  getTaskPushNotificationConfig({
    taskId,
    id,
  }: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return this.guarded(async () => this.parts.pushes.get(this.own(taskId).request_id, id));
  }

  listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.guarded(async () => ({
      configs: this.parts.pushes.list(this.own(taskId).request_id),
      nextPageToken: '',
    }));
  }

  deleteTaskPushNotificationConfig({ taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return this.guarded(() => this.parts.pushes.delete(this.own(taskId).request_id, id));
  }

  private own(id: string): Ask {
    if (typeof id !== 'string' || id === '')
      throw new MeshError('bad_request', 'The id of a task is required.', { details: { path: 'id' } });
    return this.parts.asks.getOwn(this.member, id);
  }

  /** Submits the ask of a message. The request is durable when this resolves. */
  private async ask(message: Message | undefined, configuration: SendMessageRequest['configuration']): Promise<Ask> {
    const { asks, pushes } = this.parts;
    const { agent, caller, address } = this.call;
    const { messageId, contextId, taskId } = checkedMessage(message);
    if (taskId !== '') throw this.followUp(this.own(taskId), contextId);
    const question = messageQuestion(message as Message);
    if (!takesOurModes(configuration?.acceptedOutputModes ?? [], agent.spec.outputModes)) {
      throw new MeshError(
        'unsupported_media_type',
        `Answers are ${agent.spec.outputModes.join(' and ')}: accept one of them.`,
      );
    }
    agent.requireChargeable(ASK_SKILL);
    if (!agent.needsOpener(ASK_SKILL, { text: question.text })) {
      throw new MeshError(
        'payment_required',
        `This agent is paid for what it answers: call ${agent.spec.url()}/v1/${ASK_SKILL}, which says how.`,
      );
    }
    const wanted = configuration?.taskPushNotificationConfig;
    const push = wanted && (await pushes.checked(wanted));
    agent.admit(address);
    // Part of the key, since a messageId with other content or in another context is a new message.
    const body_sha256 = sha256Hex(jcs({ ...question, contextId }));
    const key = { scope: `a2a ${this.member}`, key: `${messageId} ${body_sha256}`, body_sha256 };
    const session = contextId === '' ? newContextId() : contextId;
    const { request_id } = await asks.acceptAsk(
      this.member,
      { ...question, session },
      { ...caller, idempotency_key: messageId },
      key,
    );
    const ask = asks.getOwn(this.member, request_id);
    if (push) await pushes.put(ask, push, this.call.version);
    return ask;
  }

  /** The error for a message that refers to an existing task: each task is a single question. */
  private followUp(ask: Ask, contextId: string): Error {
    const context = ask.session ?? ask.conv;
    if (contextId !== '' && contextId !== context) {
      return new MeshError('bad_request', `The task belongs to the context ${context}.`, {
        details: { path: 'message.contextId' },
      });
    }
    const said = isOver(ask)
      ? 'has ended'
      : ask.status === 'needs_input'
        ? 'waits for its operator'
        : 'is being answered';
    return new UnsupportedOperationError(
      `This task ${said}: go on with a new message of context ${context} and without a task id.`,
    );
  }

  /** The task with its citations as they are now. */
  private async task(ask: Ask, shown?: Shown): Promise<Task> {
    const [current = ask] = await this.parts.asks.recheck([ask]);
    return this.toTask(current, shown);
  }

  private toTask(ask: Ask, shown?: Shown): Task {
    return toTask(ask, (id) => this.parts.asks.documentsOf(id), shown);
  }

  private async settled({ request_id }: Ask): Promise<Ask> {
    const late = new AbortController();
    const cancel = this.parts.clock.after(BLOCKING_MS, () => late.abort());
    try {
      return await untilSettled(this.parts, this.member, request_id, AbortSignal.any([late.signal, this.call.signal]));
    } finally {
      cancel();
    }
  }

  /**
   * Yields the current task, then its status changes, the pieces of its answer as they are written, and the
   * final answer.
   */
  private async *updates(
    requestId: string,
    historyLength: number | undefined,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    let task: Ask | undefined;
    let hasBegun = false;
    for await (const news of taskNews(this.parts, this.member, requestId, this.call.signal)) {
      if (news.kind === 'text') {
        if (task) yield answerPiece(task, news.text, hasBegun);
        hasBegun = true;
        continue;
      }
      if (!task) yield { payload: { $case: 'task', value: this.toTask(news.ask, { historyLength }) } };
      else if (news.ask.status === 'done') yield* finalAnswer(news.ask);
      if (task || isOver(news.ask)) yield statusUpdate(news.ask, toTaskStatus(news.ask));
      task = news.ask;
    }
  }

  private async guarded<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      throw this.recordThrown(error);
    }
  }

  private async *guardedStream(
    stream: (this: MemberTasks) => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      yield* stream.call(this);
    } catch (error) {
      throw this.recordThrown(error);
    }
  }

  /** Converts `error` to an A2A error and remembers it. */
  recordThrown(error: unknown): A2AError {
    this.thrown = toA2aError(error, this.parts.onFault);
    return this.thrown;
  }
}

const isOver = ({ status }: Pick<Ask, 'status'>) => status === 'done' || status === 'error';

function checkedLength(historyLength: number | undefined): number | undefined {
  if (historyLength === undefined || (Number.isSafeInteger(historyLength) && historyLength >= 0)) return historyLength;
  throw new MeshError('bad_request', '"historyLength" must be an integer of at least 0.', {
    details: { path: 'historyLength' },
  });
}

function checkedMessage(message: Message | undefined): Pick<Message, 'messageId' | 'contextId' | 'taskId'> {
  const { messageId = '', contextId = '', taskId = '' } = message ?? {};
  if (!MESSAGE_ID.test(messageId)) {
    throw new MeshError('bad_request', '"message.messageId" is required, 1 to 256 characters.', {
      details: { path: 'message.messageId' },
    });
  }
  if (contextId !== '' && !CONTEXT_ID.test(contextId)) {
    throw new MeshError('bad_request', '"message.contextId" must be 1 to 48 letters, digits, "-" and "_".', {
      details: { path: 'message.contextId' },
    });
  }
  return { messageId, contextId, taskId };
}
