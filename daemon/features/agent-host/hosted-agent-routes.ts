import { type TSchema, Type } from 'typebox';
import { type HostedTask, TaskSendBody } from '../../contract/network/hosted-agents.js';
import { type Topup, TopupBody } from '../../contract/payments.js';
import { createDisconnectSignal } from '../../http/answers/disconnect-signal.js';
import type { Access } from '../../http/callers/access.js';
import { requireBearer, unauthorized, type WrongCredentials } from '../../http/callers/bearer.js';
import { getCaller } from '../../http/callers/caller.js';
import { parseIdempotencyKey } from '../../http/callers/idempotency-key.js';
import { getHeader, offeredPayment, requestDigest } from '../../http/callers/payment-headers.js';
import type { SignedCallers } from '../../http/callers/signed-caller.js';
import { addCardPreflight, CARD_HEADERS, hasAlready } from '../../http/headers.js';
import type { AnyReply, AnyRequest, App } from '../../http/route-types.js';
import { isMeshError } from '../../lib/errors.js';
import type { ServedDocument } from './cached-document.js';
import type { HostedAgent, SkillAnswer, SkillRequest } from './hosted-agent.js';
import { taskInput } from './tasks.js';

interface HostedAgentRoutesParts {
  /** Path of the overview below the prefix. */
  bannerPath: string;
  /** The access class for reading tasks. The route additionally requires the bearer token when the agent has one. */
  taskAccess: Access;
  /** Returns the agent that a request addresses. Throws `not_found`. */
  find(request: AnyRequest): Promise<HostedAgent>;
  /** The subject under which wrong credentials for `agent` are counted. */
  getSubject(agent: HostedAgent): string;
  signed: SignedCallers;
  wrong: WrongCredentials;
}

const tags = ['agent'];
const open = { access: 'public' as const };
/** Validated by the skill itself, against its own schema. */
const SkillBody = Type.Unknown({ description: 'As the input schema of the skill says in the card.' });

/** Sends a cacheable document, or 304 when the client's copy is current. */
function sendDocument<Reply extends AnyReply>(
  request: AnyRequest,
  reply: Reply,
  { bytes, etag }: ServedDocument<unknown>,
  type: string,
): Reply {
  void reply.header('etag', etag);
  if (hasAlready(request.headers['if-none-match'], etag)) void reply.code(304).send();
  else void reply.type(type).send(bytes);
  return reply;
}

function sendAnswer<Reply extends AnyReply>(reply: Reply, { status, body, headers }: SkillAnswer): Reply {
  void reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer((payload: unknown) => String(payload))
    .send(JSON.stringify(body));
  return reply;
}

/** Requires the agent's bearer token when it has one. */
function requireOpener(request: AnyRequest, agent: HostedAgent, { wrong, getSubject }: HostedAgentRoutesParts): void {
  const { opener } = agent.spec;
  if (opener) requireBearer(request, wrong, getSubject(agent), (token) => opener.isRight(token));
}

/** Returns a rejection handler that counts an unknown deposit key as a wrong credential. */
const countUnauthorized =
  (agent: HostedAgent, { wrong, getSubject }: HostedAgentRoutesParts) =>
  (error: unknown): never => {
    throw isMeshError(error, 'unauthorized') ? wrong.refuse(`deposit key ${getSubject(agent)}`) : error;
  };

async function skillRequest(
  request: AnyRequest,
  reply: AnyReply,
  { signed }: HostedAgentRoutesParts,
): Promise<SkillRequest> {
  const pubkey = (await signed.find(request))?.pubkey;
  return {
    payer: offeredPayment(request, pubkey),
    requestSha256: requestDigest(request),
    signal: createDisconnectSignal(reply),
    caller: getCaller(request),
  };
}

/** The routes of a hosted agent, shared by members and standalone agents. Spec: Interface hosted by each agent. */
export async function hostedAgentRoutes(app: App, parts: HostedAgentRoutesParts): Promise<void> {
  addCardRoutes(app, parts);
  addDescriptionRoutes(app, parts);
  addSkillRoute(app, parts);
  addTaskRoutes(app, parts);
  addDepositRoutes(app, parts);
}

/** A client that names no version of A2A is one of 0.3, says the specification of 1.0. */
const isLegacyA2a = (version: unknown = '') =>
  typeof version === 'string' && /^(?:0\.\d+(?:\.\d+)?)?$/.test(version.trim());

function addCardRoutes(app: App, { find }: HostedAgentRoutesParts): void {
  const cardAt = (
    path: string,
    summary: string,
    response: TSchema,
    of: (agent: HostedAgent, a2aVersion: unknown) => ServedDocument<unknown>,
  ) => {
    addCardPreflight(app, `/.well-known/${path}`);
    app.get(
      `/.well-known/${path}`,
      { config: { access: 'card' }, schema: { summary, tags, response: { 200: response } } },
      async (request, reply) => {
        const document = of(await find(request), request.headers['a2a-version']);
        void reply.headers({ ...CARD_HEADERS, vary: 'A2A-Version' });
        return sendDocument(request, reply, document, 'application/json; charset=utf-8');
      },
    );
  };
  cardAt('agent.json', 'Full card of an agent hosted here', Type.Ref('PublicCard'), (agent) => agent.card());
  // Both versions of A2A look for their card here, and the one's is not valid as the other's.
  cardAt(
    'agent-card.json',
    'Full card of an agent hosted here, which is one of A2A 0.3; with the header A2A-Version: 1.0 the one of 1.0',
    Type.Union([Type.Ref('AgentCard'), Type.Ref('PublicCard')]),
    (agent, version) => (isLegacyA2a(version) ? agent.card() : agent.strictCard()),
  );
}

/** What an agent says about itself besides its cards: health, banner and OpenAPI document. */
function addDescriptionRoutes(app: App, { bannerPath, find }: HostedAgentRoutesParts): void {
  app.get(
    '/health',
    {
      config: open,
      schema: { summary: 'Health record of an agent hosted here', tags, response: { 200: Type.Ref('AgentHealth') } },
    },
    async (request) => (await find(request)).health(),
  );

  app.get(
    bannerPath,
    {
      config: open,
      schema: {
        summary: 'Endpoints, providers, rate limits and defaults of an agent',
        tags,
        response: { 200: Type.Ref('AgentBanner') },
      },
    },
    async (request) => (await find(request)).banner(),
  );

  app.get(
    '/openapi.yaml',
    {
      config: open,
      schema: { summary: 'What an agent serves, as OpenAPI 3.1', tags, response: { 200: Type.String() } },
    },
    async (request, reply) => {
      const agent = await find(request);
      const document = agent.openApi();
      void reply.header('cache-control', 'max-age=60');
      return sendDocument(request, reply, document, 'application/yaml; charset=utf-8');
    },
  );
}

function addSkillRoute(app: App, parts: HostedAgentRoutesParts): void {
  const { find } = parts;

  app.post<{ Params: { skill: string }; Body: unknown }>(
    '/v1/:skill',
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
        const agent = await find(request);
        // Checked before the body is read if the skill needs the bearer token whatever the body is.
        if (agent.needsOpener((request.params as { skill: string }).skill)) requireOpener(request, agent, parts);
        agent.admit(request.ip, getHeader(request, 'x-payment-nonce'));
      },
    },
    async (request, reply) => {
      const agent = await find(request);
      const { skill } = request.params;
      const isGuarded = agent.needsOpener(skill, request.body);
      if (isGuarded) requireOpener(request, agent, parts);
      const asked = await skillRequest(request, reply, parts);
      const answer = await agent.call(skill, request.body, asked).catch(countUnauthorized(agent, parts));
      // The token may have been revoked during the call.
      if (isGuarded) requireOpener(request, agent, parts);
      return sendAnswer(reply, answer);
    },
  );
}

function addTaskRoutes(app: App, parts: HostedAgentRoutesParts): void {
  const { taskAccess, find } = parts;

  app.post<{ Body: TaskSendBody }>(
    '/tasks/send',
    {
      config: open,
      schema: {
        summary: 'Send a task: a skill in the older A2A shape',
        tags,
        body: TaskSendBody,
        response: { 200: Type.Ref('HostedTask'), 402: Type.Ref('Challenge') },
      },
      onRequest: async (request) => {
        const agent = await find(request);
        if (agent.needsOpenerAlways) requireOpener(request, agent, parts);
        agent.admit(request.ip, getHeader(request, 'x-payment-nonce'));
      },
    },
    async (request, reply) => {
      const agent = await find(request);
      const skill = agent.taskSkill(request.body);
      if (agent.needsOpener(skill.id, taskInput(skill, request.body))) requireOpener(request, agent, parts);
      const asked = await skillRequest(request, reply, parts);
      return sendAnswer(reply, await agent.sendTask(request.body, asked).catch(countUnauthorized(agent, parts)));
    },
  );

  app.get<{ Params: { task: string } }>(
    '/tasks/:task',
    {
      config: { access: taskAccess },
      schema: {
        summary: 'A task by its request id, in the older A2A shape',
        tags,
        response: { 200: Type.Ref('HostedTask') },
      },
      onRequest: async (request) => {
        requireOpener(request, await find(request), parts);
      },
    },
    async (request): Promise<HostedTask> => (await find(request)).task(request.params.task),
  );
}

function addDepositRoutes(app: App, parts: HostedAgentRoutesParts): void {
  const { find, getSubject } = parts;

  app.post<{ Body: TopupBody }>(
    '/v1/topup',
    {
      config: open,
      schema: {
        summary: 'Open a deposit key; the balance appears when the transfer with its memo is confirmed',
        tags,
        body: TopupBody,
        response: { 200: Type.Ref('Topup') },
      },
      onRequest: async (request) => {
        (await find(request)).admit(request.ip);
      },
    },
    async (request): Promise<Topup> => {
      const agent = await find(request);
      return agent.topup(request.body.amount_lamports, parseIdempotencyKey(request, `topup ${getSubject(agent)}`));
    },
  );

  app.get(
    '/v1/balance',
    {
      config: open,
      schema: {
        summary: 'What is left on a deposit key, which comes as X-Api-Key',
        tags,
        response: { 200: Type.Ref('Balance') },
      },
    },
    async (request) => {
      const agent = await find(request);
      const key = getHeader(request, 'x-api-key');
      if (key === undefined) throw unauthorized();
      return agent.balance(key).catch(countUnauthorized(agent, parts));
    },
  );
}
