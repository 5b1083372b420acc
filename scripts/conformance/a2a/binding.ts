import { type Answer, type Body, type Call, call } from './http.js';

/** A message as every version knows it. */
export interface SentMessage {
  messageId: string;
  text: string;
  contextId?: string;
  taskId?: string;
}

export interface PushConfig {
  id: string;
  url: string;
  token?: string;
  /** Credentials of the scheme Bearer. */
  credentials?: string;
}

export interface Sending {
  /** Whether the call waits until the task has ended. */
  isBlocking?: boolean;
  historyLength?: number;
  push?: PushConfig;
}

/** A task, whatever the version calls its members. */
export interface Task {
  id: string;
  contextId: string;
  /** Lower case with hyphens: `input-required`. */
  state: string;
  answer: string | undefined;
  history: { messageId: string; text: string }[] | undefined;
  hasArtifacts: boolean;
}

/** An error, whatever the binding calls it. `code` is that of JSON-RPC; it is undefined where only a status is sent. */
export interface Failure {
  status: number;
  code?: number | undefined;
  /** The name of an A2A error, such as TASK_NOT_FOUND. */
  reason?: string | undefined;
}

type Result<Value> = { value: Value; failure?: undefined } | { value?: undefined; failure: Failure };

/** The operations of A2A. Each names the parameters of its request in the words of the binding. */
export type Operation =
  | 'send'
  | 'stream'
  | 'get'
  | 'list'
  | 'cancel'
  | 'subscribe'
  | 'pushSet'
  | 'pushGet'
  | 'pushList'
  | 'pushDelete'
  | 'card';

/** One version over one transport, as its documentation describes it. */
export interface Binding {
  name: string;
  version: '1.0' | '0.3';
  transport: 'JSON-RPC' | 'REST';
  /** The HTTP request of an operation. */
  request(operation: Operation, params: Body): Call;
  sendParams(said: SentMessage, sending: Sending): Body;
  pushParams(taskId: string, config: PushConfig): Body;
  /** The parameters that name one push configuration, or, without an id, all of a task. */
  pushNamed(taskId: string, id?: string): Body;
  /** The result in a successful answer. */
  result(answer: Answer): Body;
  failure(answer: Answer): Failure | undefined;
  /** The task in a result of `send`, or in an event of a stream. */
  taskIn(result: Body): Body;
  /** The configuration in a result of `pushSet` and `pushGet`. */
  configIn(result: Body): { id: string; url: string };
}

const plainState = (state: string) =>
  state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')
    .replace('cancelled', 'canceled');
const joinTexts = (parts: Body[] = []) => parts.map(({ text = '' }) => text).join('');

export function toTask(task: Body): Task {
  return {
    id: task.id,
    contextId: task.contextId,
    state: plainState(task.status.state),
    answer: task.artifacts?.[0] && joinTexts(task.artifacts[0].parts),
    history: task.history?.map((message: Body) => ({
      messageId: message.messageId,
      text: joinTexts(message.parts ?? message.content),
    })),
    hasArtifacts: 'artifacts' in task,
  };
}

/** What one event of a stream says: the state that it reports, if any, and the text of an artifact, if any. */
export interface News {
  kind: 'task' | 'status' | 'artifact' | 'other';
  state?: string;
  text?: string;
  isFinal?: boolean;
}

function toNews(binding: Binding, event: Body): News {
  const result = binding.result({ status: 200, body: event } as Answer);
  const status = result.statusUpdate ?? (result.kind === 'status-update' ? result : undefined);
  if (status) return { kind: 'status', state: plainState(status.status.state), isFinal: status.final };
  const artifact = result.artifactUpdate ?? (result.kind === 'artifact-update' ? result : undefined);
  if (artifact) return { kind: 'artifact', text: joinTexts(artifact.artifact.parts) };
  const task = binding.taskIn(result);
  return task?.status ? { kind: 'task', state: plainState(task.status.state) } : { kind: 'other' };
}

/** A client of one binding. */
export class A2aClient {
  constructor(
    readonly binding: Binding,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Sends an operation with parameters in the words of the binding. */
  raw(operation: Operation, params: Body, onEvent?: (event: Body) => void): Promise<Answer> {
    const request = this.binding.request(operation, params);
    return call({ ...request, headers: { ...request.headers, ...this.headers }, ...(onEvent ? { onEvent } : {}) });
  }

  async do(operation: Operation, params: Body): Promise<Result<Body>> {
    const answer = await this.raw(operation, params);
    const failure = this.binding.failure(answer);
    return failure ? { failure } : { value: this.binding.result(answer) };
  }

  async send(said: SentMessage, sending: Sending = {}): Promise<Result<Task>> {
    const { value, failure } = await this.do('send', this.binding.sendParams(said, { isBlocking: true, ...sending }));
    return failure ? { failure } : { value: toTask(this.binding.taskIn(value)) };
  }

  /** Sends a message that must be taken. */
  async task(said: SentMessage, sending?: Sending): Promise<Task> {
    const { value, failure } = await this.send(said, sending);
    if (failure) throw new Error(`The message was refused: ${JSON.stringify(failure)}`);
    return value;
  }

  async get(id: string, historyLength?: number): Promise<Result<Task>> {
    const { value, failure } = await this.do('get', { id, ...(historyLength === undefined ? {} : { historyLength }) });
    return failure ? { failure } : { value: toTask(value) };
  }

  async cancel(id: string): Promise<Result<Task>> {
    const { value, failure } = await this.do('cancel', { id });
    return failure ? { failure } : { value: toTask(value) };
  }

  /** Sends a message over a stream. Resolves when the stream has ended. */
  async stream(said: SentMessage, onNews?: (news: News) => void): Promise<{ answer: Answer; news: News[] }> {
    return this.streamed('stream', this.binding.sendParams(said, {}), onNews);
  }

  subscribe(id: string, onNews?: (news: News) => void): Promise<{ answer: Answer; news: News[] }> {
    return this.streamed('subscribe', { id }, onNews);
  }

  private async streamed(operation: Operation, params: Body, onNews: (news: News) => void = () => undefined) {
    const answer = await this.raw(operation, params, (event) => onNews(toNews(this.binding, event)));
    return { answer, news: answer.events.map((event) => toNews(this.binding, event)) };
  }
}
