import type { Binding, Operation, PushConfig, Sending, SentMessage } from './binding.js';
import type { Answer, Body, Call } from './http.js';

const given = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });
const named = ({ contextId, taskId }: Partial<SentMessage>) => ({
  ...given('contextId', contextId),
  ...given('taskId', taskId),
});

const rpc = (url: string, version: string, methods: Readonly<Partial<Record<Operation, string>>>) => ({
  transport: 'JSON-RPC' as const,
  request: (operation: Operation, params: Body): Call => ({
    url,
    ...(version === '1.0' ? { headers: { 'A2A-Version': '1.0' } } : {}),
    body: { jsonrpc: '2.0', id: 'request-1', method: methods[operation] ?? operation, params },
  }),
  result: ({ body }: Answer) => body.result,
  failure: ({ status, body }: Answer) =>
    body?.error
      ? {
          status,
          code: body.error.code,
          reason: body.error.data?.find?.((detail: Body) => typeof detail?.reason === 'string')?.reason,
        }
      : status >= 400
        ? { status }
        : undefined,
});

/** Puts the parameters of an operation in a path, a query or a body. */
function restCall(base: string, operation: Operation, params: Body): Call {
  const { id, taskId, body, ...rest } = params;
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)])).toString();
  const asked = query === '' ? '' : `?${query}`;
  const configs = `${base}/tasks/${taskId}/pushNotificationConfigs`;
  switch (operation) {
    case 'send':
      return { url: `${base}/message:send`, body: params };
    case 'stream':
      return { url: `${base}/message:stream`, body: params, headers: { accept: 'text/event-stream' } };
    case 'get':
      return { method: 'GET', url: `${base}/tasks/${id}${asked}` };
    case 'list':
      return { method: 'GET', url: `${base}/tasks${asked}` };
    case 'cancel':
      return { url: `${base}/tasks/${id}:cancel` };
    case 'subscribe':
      return { url: `${base}/tasks/${id}:subscribe`, headers: { accept: 'text/event-stream' } };
    case 'pushSet':
      return { url: configs, body };
    case 'pushGet':
      return { method: 'GET', url: `${configs}/${id}` };
    case 'pushList':
      return { method: 'GET', url: configs };
    case 'pushDelete':
      return { method: 'DELETE', url: `${configs}/${id}` };
    case 'card':
      return { method: 'GET', url: `${base}/extendedAgentCard` };
  }
}

const sendNow = ({ messageId, text, ...rest }: SentMessage, { isBlocking, historyLength, push }: Sending) => ({
  message: { messageId, role: 'ROLE_USER', parts: [{ text }], ...named(rest) },
  configuration: {
    ...(isBlocking === undefined ? {} : { returnImmediately: !isBlocking }),
    ...given('historyLength', historyLength),
    ...(push ? { taskPushNotificationConfig: pushNow(push) } : {}),
  },
});
const pushNow = ({ credentials, ...config }: PushConfig) => ({
  ...config,
  ...(credentials === undefined ? {} : { authentication: { scheme: 'Bearer', credentials } }),
});
const NOW = {
  version: '1.0' as const,
  sendParams: sendNow,
  taskIn: (result: Body) => result?.task,
  configIn: (result: Body) => ({ id: result.id, url: result.url }),
};

export const rpcNow = (url: string): Binding => ({
  name: '1.0 over JSON-RPC',
  ...NOW,
  ...rpc(url, '1.0', {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    list: 'ListTasks',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
    pushSet: 'CreateTaskPushNotificationConfig',
    pushGet: 'GetTaskPushNotificationConfig',
    pushList: 'ListTaskPushNotificationConfigs',
    pushDelete: 'DeleteTaskPushNotificationConfig',
    card: 'GetExtendedAgentCard',
  }),
  pushParams: (taskId, config) => ({ taskId, ...pushNow(config) }),
  pushNamed: (taskId, id) => ({ taskId, ...given('id', id) }),
});

const restFailure = ({ status, body }: Answer) =>
  status < 400
    ? undefined
    : {
        status,
        code: body?.code,
        reason: body?.error?.details?.find((detail: Body) => typeof detail?.reason === 'string')?.reason,
      };

export const restNow = (url: string): Binding => ({
  name: '1.0 over REST',
  transport: 'REST',
  ...NOW,
  request(operation, params) {
    const made = restCall(url, operation, params);
    const headers = { ...made.headers, 'A2A-Version': '1.0' };
    return made.body === undefined
      ? { ...made, headers }
      : { ...made, headers: { ...headers, 'content-type': 'application/a2a+json' } };
  },
  result: ({ body }) => body,
  failure: restFailure,
  pushParams: (taskId, config) => ({ taskId, body: pushNow(config) }),
  pushNamed: (taskId, id) => ({ taskId, ...given('id', id) }),
});

const pushThen = ({ credentials, ...config }: PushConfig) => ({
  ...config,
  ...(credentials === undefined ? {} : { authentication: { schemes: ['Bearer'], credentials } }),
});

export const rpcThen = (url: string): Binding => ({
  name: '0.3 over JSON-RPC',
  version: '0.3',
  ...rpc(url, '0.3', {
    send: 'message/send',
    stream: 'message/stream',
    get: 'tasks/get',
    list: 'tasks/list',
    cancel: 'tasks/cancel',
    subscribe: 'tasks/resubscribe',
    pushSet: 'tasks/pushNotificationConfig/set',
    pushGet: 'tasks/pushNotificationConfig/get',
    pushList: 'tasks/pushNotificationConfig/list',
    pushDelete: 'tasks/pushNotificationConfig/delete',
    card: 'agent/getAuthenticatedExtendedCard',
  }),
  sendParams: ({ messageId, text, ...rest }, { isBlocking, historyLength, push }) => ({
    message: {
      kind: 'message',
      messageId,
      role: 'user',
      parts: [{ kind: 'text', text }],
      ...named(rest),
    },
    configuration: {
      ...given('blocking', isBlocking),
      ...given('historyLength', historyLength),
      ...(push ? { pushNotificationConfig: pushThen(push) } : {}),
    },
  }),
  taskIn: (result) => (result?.kind === 'task' ? result : undefined),
  pushParams: (taskId, config) => ({ taskId, pushNotificationConfig: pushThen(config) }),
  pushNamed: (taskId, id) => ({ id: taskId, ...given('pushNotificationConfigId', id) }),
  configIn: ({ pushNotificationConfig: { id, url: target } }) => ({ id, url: target }),
});

export const restThen = (url: string): Binding => ({
  name: '0.3 over REST',
  version: '0.3',
  transport: 'REST',
  request: (operation, params) =>
    operation === 'card' ? { method: 'GET', url: `${url}/v1/card` } : restCall(`${url}/v1`, operation, params),
  // The messages of the protocol buffers: `content` instead of `parts`, states and roles in upper case.
  sendParams: ({ messageId, text, ...rest }, { isBlocking, historyLength, push }) => ({
    message: { messageId, role: 'ROLE_USER', content: [{ text }], ...named(rest) },
    configuration: {
      ...given('blocking', isBlocking),
      ...given('historyLength', historyLength),
      ...(push ? { pushNotification: pushThen(push) } : {}),
    },
  }),
  result: ({ body }) => body,
  failure: restFailure,
  taskIn: (result) => result?.task,
  pushParams: (taskId, config) => ({
    taskId,
    body: {
      name: `tasks/${taskId}/pushNotificationConfigs/${config.id}`,
      pushNotificationConfig: pushThen(config),
    },
  }),
  pushNamed: (taskId, id) => ({ taskId, ...given('id', id) }),
  configIn: ({ pushNotificationConfig: { id, url: target } }) => ({ id, url: target }),
});
