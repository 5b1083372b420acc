import { stringify } from 'yaml';
import { ErrorBody } from '../../contract/errors.js';
import { AgentBanner, HostedTask, TaskSendBody } from '../../contract/network/hosted-agents.js';
import { Balance, Challenge, Topup, TopupBody } from '../../contract/payments.js';
import { movedSchema } from '../../lib/agents/skill-schema-walk.js';
import { contractVersion } from './agent-cards.js';
import type { AgentSpec, HostedSkill } from './agent-spec.js';
import { mayBePriced } from './skill-prices.js';
import { describeSkill } from './skill-terms.js';

type Json = { [key: string]: unknown };

/** Removes `$id` from a contract schema. Within one document, its location identifies it. */
const plain = (schema: object): Json => {
  const { $id: _, ...rest } = JSON.parse(JSON.stringify(schema)) as Json;
  return rest;
};
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ 'application/json': { schema } });
const answer = (description: string, schema: Json, headers?: Json): Json => ({
  description,
  content: json(schema),
  ...(headers ? { headers } : {}),
});
const refused = (description: string) => answer(description, ref('Error'));
const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});
const count = (description: string): Json => ({ description, schema: { type: 'integer' } });

const NOT_PAID = answer(
  'The call is not paid: the challenge. Pay the amount with the nonce as memo, and call again.',
  ref('Challenge'),
);

/** The headers with which a call can be paid. */
const PAYMENT_HEADERS = [
  header('X-Payment-Proof', 'Signature of the transaction that paid for the challenge.'),
  header('X-Payment-Nonce', 'Nonce of the challenge that was paid.'),
];
const SIGNATURE_HEADER = header(
  'Mesh-Sig',
  'v1 <caller_pubkey> <ts> <nonce> <sig>: who calls; checked when it is there.',
);

/**
 * The OpenAPI 3.1 description of an agent, in YAML: its skills with their schemas, prices and credentials. Spec:
 * Interface hosted by each agent.
 */
export function agentOpenApi(spec: AgentSpec): string {
  const { opener, payment } = spec;
  const takesDeposits = payment?.modes.includes('deposit') === true;
  const document: Json = {
    openapi: '3.1.0',
    info: { title: spec.name, version: contractVersion(spec), description: spec.description },
    servers: [{ url: spec.url() }],
    paths: {
      '/.well-known/agent.json': {
        get: get('Full card', 'card', answer('The card; 304 while it has not changed.', { type: 'object' })),
      },
      '/.well-known/agent-card.json': {
        get: get(
          'Full card; with A2A-Version: 1.0 the one of A2A 1.0',
          'strictCard',
          answer('The card.', { type: 'object' }),
        ),
      },
      '/health': { get: get('Health record', 'health', answer('How it is.', ref('Health'))) },
      ...Object.fromEntries(spec.skills.map((skill) => [`/v1/${skill.id}`, { post: skillPath(spec, skill) }])),
      ...(takesDeposits ? depositPaths() : {}),
      ...taskPaths(spec),
      ...morePaths(spec),
      [spec.bannerPath]: {
        get: get('Overview', 'banner', answer('Endpoints, providers, rate limits and defaults.', ref('Banner'))),
      },
    },
    components: {
      schemas: {
        ...contractSchemas(takesDeposits || spec.skills.some(mayBePriced)),
        ...Object.assign({}, ...spec.skills.map(skillSchemas)),
      },
      securitySchemes: {
        ...(opener ? { [opener.name]: { type: 'http', scheme: 'bearer', description: opener.description } } : {}),
        ...(takesDeposits
          ? { depositKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Key of POST /v1/topup.' } }
          : {}),
      },
    },
  };
  // Many generators read YAML 1.1, for which a plain `on` is true and a plain `12:30` a number.
  return stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 });
}

const get = (summary: string, operationId: string, ok: Json): Json => ({
  operationId,
  summary,
  security: [],
  responses: { 200: ok, '4XX': refused('Refused: `error` is a code for programs, `message` a sentence for people.') },
});

function contractSchemas(isPaid: boolean): Json {
  return {
    Error: plain(ErrorBody),
    Health: {
      type: 'object',
      properties: { ok: { type: 'boolean' }, agent_id: { type: 'string' }, upstream_ready: { type: 'boolean' } },
      required: ['ok', 'agent_id', 'upstream_ready'],
    },
    Banner: plain(AgentBanner),
    Task: plain(HostedTask),
    ...(isPaid ? { Challenge: plain(Challenge), Topup: plain(Topup), Balance: plain(Balance) } : {}),
  };
}

const inputName = ({ id }: HostedSkill) => `${id}.input`;
const outputName = ({ id }: HostedSkill) => `${id}.output`;

function skillSchemas(skill: HostedSkill): Json {
  const placed = (name: string, schema: Json | undefined) =>
    schema ? { [name]: movedSchema(schema, `#/components/schemas/${name}`) } : {};
  return { ...placed(inputName(skill), skill.input_schema), ...placed(outputName(skill), skill.output_schema) };
}

function refusals({ opener, rateLimits }: AgentSpec): Json {
  return {
    ...(opener
      ? { 401: refused('The bearer, or the signature, is missing or wrong.') }
      : { 401: refused('The signature is wrong.') }),
    ...(Object.keys(rateLimits).length === 0
      ? {}
      : { 429: refused('Too many calls: Retry-After says when to come back.') }),
    503: refused('The skill failed; what was paid is refunded.'),
    504: refused('The skill took too long; what was paid is refunded.'),
  };
}

function skillPath(spec: AgentSpec, skill: HostedSkill): Json {
  const isPriced = mayBePriced(skill);
  const { opener, payment } = spec;
  const takesDeposits = payment?.modes.includes('deposit') === true;
  const bearer = opener && !isPriced ? [{ [opener.name]: [] }] : [];
  const examples = skill.examples.flatMap((example) => literal(example) ?? []);
  return {
    operationId: `skill-${skill.id}`,
    summary: skill.name,
    description: describeSkill(skill, spec),
    tags: skill.tags,
    security: isPriced && takesDeposits ? [{ depositKey: [] }, {}] : bearer,
    parameters: [SIGNATURE_HEADER, ...(isPriced ? PAYMENT_HEADERS : [])],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: skill.input_schema ? ref(inputName(skill)) : { type: 'object' },
          ...(examples.length === 0
            ? {}
            : { examples: Object.fromEntries(examples.map((value, index) => [`example-${index + 1}`, { value }])) }),
        },
      },
    },
    responses: {
      200: answer(
        'The result.',
        skill.output_schema ? ref(outputName(skill)) : {},
        isPriced ? debitHeaders() : undefined,
      ),
      400: refused('The input does not fit; `path` names the field.'),
      ...(isPriced ? { 402: NOT_PAID } : {}),
      ...refusals(spec),
    },
    ...(isPriced ? { 'x-pricing': skill.prices } : {}),
  };
}

const debitHeaders = (): Json => ({
  'X-Debited-Lamports': count('What a deposit key was debited.'),
  'X-Balance-Remaining': count('What is left on it.'),
});

function literal(example: string): Json | undefined {
  if (!example.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(example) as Json;
  } catch {
    return undefined;
  }
}

function taskPaths(spec: AgentSpec): Json {
  const { opener } = spec;
  const isPaid = spec.skills.some(mayBePriced);
  const security = opener ? [{ [opener.name]: [] }] : [];
  const task = answer('The task.', ref('Task'));
  return {
    '/tasks/send': {
      post: {
        operationId: 'sendTask',
        summary: 'Send a task: a skill in the older A2A shape',
        security: isPaid ? [...security, {}] : security,
        parameters: [SIGNATURE_HEADER, ...(isPaid ? PAYMENT_HEADERS : [])],
        requestBody: { required: true, content: json(plain(TaskSendBody)) },
        responses: {
          200: task,
          400: refused('The message does not stand for an input.'),
          ...(isPaid ? { 402: NOT_PAID } : {}),
          ...refusals(spec),
        },
      },
    },
    '/tasks/{id}': {
      get: {
        operationId: 'getTask',
        summary: 'A task by its request id',
        security,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: task, 404: refused('There is no such task.') },
      },
    },
  };
}

function morePaths({ morePaths: paths, opener }: AgentSpec): Json {
  const security = opener ? [{ [opener.name]: [] }] : [];
  return Object.fromEntries(
    paths.map(({ method, path, summary, operation }) => [
      path,
      { [method.toLowerCase()]: { summary, security, ...operation } },
    ]),
  );
}

function depositPaths(): Json {
  return {
    '/v1/topup': {
      post: {
        operationId: 'topup',
        summary: 'Open a deposit key',
        security: [],
        parameters: [header('Idempotency-Key', 'A repeat gives the first answer again, without its secrets.')],
        requestBody: { required: true, content: json(plain(TopupBody)) },
        responses: { 200: answer('The key, and where to pay.', ref('Topup')), 400: refused('The amount is wrong.') },
      },
    },
    '/v1/balance': {
      get: {
        operationId: 'balance',
        summary: 'What is left on a deposit key',
        security: [{ depositKey: [] }],
        responses: { 200: answer('What is left.', ref('Balance')), 401: refused('The key is unknown.') },
      },
    },
  };
}
