import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { anAgentSpec, aSkill, FOR_FREE, IN_LAMPORTS } from '../../testing/parts/an-agent-spec.js';
import { agentBanner } from './agent-banner.js';
import { agentCard, contractVersion, publicCard } from './agent-cards.js';
import { agentOpenApi } from './agent-openapi.js';
import type { AgentSpec } from './agent-spec.js';

const SCHEMA = { type: 'object', properties: { folder: { type: 'string' } } };
const RESULT = { type: 'object', properties: { files: { type: 'integer' } } };
const declared = {
  ...{ tags: ['files'], examples: ['How many?', ' {"folder": "src"}', '{broken', '{"folder": "lib"}'] },
  ...{ input_schema: SCHEMA, output_schema: RESULT },
};
const OPENER = { name: 'memberToken', description: 'Token of this member.', isRight: () => true };
const A2A = [
  { url: 'http://lamp/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  { url: 'http://lamp/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  { url: 'http://lamp/a2a', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
  { url: 'http://lamp/ask', protocolBinding: 'urn:x', protocolVersion: '0.3' },
];
const DEPOSIT = { modes: ['x402', 'deposit'] } as AgentSpec['payment'] & object;
const TESTS = { total: 2, passed: 1 } as unknown as NonNullable<AgentSpec['tests']>;

/** An agent with every optional field. */
const WHOLE = anAgentSpec({
  ...{ skills: [aSkill(declared)], opener: OPENER, interfaces: A2A, preferredTransport: 'JSONRPC' },
  ...{ moreProtocols: ['mcp'], contact: { mailto: 'x' }, availability: { now: false, sla: '4 s' }, tests: TESTS },
  ...{ rateLimits: { per_day: 7 }, documentationUrl: 'http://docs' },
});
const PRICED = anAgentSpec({ skills: [aSkill(declared, [IN_LAMPORTS])], pricing: IN_LAMPORTS, payment: DEPOSIT });

describe('the public card', () => {
  it('has all that an agent says of itself', () => {
    expect(publicCard(WHOLE)).toEqual({
      ...{ name: 'Lamp', url: 'http://lamp', version: contractVersion(WHOLE), description: 'Knows the lamps.' },
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['application/json'] },
      ...{ protocols: ['http', 'a2a', 'mcp'], pricing: FOR_FREE, availability: { now: false, sla: '4 s' } },
      skills: [
        {
          ...{ id: 'count', name: 'Count files', description: 'Counts files.', tags: ['files'] },
          ...{ examples: declared.examples, input_schema: SCHEMA, output_schema: RESULT },
        },
      ],
      ...{ documentationUrl: 'http://docs', contact: { mailto: 'x' }, rate_limits: { per_day: 7 }, tests: TESTS },
      ...{ protocolVersion: '0.3.0', preferredTransport: 'JSONRPC', supportsAuthenticatedExtendedCard: true },
      additionalInterfaces: [
        { url: 'http://lamp/a2a', transport: 'JSONRPC' },
        { url: 'http://lamp/a2a', transport: 'HTTP+JSON' },
      ],
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      securitySchemes: {
        memberToken: {
          ...{ type: 'http', scheme: 'bearer', description: 'Token of this member.' },
          httpAuthSecurityScheme: { scheme: 'Bearer', description: 'Token of this member.' },
        },
      },
      security: [{ memberToken: [] }],
      securityRequirements: [{ schemes: { memberToken: { list: [] } } }],
      supportedInterfaces: A2A,
    });
  });

  it('of an agent that has nothing of it leaves it out', () => {
    const spec = anAgentSpec();
    expect(publicCard(spec)).toEqual({
      ...{ name: 'Lamp', url: 'http://lamp', version: contractVersion(spec), description: 'Knows the lamps.' },
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['application/json'] },
      ...{ protocols: ['http', 'a2a'], pricing: FOR_FREE, availability: { now: true } },
      skills: [{ id: 'count', name: 'Count files', description: 'Counts files.', tags: [], examples: [] }],
      ...{ documentationUrl: 'http://lamp/openapi.yaml', protocolVersion: '0.3.0', preferredTransport: 'HTTP' },
      capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
      ...{ securitySchemes: {}, security: [], securityRequirements: [], supportedInterfaces: [] },
    });
  });

  it.each([
    ['x402 for a price', [IN_LAMPORTS], ['x402'], ['http', 'a2a', 'x402']],
    ['nothing without a price', [FOR_FREE], ['x402'], ['http', 'a2a']],
    ['nothing for deposits alone', [IN_LAMPORTS], ['deposit'], ['http', 'a2a']],
  ] as const)('names among the protocols %s', (_what, prices, modes, protocols) => {
    const payment = { modes: [...modes] } as AgentSpec['payment'] & object;
    const card = publicCard(anAgentSpec({ skills: [aSkill({}, [...prices])], payment }));
    expect(card.protocols).toEqual(protocols);
    expect(card.payment).toEqual(payment);
  });

  it('has the prices of a skill that declares its own', () => {
    const skills = [aSkill({ pricing: IN_LAMPORTS }), aSkill({}, [FOR_FREE])];
    expect(publicCard(anAgentSpec({ skills })).skills.map(({ pricing }) => pricing)).toEqual([
      [IN_LAMPORTS],
      undefined,
    ]);
  });
});

describe('the strict card', () => {
  it('has what A2A 1.0 defines, and the tests as an extension', () => {
    expect(agentCard(WHOLE)).toEqual({
      ...{ name: 'Lamp', description: 'Knows the lamps.', version: contractVersion(WHOLE), supportedInterfaces: A2A },
      capabilities: {
        ...{ streaming: true, pushNotifications: true, extendedAgentCard: true },
        extensions: [
          {
            ...{ uri: 'urn:meshd:contract-tests', required: false, params: TESTS },
            description: 'How this agent stands against the questions that its operator has written down for it.',
          },
        ],
      },
      securitySchemes: {
        memberToken: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'Token of this member.' } },
      },
      securityRequirements: [{ schemes: { memberToken: { list: [] } } }],
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['application/json'] },
      skills: [
        {
          ...{ id: 'count', name: 'Count files', description: 'Counts files.', tags: ['files'] },
          examples: declared.examples,
        },
      ],
    });
    const bare = agentCard(anAgentSpec());
    expect(bare).toMatchObject({ securitySchemes: {}, securityRequirements: [] });
    expect(bare.securitySchemes).toEqual({});
    expect(bare.capabilities).toEqual({ streaming: false, pushNotifications: false, extendedAgentCard: false });
  });
});

describe('the version of a contract', () => {
  it('changes with each thing that callers rely on', () => {
    const versions = [
      WHOLE,
      ...[{ name: 'x' }, { description: 'x' }, { inputModes: ['x'] }, { outputModes: ['x'] }, { pricing: IN_LAMPORTS }],
      ...[{ payment: DEPOSIT }, { skills: [aSkill()] }, { skills: [] }, { version: '2.0.0' }],
    ].map((change) => contractVersion({ ...WHOLE, ...change }));
    expect(new Set(versions).size).toBe(versions.length);
    for (const version of versions) expect(version).toMatch(/^[12]\.0\.0\+[0-9a-f]{12}$/);
  });

  it('stays with what is measured, who runs it and where it is', () => {
    const spec = anAgentSpec({ skills: [aSkill({}, [IN_LAMPORTS])] });
    for (const change of [{ measuredLatency: () => '1 s' }, { providers: () => ['x'] }, { url: () => 'http://x' }])
      expect(contractVersion({ ...spec, ...change })).toBe(contractVersion(spec));
    expect(contractVersion({ ...spec, latency: 'x' })).not.toBe(contractVersion(spec));
  });
});

describe('the overview', () => {
  const more = { method: 'POST', path: '/ask', summary: 'Ask', operation: {} } as const;

  it('lists what an agent serves, in the order in which it is used', () => {
    const spec = anAgentSpec({ skills: [aSkill()], morePaths: [more], rateLimits: { per_day: 7 } });
    expect(agentBanner(spec, '1.0.0+x')).toEqual({
      ...{ agent_id: 'lamp', name: 'Lamp', description: 'Knows the lamps.', version: '1.0.0+x', url: 'http://lamp' },
      endpoints: [
        { method: 'GET', path: '/.well-known/agent.json', summary: 'Full card' },
        {
          ...{ method: 'GET', path: '/.well-known/agent-card.json' },
          summary: 'Full card; with A2A-Version: 1.0 the one of A2A 1.0',
        },
        { method: 'GET', path: '/health', summary: 'Health record' },
        { method: 'POST', path: '/v1/count', summary: 'Count files' },
        { method: 'POST', path: '/tasks/send', summary: 'Send a task: a skill in the older A2A shape' },
        { method: 'GET', path: '/tasks/:id', summary: 'A task by its request id' },
        { method: 'POST', path: '/ask', summary: 'Ask' },
        { method: 'GET', path: '/about', summary: 'This overview' },
        { method: 'GET', path: '/openapi.yaml', summary: 'All of it as OpenAPI 3.1' },
      ],
      ...{ providers: ['acp'], rate_limits: { per_day: 7 } },
      defaults: {
        ...{ skill: 'count', input_modes: ['text/plain'], output_modes: ['application/json'], pricing: FOR_FREE },
      },
    });
  });

  it('tells what costs something, and how it is paid', () => {
    const { endpoints, defaults } = agentBanner(PRICED, 'x');
    expect(endpoints.slice(3, 6)).toEqual([
      { method: 'POST', path: '/v1/count', summary: 'Count files; costs what its price says' },
      { method: 'POST', path: '/v1/topup', summary: 'Open a deposit key' },
      { method: 'GET', path: '/v1/balance', summary: 'What is left on a deposit key' },
    ]);
    expect(defaults).toMatchObject({ pricing: IN_LAMPORTS, payment: DEPOSIT });
  });

  it('of an agent without skills has no default one', () => {
    expect(agentBanner(anAgentSpec({ skills: [] }), 'x').defaults).not.toHaveProperty('skill');
  });
});

interface Operation {
  security: object[];
  responses: Record<string, { description: string; content?: object; headers?: object }>;
  [key: string]: unknown;
}
interface Described {
  paths: Record<string, { get?: Operation; post?: Operation }>;
  components: { schemas: Record<string, object>; securitySchemes: object };
  [key: string]: unknown;
}

describe('the OpenAPI description', () => {
  const describe_ = (spec: AgentSpec) => parse(agentOpenApi(spec)) as Described;
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const json = (schema: object) => ({ 'application/json': { schema } });
  const answer = (description: string, schema: object) => ({ description, content: json(schema) });
  const refused = (description: string) => answer(description, ref('Error'));
  const get = (operationId: string, summary: string, ok: object) => ({
    get: {
      ...{ operationId, summary, security: [] },
      responses: {
        200: ok,
        '4XX': refused('Refused: `error` is a code for programs, `message` a sentence for people.'),
      },
    },
  });
  const header = (name: string, description: string) => ({
    ...{ name, in: 'header', required: false, description, schema: { type: 'string' } },
  });
  const SIGNATURE = header('Mesh-Sig', 'v1 <caller_pubkey> <ts> <nonce> <sig>: who calls; checked when it is there.');
  const PAYMENT = [
    header('X-Payment-Proof', 'Signature of the transaction that paid for the challenge.'),
    header('X-Payment-Nonce', 'Nonce of the challenge that was paid.'),
  ];
  const FAILED = {
    503: refused('The skill failed; what was paid is refunded.'),
    504: refused('The skill took too long; what was paid is refunded.'),
  };
  const BAD_BEARER = refused('The bearer, or the signature, is missing or wrong.');
  const BAD_SIGNATURE = refused('The signature is wrong.');
  const NOT_PAID = answer(
    'The call is not paid: the challenge. Pay the amount with the nonce as memo, and call again.',
    ref('Challenge'),
  );
  const TOO_MANY = refused('Too many calls: Retry-After says when to come back.');
  const TASK = answer('The task.', ref('Task'));

  it('has the documents that every agent serves', () => {
    const { paths, components, ...head } = describe_(anAgentSpec());
    expect(head).toEqual({
      openapi: '3.1.0',
      info: { title: 'Lamp', version: contractVersion(anAgentSpec()), description: 'Knows the lamps.' },
      servers: [{ url: 'http://lamp' }],
    });
    expect(paths).toMatchObject({
      '/.well-known/agent.json': get(
        'card',
        'Full card',
        answer('The card; 304 while it has not changed.', { type: 'object' }),
      ),
      '/.well-known/agent-card.json': get(
        'strictCard',
        'Full card; with A2A-Version: 1.0 the one of A2A 1.0',
        answer('The card.', { type: 'object' }),
      ),
      '/health': get('health', 'Health record', answer('How it is.', ref('Health'))),
      '/about': get('banner', 'Overview', answer('Endpoints, providers, rate limits and defaults.', ref('Banner'))),
    });
    expect(Object.keys(paths)).toEqual([
      ...['/.well-known/agent.json', '/.well-known/agent-card.json', '/health', '/v1/count', '/tasks/send'],
      ...['/tasks/{id}', '/about'],
    ]);
    expect(Object.keys(components.schemas)).toEqual(['Error', 'Health', 'Banner', 'Task']);
    expect(components.schemas['Health']).toEqual({
      type: 'object',
      properties: { ok: { type: 'boolean' }, agent_id: { type: 'string' }, upstream_ready: { type: 'boolean' } },
      required: ['ok', 'agent_id', 'upstream_ready'],
    });
    expect(components.securitySchemes).toEqual({});
    for (const schema of Object.values(components.schemas)) expect(schema).not.toHaveProperty('$id');
  });

  it('of a free skill asks for the bearer of the agent', () => {
    const { paths, components } = describe_(WHOLE);
    const responses = { 401: BAD_BEARER, 429: TOO_MANY, ...FAILED };
    expect(paths['/v1/count']?.post).toEqual({
      ...{ operationId: 'skill-count', summary: 'Count files', description: 'Counts files.', tags: ['files'] },
      ...{ security: [{ memberToken: [] }], parameters: [SIGNATURE] },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: ref('count.input'),
            examples: { 'example-1': { value: { folder: 'src' } }, 'example-2': { value: { folder: 'lib' } } },
          },
        },
      },
      responses: {
        200: answer('The result.', ref('count.output')),
        400: refused('The input does not fit; `path` names the field.'),
        ...responses,
      },
    });
    expect(paths['/tasks/send']?.post).toMatchObject({
      ...{ operationId: 'sendTask', summary: 'Send a task: a skill in the older A2A shape' },
      ...{ security: [{ memberToken: [] }], parameters: [SIGNATURE] },
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    });
    expect(paths['/tasks/send']?.post?.responses).toEqual({
      ...{ 200: TASK, 400: refused('The message does not stand for an input.'), ...responses },
    });
    expect(paths['/tasks/{id}']?.get).toEqual({
      ...{ operationId: 'getTask', summary: 'A task by its request id', security: [{ memberToken: [] }] },
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: TASK, 404: refused('There is no such task.') },
    });
    expect(components.schemas).toMatchObject({ 'count.input': SCHEMA, 'count.output': RESULT });
    expect(components.securitySchemes).toEqual({
      memberToken: { type: 'http', scheme: 'bearer', description: 'Token of this member.' },
    });
  });

  it('of a priced skill tells how it is paid, with a deposit or each call', () => {
    const { paths, components } = describe_(PRICED);
    const { post } = paths['/v1/count'] ?? {};
    expect(post).toMatchObject({
      ...{ security: [{ depositKey: [] }, {}], parameters: [SIGNATURE, ...PAYMENT], 'x-pricing': [IN_LAMPORTS] },
      description: 'Counts files. Price: 5 lamports per request. No free calls. Usual latency: at most a minute.',
    });
    expect(post?.responses).toEqual({
      200: {
        ...answer('The result.', ref('count.output')),
        headers: {
          'X-Debited-Lamports': { description: 'What a deposit key was debited.', schema: { type: 'integer' } },
          'X-Balance-Remaining': { description: 'What is left on it.', schema: { type: 'integer' } },
        },
      },
      ...{ 400: refused('The input does not fit; `path` names the field.'), 401: BAD_SIGNATURE, 402: NOT_PAID },
      ...FAILED,
    });
    expect(paths['/tasks/send']?.post).toMatchObject({ security: [{}], parameters: [SIGNATURE, ...PAYMENT] });
    expect(paths['/tasks/send']?.post?.responses['402']).toEqual(NOT_PAID);
    expect(paths['/v1/topup']?.post).toMatchObject({
      ...{ operationId: 'topup', summary: 'Open a deposit key', security: [] },
      parameters: [header('Idempotency-Key', 'A repeat gives the first answer again, without its secrets.')],
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: { 200: answer('The key, and where to pay.', ref('Topup')), 400: refused('The amount is wrong.') },
    });
    expect(paths['/v1/balance']?.get).toEqual({
      ...{ operationId: 'balance', summary: 'What is left on a deposit key', security: [{ depositKey: [] }] },
      responses: { 200: answer('What is left.', ref('Balance')), 401: refused('The key is unknown.') },
    });
    expect(components.securitySchemes).toEqual({
      depositKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Key of POST /v1/topup.' },
    });
    expect(Object.keys(components.schemas)).toEqual([
      ...['Error', 'Health', 'Banner', 'Task', 'Challenge', 'Topup', 'Balance', 'count.input', 'count.output'],
    ]);
  });

  it('asks for nothing where each call is paid alone, and for the bearer in tasks beside it', () => {
    const payment = { modes: ['x402'] } as AgentSpec['payment'] & object;
    const { paths, components } = describe_({ ...PRICED, payment, opener: OPENER });
    expect(paths['/v1/count']?.post?.security).toEqual([]);
    expect(paths['/tasks/send']?.post?.security).toEqual([{ memberToken: [] }, {}]);
    expect(paths).not.toHaveProperty('/v1/topup');
    expect(components.schemas).toHaveProperty('Challenge');
  });

  it('knows the answers about deposits where there is no price yet', () => {
    const { components, paths } = describe_(anAgentSpec({ payment: DEPOSIT }));
    expect(components.schemas).toHaveProperty('Balance');
    expect(paths['/v1/count']?.post?.security).toEqual([]);
    expect(paths['/v1/count']?.post).not.toHaveProperty('x-pricing');
  });

  it('of a skill without schemas takes any object and tells nothing of its result', () => {
    const { post } = describe_(anAgentSpec()).paths['/v1/count'] ?? {};
    expect(post?.['requestBody']).toEqual({ required: true, content: json({ type: 'object' }) });
    expect(post?.responses['200']).toEqual(answer('The result.', {}));
  });

  it('has the further paths of an agent, with its bearer if it has one', () => {
    const operation = { operationId: 'ask', responses: {} };
    const morePaths = [{ method: 'POST', path: '/ask', summary: 'Ask', operation }] as const;
    const open = describe_(anAgentSpec({ morePaths })).paths['/ask'];
    expect(open).toEqual({ post: { summary: 'Ask', security: [], ...operation } });
    const closed = describe_(anAgentSpec({ morePaths, opener: OPENER })).paths['/ask'];
    expect(closed?.post?.security).toEqual([{ memberToken: [] }]);
  });

  it('is written without aliases, each text on its own line', () => {
    expect(agentOpenApi(PRICED)).not.toMatch(/[&*]a\d/);
    const description = 'word '.repeat(60).trim();
    expect(agentOpenApi(anAgentSpec({ description }))).toContain(`description: ${description}\n`);
  });
});
