import { Type } from 'typebox';
import {
  ApprovalBody,
  type ApprovalList,
  CALL_HELD_SECONDS,
  type Call,
  CallBody,
  type CallList,
  CallQuery,
  CallsQuery,
  SettleBody,
  type Settled,
} from '../../contract/payments.js';
import { createDisconnectSignal } from '../../http/answers/disconnect-signal.js';
import { parseIdempotencyKey } from '../../http/callers/idempotency-key.js';
import type { App } from '../../http/route-types.js';
import type { Spending } from './spending.js';

/** The operator's routes: calls to agents, payments that wait for approval, and debts. */
export async function spendingRoutes(app: App, { spending }: { spending: Spending }): Promise<void> {
  addCallRoutes(app, spending);
  addPaymentRoutes(app, spending);
}

function addCallRoutes(app: App, spending: Spending): void {
  app.post<{ Body: CallBody }>(
    '/calls',
    {
      schema: {
        summary: 'Call a skill of an agent and pay for it as its card says, under the caps',
        description:
          'Answers 200 when the call has ended within 30 s, else 202: read it at /calls/:id. Over the caps it ' +
          'waits for the operator.',
        tags: ['payments'],
        body: CallBody,
        response: { 200: Type.Ref('Call'), 202: Type.Ref('Call') },
      },
    },
    async (request, reply) => {
      const { call_id } = await spending.submit(request.body, parseIdempotencyKey(request, 'calls'));
      await spending.wait(call_id, CALL_HELD_SECONDS, createDisconnectSignal(reply));
      const call = spending.get(call_id);
      return reply.code(call.state === 'done' || call.state === 'failed' ? 200 : 202).send(call);
    },
  );

  app.get<{ Querystring: CallsQuery }>(
    '/calls',
    {
      schema: {
        summary: 'Calls, newest first',
        tags: ['payments'],
        querystring: CallsQuery,
        response: { 200: Type.Ref('CallList') },
      },
    },
    async (request): Promise<CallList> => spending.list(request.query),
  );

  app.get<{ Params: { id: string }; Querystring: CallQuery }>(
    '/calls/:id',
    {
      schema: {
        summary: 'One call with its result; wait holds the answer until it ends or needs the operator',
        tags: ['payments'],
        querystring: CallQuery,
        response: { 200: Type.Ref('Call') },
      },
    },
    async (request, reply): Promise<Call> => {
      const { id } = request.params;
      await spending.wait(id, request.query.wait ?? 0, createDisconnectSignal(reply));
      return spending.get(id);
    },
  );
}

function addPaymentRoutes(app: App, spending: Spending): void {
  app.get(
    '/approvals',
    {
      schema: {
        summary: 'Payments over the caps that need approval',
        tags: ['payments'],
        response: { 200: Type.Ref('ApprovalList') },
      },
    },
    async (): Promise<ApprovalList> => spending.approvals(),
  );

  app.post<{ Params: { call_id: string }; Body: ApprovalBody }>(
    '/ledger/approvals/:call_id',
    {
      schema: {
        summary: 'Allow or deny a payment',
        tags: ['payments'],
        body: ApprovalBody,
        response: { 200: Type.Ref('Call') },
      },
    },
    (request): Promise<Call> => spending.decide(request.params.call_id, request.body),
  );

  app.post<{ Body: SettleBody }>(
    '/ledger/settle',
    {
      schema: {
        summary: 'Pay what is owed for calls on credit',
        tags: ['payments'],
        body: SettleBody,
        response: { 200: Type.Ref('Settled') },
      },
    },
    (request): Promise<Settled> => spending.settle(request.body.agent),
  );
}
