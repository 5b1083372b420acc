import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { SkillAskBody } from '../../contract/asks.js';
import { requireBearer, type WrongCredentials } from '../../http/bearer.js';
import { callerOf } from '../../http/caller.js';
import type { App } from '../../http/create-server.js';
import { CARD_HEADERS } from '../../http/headers.js';
import { whenGone } from '../../http/when-gone.js';
import { sha256Hex } from '../../lib/digests.js';
import type { Exposure } from '../exposure/exposure.js';
import type { AgentHost } from './agent-host.js';

/** Answers a card as public, cacheable JSON: an unchanged one is 304. */
function sendCard(request: FastifyRequest, reply: FastifyReply, card: unknown): FastifyReply {
  const text = JSON.stringify(card);
  const etag = `"${sha256Hex(text).slice(0, 32)}"`;
  void reply.headers({ ...CARD_HEADERS, etag });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => String(payload))
    .send(text);
}

/** What every exposed member serves to other programs beside ask and poll. */
export function agentHostRoutes(app: App, host: AgentHost, exposure: Exposure, wrong: WrongCredentials): void {
  app.get<{ Params: { id: string } }>(
    '/team/:id/.well-known/agent.json',
    {
      config: { access: 'card' },
      schema: { summary: 'Tier-2 card of an exposed member', tags: ['agent'], response: { 200: Type.Ref('PublicCard') } },
    },
    (request, reply) => sendCard(request as FastifyRequest, reply as unknown as FastifyReply, host.publicCard(request.params.id)),
  );

  app.get<{ Params: { id: string } }>(
    '/team/:id/.well-known/agent-card.json',
    {
      config: { access: 'card' },
      schema: { summary: 'A2A 1.0 card of an exposed member', tags: ['agent'], response: { 200: Type.Ref('AgentCard') } },
    },
    (request, reply) => sendCard(request as FastifyRequest, reply as unknown as FastifyReply, host.agentCard(request.params.id)),
  );

  app.get<{ Params: { id: string } }>(
    '/team/:id/health',
    {
      config: { access: 'public' },
      schema: { summary: 'Health record of an exposed member', tags: ['agent'], response: { 200: Type.Ref('AgentHealth') } },
    },
    async (request) => host.health(request.params.id),
  );

  app.post<{ Params: { id: string; skill: string }; Body: SkillAskBody }>(
    '/team/:id/v1/:skill',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Call a skill of an exposed member; answers when it is done',
        tags: ['agent'],
        body: SkillAskBody,
        response: { 200: Type.Ref('SkillAskResult') },
      },
      onRequest: (request, _reply, done) => {
        const { id } = request.params as { id: string };
        requireBearer(request as FastifyRequest, wrong, `member ${id}`, (token) => exposure.verify(id, token));
        done();
      },
    },
    async (request, reply) => {
      const { id, skill } = request.params;
      return host.runSkill(id, skill, request.body, callerOf(request as FastifyRequest), whenGone(reply as unknown as FastifyReply));
    },
  );
}
