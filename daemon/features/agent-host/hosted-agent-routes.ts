import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type HostedTask, TaskSendBody } from '../../contract/hosted-agents.js';
import { type Topup, TopupBody } from '../../contract/payments.js';
import type { Access } from '../../http/access.js';
import { requireBearer, unauthorized, type WrongCredentials } from '../../http/bearer.js';
import { callerOf } from '../../http/caller.js';
import type { App } from '../../http/create-server.js';
import { CARD_HEADERS } from '../../http/headers.js';
import { idempotencyKeyOf } from '../../http/idempotency-key.js';
import { headerOf, offeredPayment, requestDigest } from '../../http/payment-headers.js';
import type { SignedCallers } from '../../http/signed-caller.js';
import { whenGone } from '../../http/when-gone.js';
import { isMeshError } from '../../lib/errors.js';
import { hasAlready, type ServedDocument } from './cached-document.js';
import type { HostedAgent, SkillAnswer, SkillRequest } from './hosted-agent.js';
import { taskInput } from './tasks.js';

export interface HostedAgentRoutesParts {
  app: App;
  /** Prefix of every path; its `:id` names the agent. */
  prefix: string;
  /** Path of the overview below the prefix. */
  bannerPath: string;
  /** The access class for reading tasks. The route additionally requires the bearer token when the agent has one. */
  taskAccess: Access;
  /** The agent of a request. Throws `not_found`. */
  find(request: FastifyRequest): Promise<HostedAgent>;
  /** The subject under which wrong credentials are counted. */
  subjectOf(agent: HostedAgent): string;
  signed: SignedCallers;
  wrong: WrongCredentials;
}

const tags = ['agent'];
/** Validated by the skill itself, against its own schema. */
const SkillBody = Type.Unknown({ description: 'As the input schema of the skill says in the card.' });

/** Sends a cacheable document, or 304 when the client's copy is current. */
function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag }: ServedDocument<unknown>,
  type: string,
): FastifyReply {
  void reply.header('etag', etag);
  if (hasAlready(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

function sendAnswer(reply: FastifyReply, { status, body, headers }: SkillAnswer): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => String(payload))
    .send(JSON.stringify(body));
}

/** The routes of a hosted agent, shared by members and standalone agents. Spec: Interface hosted by each agent. */
export function hostedAgentRoutes({
  app,
  prefix,
  bannerPath,
  taskAccess,
  find,
  subjectOf,
  signed,
  wrong,
}: HostedAgentRoutesParts): void {
  const open = { access: 'public' as const };

  const requireOpener = (request: FastifyRequest, agent: HostedAgent) => {
    const { opener } = agent.spec;
    if (opener) requireBearer(request, wrong, subjectOf(agent), (token) => opener.isRight(token));
  };
  /** Counts an unknown deposit key as a wrong credential. */
  const counted = (agent: HostedAgent) => (error: unknown) => {
    throw isMeshError(error, 'unauthorized') ? wrong.refuse(`deposit key ${subjectOf(agent)}`) : error;
  };
  const skillRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<SkillRequest> => {
    const pubkey = (await signed.find(request))?.pubkey;
    return {
      payer: offeredPayment(request, pubkey),
      requestSha256: requestDigest(request),
      signal: whenGone(reply),
      caller: callerOf(request),
    };
  };

  const cardAt = (
    path: string,
    summary: string,
    response: 'PublicCard' | 'AgentCard',
    of: (agent: HostedAgent) => ServedDocument<unknown>,
  ) =>
    app.get(
      `${prefix}/.well-known/${path}`,
      { config: { access: 'card' as const }, schema: { summary, tags, response: { 200: Type.Ref(response) } } },
      async (request, reply) => {
        const document = of(await find(request as FastifyRequest));
        void reply.headers(CARD_HEADERS);
        return sendDocument(
          request as FastifyRequest,
          reply as unknown as FastifyReply,
          document,
          'application/json; charset=utf-8',
        );
      },
    );
  cardAt('agent.json', 'Full card of an agent hosted here', 'PublicCard', (agent) => agent.card());
  cardAt('agent-card.json', 'A2A 1.0 card of an agent hosted here', 'AgentCard', (agent) => agent.strictCard());

  app.get(
    `${prefix}/health`,
    {
      config: open,
      schema: { summary: 'Health record of an agent hosted here', tags, response: { 200: Type.Ref('AgentHealth') } },
    },
    async (request) => (await find(request as FastifyRequest)).health(),
  );

  app.get(
    `${prefix}${bannerPath}`,
    {
      config: open,
      schema: {
        summary: 'Endpoints, providers, rate limits and defaults of an agent',
        tags,
        response: { 200: Type.Ref('AgentBanner') },
      },
    },
    async (request) => (await find(request as FastifyRequest)).banner(),
  );

  app.get(
    `${prefix}/openapi.yaml`,
    {
      config: open,
      schema: { summary: 'What an agent serves, as OpenAPI 3.1', tags, response: { 200: Type.String() } },
    },
    async (request, reply) => {
      const agent = await find(request as FastifyRequest);
      const document = agent.openApi();
      void reply.header('cache-control', 'max-age=60');
      return sendDocument(
        request as FastifyRequest,
        reply as unknown as FastifyReply,
        document,
        'application/yaml; charset=utf-8',
      );
    },
  );

  app.post<{ Params: { skill: string }; Body: unknown }>(
    `${prefix}/v1/:skill`,
    {
      config: open,
      schema: {
        summary: 'Call a skill; answers when it is done. With a price it wants payment, else the bearer of the agent',
        tags,
        body: SkillBody,
        response: {
          200: Type.Unknown({ description: 'As the output schema of the skill says.' }),
          402: Type.Ref('Challenge'),
        },
      },
      onRequest: async (request) => {
        const agent = await find(request as FastifyRequest);
        // Checked before the body is parsed when no body could turn this into a paid call.
        if (agent.needsOpener((request.params as { skill: string }).skill))
          requireOpener(request as FastifyRequest, agent);
        agent.admit(request.ip);
      },
    },
    async (request, reply) => {
      const agent = await find(request as FastifyRequest);
      const { skill } = request.params;
      if (agent.needsOpener(skill, request.body)) requireOpener(request as FastifyRequest, agent);
      const asked = await skillRequest(request as FastifyRequest, reply as unknown as FastifyReply);
      return sendAnswer(
        reply as unknown as FastifyReply,
        await agent.call(skill, request.body, asked).catch(counted(agent)),
      );
    },
  );

  app.post<{ Body: TaskSendBody }>(
    `${prefix}/tasks/send`,
    {
      config: open,
      schema: {
        summary: 'Send a task: a skill in the older A2A shape',
        tags,
        body: TaskSendBody,
        response: { 200: Type.Ref('HostedTask'), 402: Type.Ref('Challenge') },
      },
      onRequest: async (request) => {
        const agent = await find(request as FastifyRequest);
        if (agent.needsOpenerAlways) requireOpener(request as FastifyRequest, agent);
        agent.admit(request.ip);
      },
    },
    async (request, reply) => {
      const agent = await find(request as FastifyRequest);
      const skill = agent.taskSkill(request.body);
      if (agent.needsOpener(skill.id, taskInput(skill, request.body))) requireOpener(request as FastifyRequest, agent);
      const asked = await skillRequest(request as FastifyRequest, reply as unknown as FastifyReply);
      return sendAnswer(
        reply as unknown as FastifyReply,
        await agent.sendTask(request.body, asked).catch(counted(agent)),
      );
    },
  );

  app.get<{ Params: { task: string } }>(
    `${prefix}/tasks/:task`,
    {
      config: { access: taskAccess },
      schema: {
        summary: 'A task by its request id, in the older A2A shape',
        tags,
        response: { 200: Type.Ref('HostedTask') },
      },
      onRequest: async (request) => {
        requireOpener(request as FastifyRequest, await find(request as FastifyRequest));
      },
    },
    async (request): Promise<HostedTask> => (await find(request as FastifyRequest)).task(request.params.task),
  );

  app.post<{ Body: TopupBody }>(
    `${prefix}/v1/topup`,
    {
      config: open,
      schema: {
        summary: 'Open a deposit key; the balance appears when the transfer with its memo is confirmed',
        tags,
        body: TopupBody,
        response: { 200: Type.Ref('Topup') },
      },
      onRequest: async (request) => {
        (await find(request as FastifyRequest)).admit(request.ip);
      },
    },
    async (request): Promise<Topup> => {
      const agent = await find(request as FastifyRequest);
      return agent.topup(
        request.body.amount_lamports,
        idempotencyKeyOf(request as FastifyRequest, `topup ${subjectOf(agent)}`),
      );
    },
  );

  app.get(
    `${prefix}/v1/balance`,
    {
      config: open,
      schema: {
        summary: 'What is left on a deposit key, which comes as X-Api-Key',
        tags,
        response: { 200: Type.Ref('Balance') },
      },
    },
    async (request) => {
      const agent = await find(request as FastifyRequest);
      const key = headerOf(request as FastifyRequest, 'x-api-key');
      if (key === undefined) throw unauthorized();
      return agent.balance(key).catch(counted(agent));
    },
  );
}
