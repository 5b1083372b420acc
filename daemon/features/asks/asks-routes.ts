import { Type } from 'typebox';
import type { AnswerTrace } from '../../contract/answer-trace.js';
import {
  AskBody,
  type AskRecord,
  PollQuery,
  RateRequest,
  type ReceiptVerdict,
  type RequestDetail,
  type RequestList,
  RequestsQuery,
  VerifyReceipt,
} from '../../contract/asks.js';
import { RECEIPT_BODY_LIMIT } from '../../contract/limits.js';
import { createDisconnectSignal } from '../../http/answers/disconnect-signal.js';
import { parseBearer, requireBearer, unauthorized, type WrongCredentials } from '../../http/callers/bearer.js';
import { getCaller } from '../../http/callers/caller.js';
import { parseIdempotencyKey } from '../../http/callers/idempotency-key.js';
import type { AnyRequest, App } from '../../http/route-types.js';
import { verifyReceipt } from '../../lib/crypto/receipt.js';
import type { Exposure } from '../exposure/exposure.js';
import type { AskAcceptance } from './accept-ask.js';
import type { Asks } from './asks.js';
import type { AskEnding } from './end-ask.js';

interface AsksRoutesParts {
  asks: Asks;
  acceptance: AskAcceptance;
  ending: AskEnding;
  exposure: Exposure;
  wrong: WrongCredentials;
  /**
   * Counts a call of a member. Throws `too_many_requests` beyond the limits of its file, and `overloaded` when its price
   * cannot be charged.
   */
  admit: (member: string, address: string) => void;
  /** The daemon's own public key. Identifies receipts that it signed. */
  ownPubkey: string;
}

/** Returns the id of the member whose token the request carries. Counts a wrong token. */
function getMember(request: AnyRequest, { exposure, wrong }: AsksRoutesParts): string {
  const token = parseBearer(request);
  if (token === undefined) throw unauthorized();
  const id = exposure.memberOf(token);
  if (id === undefined) throw wrong.refuse('requests', token);
  return id;
}

/** Registers the ask and poll routes with member tokens, and the operator's routes for all requests. */
export async function asksRoutes(app: App, parts: AsksRoutesParts): Promise<void> {
  addAskRoute(app, parts);
  addPollRoutes(app, parts);
  addRequestRoutes(app, parts);
  addRatingRoutes(app, parts);
  addReceiptRoute(app, parts);
}

function addAskRoute(app: App, { acceptance, exposure, wrong, admit }: AsksRoutesParts): void {
  app.post<{ Params: { id: string }; Body: AskBody }>(
    '/team/:id/ask',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Ask an exposed member; poll for the answer',
        tags: ['ask and poll'],
        body: AskBody,
        response: { 202: Type.Ref('AskAccepted') },
      },
      onRequest: (request, _reply, done) => {
        const { id } = request.params as { id: string };
        requireBearer(request, wrong, `member ${id}`, (token) => exposure.verify(id, token));
        admit(id, request.ip);
        done();
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const key = parseIdempotencyKey(request, `ask ${id}`);
      return reply.code(202).send(await acceptance.acceptAsk(id, request.body, getCaller(request), key));
    },
  );
}

/** Polling and cancelling, with the token of the member that was asked. */
function addPollRoutes(app: App, parts: AsksRoutesParts): void {
  const { asks, ending } = parts;

  app.get<{ Params: { rid: string }; Querystring: PollQuery }>(
    '/team/requests/:rid',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Poll a request; wait holds the answer until it ends',
        tags: ['ask and poll'],
        querystring: PollQuery,
        response: { 200: Type.Ref('AskRecord') },
      },
    },
    async (request, reply): Promise<AskRecord> => {
      const { rid } = request.params;
      const member = getMember(request, parts);
      asks.poll(member, rid);
      const { wait } = request.query;
      if (wait !== undefined) await asks.wait(rid, wait, createDisconnectSignal(reply));
      // The token may have been revoked, or the member hidden, during the wait.
      return asks.read(getMember(request, parts), rid);
    },
  );

  app.delete<{ Params: { rid: string } }>(
    '/team/requests/:rid',
    {
      config: { access: 'bearer' },
      schema: { summary: 'Cancel a request', tags: ['ask and poll'], response: { 200: Type.Ref('AskRecord') } },
    },
    async (request): Promise<AskRecord> => {
      const member = getMember(request, parts);
      await ending.cancelAsk(member, request.params.rid);
      return asks.getRecord(member, request.params.rid);
    },
  );
}

/** The requests of all members, for the operator. */
function addRequestRoutes(app: App, { asks, ending }: AsksRoutesParts): void {
  app.get<{ Querystring: RequestsQuery }>(
    '/requests',
    {
      schema: {
        summary: 'All requests, newest first',
        tags: ['requests'],
        querystring: RequestsQuery,
        response: { 200: Type.Ref('RequestList') },
      },
    },
    async (request): Promise<RequestList> => asks.list(request.query),
  );

  app.get<{ Params: { rid: string } }>(
    '/requests/:rid',
    { schema: { summary: 'One request, whole', tags: ['requests'], response: { 200: Type.Ref('RequestDetail') } } },
    async (request): Promise<RequestDetail> => asks.detail(request.params.rid),
  );

  app.get<{ Params: { rid: string } }>(
    '/requests/:rid/trace',
    {
      schema: {
        summary: 'How the built-in search found an answer',
        tags: ['requests'],
        response: { 200: Type.Ref('AnswerTrace') },
      },
    },
    async (request): Promise<AnswerTrace> => asks.trace(request.params.rid),
  );

  app.delete<{ Params: { rid: string } }>(
    '/requests/:rid',
    {
      schema: {
        summary: 'Cancel a request as the operator',
        tags: ['requests'],
        response: { 200: Type.Ref('RequestDetail') },
      },
    },
    async (request): Promise<RequestDetail> => {
      await ending.cancelAskAsOperator(request.params.rid);
      return asks.detail(request.params.rid);
    },
  );
}

/** What the operator thinks of answers. */
function addRatingRoutes(app: App, { asks }: AsksRoutesParts): void {
  app.put<{ Params: { rid: string }; Body: RateRequest }>(
    '/requests/:rid/rating',
    {
      schema: {
        summary: 'Rate an answer',
        tags: ['requests'],
        body: RateRequest,
        response: { 200: Type.Ref('RequestDetail') },
      },
    },
    (request): Promise<RequestDetail> => asks.rate(request.params.rid, request.body),
  );

  app.delete<{ Params: { rid: string } }>(
    '/requests/:rid/rating',
    {
      schema: {
        summary: 'Withdraw the rating of an answer',
        tags: ['requests'],
        response: { 200: Type.Ref('RequestDetail') },
      },
    },
    (request): Promise<RequestDetail> => asks.rate(request.params.rid, undefined),
  );
}

function addReceiptRoute(app: App, { ownPubkey }: AsksRoutesParts): void {
  app.post<{ Body: VerifyReceipt }>(
    '/receipts/verify',
    {
      config: { access: 'public' },
      bodyLimit: RECEIPT_BODY_LIMIT,
      schema: {
        summary: 'Check a receipt',
        tags: ['requests'],
        body: VerifyReceipt,
        response: { 200: Type.Ref('ReceiptVerdict') },
      },
    },
    async (request): Promise<ReceiptVerdict> => {
      const verdict = verifyReceipt(request.body.receipt);
      return { ...verdict, known: verdict.valid && verdict.pubkey === ownPubkey };
    },
  );
}
