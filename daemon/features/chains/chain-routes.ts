import type { FastifyError } from 'fastify';
import { CHAIN_BODY_LIMIT } from '../../contract/limits.js';
import { createDisconnectSignal } from '../../http/answers/disconnect-signal.js';
import { answerError } from '../../http/error-handler.js';
import type { AnyReply, AnyRequest, App } from '../../http/route-types.js';
import { answerRpc, RPC, type RpcMethod, rpcFailure } from './json-rpc.js';

/** Responds to a body that is not JSON with a JSON-RPC error. Other errors of the server get the usual response. */
function answerUnread(error: unknown, request: AnyRequest, reply: AnyReply): void {
  const { code } = error as FastifyError;
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    void reply.code(400).send(rpcFailure(null, RPC.parse, 'Parse error: the body is no JSON.'));
  else answerError(error, request, reply);
}

/** The JSON-RPC route of the embedded network, with the methods of the public networks. Spec: Payments. */
export async function chainRoutes(app: App, { methods }: { methods: ReadonlyMap<string, RpcMethod> }): Promise<void> {
  app.post(
    '/chain',
    {
      config: { access: 'public' },
      bodyLimit: CHAIN_BODY_LIMIT,
      errorHandler: (error, request, reply) => answerUnread(error, request, reply),
      schema: {
        summary: 'JSON-RPC of the local network, which is not real money',
        description:
          "Methods and shapes of the public networks' JSON-RPC 2.0, single calls and batches: " +
          `${[...methods.keys()].join(', ')}.`,
        tags: ['payments'],
      },
    },
    async (request, reply) => {
      const failed = (error: unknown) => request.log.error({ err: error }, 'a call of the local network failed');
      const answer = await answerRpc(request.body, methods, failed, createDisconnectSignal(reply));
      if (answer === undefined) return reply.code(204).send();
      return reply.type('application/json; charset=utf-8').send(answer);
    },
  );
}
