import { holds, oneOf, type Scenario, same } from '../scenarios.js';
import type { A2aClient } from './binding.js';
import { type Body, call } from './http.js';
import { failsWith, newId, type Subject } from './subject.js';

const message = () => ({ messageId: newId('m'), role: 'ROLE_USER', parts: [{ text: 'Which port?' }] });

const sendParams = ({ binding }: A2aClient): Body =>
  binding.sendParams({ messageId: newId('m'), text: 'Which port?' }, {});

const incomplete = (client: A2aClient): Scenario => ({
  title: 'Arrays marked as required MUST contain at least one element; required fields MUST be present',
  run: async () => {
    const without = (change: (sent: Body) => void) => {
      const sent = sendParams(client);
      change(sent);
      return sent;
    };
    const wrong: Record<string, Body> = {
      'no parts': without(({ message: sent }) => {
        delete sent.parts;
        delete sent.content;
      }),
      'empty parts': without(({ message: sent }) => {
        sent['content' in sent ? 'content' : 'parts'] = [];
      }),
      'no messageId': without(({ message: sent }) => delete sent.messageId),
      'parts of another type': without(({ message: sent }) => {
        delete sent.content;
        sent.parts = 'invalid';
      }),
      'no message': { configuration: {} },
    };
    for (const sent of Object.values(wrong))
      failsWith(client, (await client.do('send', sent)).failure, 'INVALID_PARAMS');
  },
});

const unsupported = (client: A2aClient): Scenario => ({
  title: "A media type in the request's message parts that is not supported: ContentTypeNotSupportedError",
  run: async () => {
    const sent = sendParams(client);
    const part =
      client.binding.version === '1.0'
        ? { raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }
        : client.binding.transport === 'JSON-RPC'
          ? { kind: 'file', file: { bytes: 'dGNr', mimeType: 'application/x-unsupported-tck-type' } }
          : { file: { fileWithBytes: 'dGNr', mimeType: 'application/x-unsupported-tck-type' } };
    const name = 'content' in sent.message ? 'content' : 'parts';
    sent.message[name] = [part];
    failsWith(client, (await client.do('send', sent)).failure, 'CONTENT_TYPE_NOT_SUPPORTED');
  },
});

/** The scenarios in which the request as a whole is refused, of both transports. */
function listSharedScenarios(subject: Subject, client: A2aClient): Scenario[] {
  const { binding } = client;
  const params = () => sendParams(client);
  return [
    {
      title: 'Servers MUST reject requests with invalid or missing credentials and SHOULD include a challenge',
      run: async () => {
        const wrong: Record<string, string>[] = [{}, { authorization: 'Bearer wrong' }];
        for (const headers of wrong) {
          const request = binding.request('send', params());
          const { status, headers: got } = await call({ ...request, headers: { ...request.headers, ...headers } });
          same('status and challenge', [status, got.get('www-authenticate')], [401, 'Bearer']);
        }
      },
    },
    {
      title: 'VersionNotSupportedError: The A2A protocol version specified in the request is not supported',
      run: async () => {
        for (const operation of ['send', 'get', 'cancel', 'pushList'] as const) {
          const asked = operation === 'send' ? params() : { id: 'x', taskId: 'x' };
          const request = binding.request(operation, asked);
          const headers = { ...request.headers, ...subject.authorization, 'A2A-Version': '99.0' };
          failsWith(client, binding.failure(await call({ ...request, headers })), 'VERSION_NOT_SUPPORTED');
        }
      },
    },
    {
      title: 'ContentTypeNotSupportedError: a Content-Type that is not JSON',
      run: async () => {
        const request = binding.request('send', params());
        const headers = { ...request.headers, ...subject.authorization, 'content-type': 'text/plain' };
        const answer = await call({ ...request, headers, body: JSON.stringify(request.body) });
        oneOf('status', answer.status, [400, 415]);
        if (binding.transport === 'JSON-RPC') same('code', answer.body.error.code, -32005);
      },
    },
    unsupported(client),
    incomplete(client),
  ];
}

/** Posts bodies of JSON-RPC, and checks refusals: HTTP has status 200 all the same. */
function createRpc(subject: Subject, client: A2aClient) {
  const post = async (body: unknown) => {
    const { url, headers = {} } = client.binding.request('get', {});
    return call({ url, headers: { ...headers, ...subject.authorization, 'content-type': 'application/json' }, body });
  };
  const fails = async (what: string, body: unknown, code: number, id?: unknown) => {
    const answer = await post(body);
    same(
      `${what}: status, version and code`,
      [answer.status, answer.body.jsonrpc, answer.body.error?.code],
      [200, '2.0', code],
    );
    if (id !== undefined) same(`${what}: id`, answer.body.id, id);
    holds(`${what}: a message`, typeof answer.body.error.message === 'string', answer.body);
  };
  return { post, fails };
}

/** What JSON-RPC says of requests that are none. HTTP has status 200 all the same. */
function listRpcScenarios(subject: Subject, client: A2aClient): Scenario[] {
  const isNow = client.binding.version === '1.0';
  const [send, get] = isNow ? ['SendMessage', 'GetTask'] : ['message/send', 'tasks/get'];
  const { post, fails } = createRpc(subject, client);
  return [
    {
      title: '-32700 Parse error: Invalid JSON was received by the server',
      run: () => fails('a missing brace', '{"jsonrpc": "2.0", "method": "x", "params": {"foo": "bar"}', -32700, null),
    },
    {
      title: '-32600 Invalid Request: The JSON sent is not a valid Request object',
      run: async () => {
        await fails('another version', { jsonrpc: 'aaa', id: 1, method: send, params: {} }, -32600);
        await fails('no method', { jsonrpc: '2.0', id: 1, params: {} }, -32600);
        await fails(
          'an id that is an object',
          { jsonrpc: '2.0', id: { bad: 'type' }, method: send, params: {} },
          -32600,
        );
        await fails('a text', '"hello"', -32600, null);
        await fails('an empty batch', '[]', -32600, null);
      },
    },
    {
      title: '-32601 Method not found: The method does not exist / is not available',
      run: async () => {
        await fails('an unknown name', { jsonrpc: '2.0', id: '3', method: 'SendMessageXXX', params: {} }, -32601, '3');
        await fails('an unknown path', { jsonrpc: '2.0', id: 4, method: 'nonexistent/method', params: {} }, -32601, 4);
      },
    },
    {
      title: '-32602 Invalid params: Invalid method parameter(s)',
      run: async () => {
        await fails(
          'not the members',
          { jsonrpc: '2.0', id: '4', method: send, params: { '': 'not_a_dict' } },
          -32602,
          '4',
        );
        await fails('a list', { jsonrpc: '2.0', id: 5, method: send, params: [message()] }, -32602, 5);
        await fails('none', { jsonrpc: '2.0', id: 6, method: send }, -32602, 6);
        await fails('no task id', { jsonrpc: '2.0', id: 7, method: get, params: {} }, -32602, 7);
      },
    },
    {
      title: 'Response id: it MUST be the same as the value of the id member in the Request Object',
      run: async () => {
        const { contextId } = { contextId: newId('talk') };
        const params = client.binding.sendParams({ messageId: newId('m'), text: 'Which port?', contextId }, {});
        for (const id of ['text', 0, 17, null])
          same('id', (await post({ jsonrpc: '2.0', id, method: send, params })).body.id, id);
      },
    },
  ];
}

function listRestScenarios(subject: Subject, client: A2aClient): Scenario[] {
  const { url } = client.binding.request('send', {});
  const root = url.replace('/message:send', '');
  const { authorization } = subject;
  return [
    {
      title: 'HTTP status codes: 400 for a body that is no JSON, 404 for an unknown path',
      run: async () => {
        const json = { ...authorization, 'content-type': 'application/json' };
        same('no JSON', (await call({ url, headers: json, body: '{"message": ' })).status, 400);
        same('a list', (await call({ url, headers: json, body: '[]' })).status, 400);
        for (const path of ['/message:unknown', '/tasks/x/unknown', '/unknown'])
          same(path, (await call({ url: root + path, headers: authorization, body: {} })).status, 404);
      },
    },
    ...(client.binding.version === '1.0' ? [errorBody(root, authorization)] : []),
  ];
}

const errorBody = (root: string, authorization: Readonly<Record<string, string>>): Scenario => ({
  title: 'HTTP error responses MUST use AIP-193, with an ErrorInfo of the domain a2a-protocol.org',
  run: async () => {
    const { body, type } = await call({ method: 'GET', url: `${root}/tasks/none`, headers: authorization });
    holds('content type', /^application\/(?:a2a\+)?json/.test(type), type);
    same('code and status', [body.error.code, body.error.status], [404, 'NOT_FOUND']);
    const [info] = body.error.details;
    same(
      'details',
      [info['@type'], info.reason, info.domain],
      ['type.googleapis.com/google.rpc.ErrorInfo', 'TASK_NOT_FOUND', 'a2a-protocol.org'],
    );
  },
});

export const refusals = (subject: Subject, client: A2aClient): Scenario[] => [
  ...listSharedScenarios(subject, client),
  ...(client.binding.transport === 'JSON-RPC' ? listRpcScenarios(subject, client) : listRestScenarios(subject, client)),
];
