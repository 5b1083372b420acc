import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PublicCard } from '../../contract/network/card.js';
import type { AgentBanner, HostedTask } from '../../contract/network/hosted-agents.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const CARD = '/team/consultant/.well-known/agent.json';
const COUNT = {
  id: 'count-files',
  name: 'Count files',
  description: 'Counts the files below a folder.',
  tags: ['files'],
  examples: ['How many files are in src?', '{"folder": "src"}'],
  inputSchema: {
    type: 'object',
    properties: { folder: { $ref: '#/$defs/path' } },
    required: ['folder'],
    additionalProperties: false,
    $defs: { path: { type: 'string', pattern: '^[a-z/]+$' } },
  },
  output_schema: {
    type: 'object',
    properties: { files: { type: 'integer', minimum: 0 } },
    required: ['files'],
    additionalProperties: false,
  },
};
const bearer = async (app: TestApp) => ({ authorization: `Bearer ${await app.getToken('consultant')}` });

async function skilledApp(
  said: string,
  skills: object[] = [COUNT],
  agent = new ScriptedAgent('acp', () => answers(said)),
) {
  const app = await testApp({ clients: [agent] });
  const reply = await app.call('PATCH', '/team/consultant', { skills });
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  const call = async (body: unknown, skill = 'count-files') =>
    app.call('POST', `/team/consultant/v1/${skill}`, body, await bearer(app));
  return { app, agent, call };
}

describe('Declared skill of a member', () => {
  it('is normalized on the card and changes the version with its contract', async () => {
    const { app } = await skilledApp('');
    const first = (await app.call('GET', CARD)).body as PublicCard;
    const { inputSchema, ...rest } = COUNT;
    expect(first.skills[1]).toEqual({ ...rest, input_schema: inputSchema });
    await app.call('PATCH', '/team/consultant', {
      skills: [{ ...COUNT, output_schema: { ...COUNT.output_schema, required: [] } }],
    });
    const second = (await app.call('GET', CARD)).body as PublicCard;
    expect(second.version).not.toBe(first.version);
    await app.call('PATCH', '/team/consultant', { skills: [COUNT] });
    expect(((await app.call('GET', CARD)).body as PublicCard).version).toBe(first.version);
    await app.call('PATCH', '/team/consultant', { color: 'red' });
    expect(((await app.call('GET', CARD)).body as PublicCard).version).toBe(first.version);
  });

  it.each([
    ['alone', '{"files": 3}'],
    ['in a code fence', 'I have counted them.\n\n```json\n{ "files": 3 }\n```\nThat is all.'],
    ['in words', 'There are {"files": 3} of them.'],
    ['twice the same', '```json\n{"files": 3}\n```\n```\n{ "files":3 }\n```'],
    ['beside another value', '```json\n{"folders": 1}\n```\n```json\n{"files": 3}\n```'],
  ])('returns the JSON value that the member gives %s', async (_name, said) => {
    const { call, agent } = await skilledApp(said);
    expect(await call({ folder: 'src' })).toMatchObject({ status: 200, body: { files: 3 } });
    const text = agent.turns[0]?.text ?? '';
    for (const part of [COUNT.description, '{"folder":"src"}', '"files"']) expect(text).toContain(part);
  });

  it.each([
    ['no JSON', 'Three files.'],
    ['what does not fit', '{"files": -1}'],
    ['what it has not promised', '{"files": 3, "secret": 1}'],
    ['two answers', '```json\n{"files": 3}\n```\n```json\n{"files": 4}\n```'],
  ])('responds 503 when the member answers %s', async (_name, said) => {
    const { call } = await skilledApp(said);
    expect(await call({ folder: 'src' })).toMatchObject({
      status: 503,
      body: { error: 'overloaded', request_id: expect.any(String) },
    });
  });

  it('returns the text with citations when it declares no output schema', async () => {
    const { output_schema: _, ...worded } = COUNT;
    const { call } = await skilledApp('Three files.', [worded]);
    expect((await call({ folder: 'src' })).body).toEqual({
      request_id: expect.stringMatching(/^req-/),
      result_text: 'Three files.',
      citations: [],
      client: 'acp',
      model: 'scripted-1',
    });
  });

  it('responds 400 with the field of an invalid input, without asking the member', async () => {
    const { call, agent } = await skilledApp('{"files": 3}');
    const attempts: [unknown, string, string][] = [
      [{}, 'bad_request', 'folder'],
      [{ folder: 7 }, 'bad_request', 'folder'],
      [{ folder: 'SRC' }, 'bad_request', 'folder'],
      [{ folder: 'src', more: 1 }, 'unknown_key', 'more'],
      [undefined, 'bad_request', 'folder'],
      [null, 'bad_request', 'folder'],
      [[], 'bad_request', ''],
      ['"src"', 'bad_request', ''],
    ];
    for (const [body, error, path] of attempts) expect((await call(body)).body).toMatchObject({ error, path });
    expect(agent.turns).toHaveLength(0);
  });

  it('passes a long input as a document', async () => {
    const wide = { ...COUNT, inputSchema: { type: 'object' } };
    const { call, agent } = await skilledApp('{"files": 3}', [wide]);
    expect((await call({ text: 'x'.repeat(20_000) })).status).toBe(200);
    expect(agent.turns[0]?.context_docs).toEqual([{ filename: 'input.json', content: expect.stringContaining('xxx') }]);
    expect((await call({ text: 'x'.repeat(70_000) })).body).toMatchObject({ error: 'too_large' });
  });

  it('is never served when it is invalid on disk, while the others are', async () => {
    const { app, call } = await skilledApp('{"files": 3}');
    const path = join(app.root, '.mesh/team/consultant.md');
    const hostile = [
      '  - { id: ring, description: x, input_schema: { properties: { a: { $ref: "#" } } } }',
      '  - { id: fetching, description: x, input_schema: { $ref: "http://127.0.0.1:1/x" } }',
      '  - { id: "../../health", description: x }',
      '  - { id: topup, description: x }',
      '  - { id: __proto__, description: x }',
    ].join('\n');
    const text = readFileSync(path, 'utf8').replace(/\nskills:\n/, `\nskills:\n${hostile}\n`);
    expect(text).toContain('fetching');
    writeFileSync(path, text);
    const { warnings } = (await app.call('GET', '/team/consultant')).body as { warnings: { path: string }[] };
    expect(warnings.map((one) => one.path.split('.').slice(0, 2).join('.'))).toEqual([
      'skills.0',
      'skills.1',
      'skills.2',
      'skills.3',
      'skills.4',
    ]);
    expect(((await app.call('GET', CARD)).body as PublicCard).skills.map(({ id }) => id)).toEqual([
      'ask',
      'count-files',
    ]);
    for (const id of ['ring', 'fetching', '__proto__', 'constructor']) expect((await call({}, id)).status).toBe(404);
    expect((await call({ folder: 'src' })).status).toBe(200);
  });

  it('validates a catastrophic pattern in time linear in the text', async () => {
    const slow = {
      ...COUNT,
      inputSchema: { type: 'object', properties: { folder: { type: 'string', pattern: '^(([a-z]+)+)+$' } } },
    };
    const { call } = await skilledApp('{"files": 3}', [slow]);
    expect((await call({ folder: `${'a'.repeat(5_000)}!` })).body).toMatchObject({
      error: 'bad_request',
      path: 'folder',
    });
  });
});

describe('Tasks', () => {
  const TASK = '/team/consultant/tasks';
  const message = (...parts: object[]) => ({ message: { role: 'user', parts } });

  it('are asks whose request id is the task id', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const { app } = await skilledApp('', [COUNT], agent);
    const headers = await bearer(app);
    const sent = (
      await app.call(
        'POST',
        `${TASK}/send`,
        { id: 'mine', sessionId: 's1', ...message({ type: 'text', text: 'Why?' }) },
        headers,
      )
    ).body as HostedTask;
    expect(sent).toMatchObject({ id: expect.stringMatching(/^req-/), sessionId: 's1', kind: 'task' });
    await agent.untilHeld(1);
    expect((await app.call('GET', `${TASK}/${sent.id}`, undefined, headers)).body).toMatchObject({
      id: sent.id,
      status: { state: 'working' },
    });
    agent.finishAll();
    expect((await app.poll('consultant', sent.id, 30)).status).toBe('done');
    expect((await app.call('GET', `${TASK}/${sent.id}`, undefined, headers)).body).toMatchObject({
      status: { state: 'completed' },
      artifacts: [{ index: 0, parts: [{ type: 'text', text: 'Thinking. Done.' }, { type: 'data' }] }],
    });
    expect((await app.call('DELETE', `/team/requests/${sent.id}`, undefined, headers)).status).toBe(200);
    expect((await app.call('GET', `${TASK}/req-unknown`, undefined, headers)).status).toBe(404);
    expect((await app.call('GET', `${TASK}/${sent.id}`)).status).toBe(401);
    expect((await app.call('POST', `${TASK}/send`, message({ type: 'text', text: 'x' }))).status).toBe(401);
  });

  it('pass data or JSON to the named skill, in either spelling of a part', async () => {
    const { app } = await skilledApp('{"files": 3}');
    const headers = await bearer(app);
    for (const part of [
      { type: 'data', data: { folder: 'src' } },
      { kind: 'data', data: { folder: 'src' } },
      { kind: 'text', text: '{"folder": "src"}' },
    ]) {
      const task = await app.call(
        'POST',
        `${TASK}/send`,
        { ...message(part), metadata: { skill: 'count-files' } },
        headers,
      );
      expect(task).toMatchObject({
        status: 200,
        body: { status: { state: 'completed' }, artifacts: [{ parts: [{ data: { files: 3 } }] }] },
      });
    }
    const wrong = await app.call(
      'POST',
      `${TASK}/send`,
      { ...message({ type: 'text', text: 'src' }), metadata: { skill: 'count-files' } },
      headers,
    );
    expect(wrong.status).toBe(400);
    expect((await app.call('POST', `${TASK}/send`, message({ type: 'file', file: {} }), headers)).body).toMatchObject({
      path: 'message.parts',
    });
    expect(
      (
        await app.call(
          'POST',
          `${TASK}/send`,
          { ...message({ type: 'text', text: 'x' }), metadata: { skill: 'fly' } },
          headers,
        )
      ).status,
    ).toBe(404);
    expect((await app.call('POST', `${TASK}/send`, { message: { parts: [] } }, headers)).status).toBe(400);
  });
});

describe('Overview and OpenAPI description of an exposed member', () => {
  it('list its endpoints, provider, limits and defaults', async () => {
    const { app } = await skilledApp('');
    const banner = (await app.call('GET', '/team/consultant/about')).body as AgentBanner;
    expect(banner).toMatchObject({
      agent_id: 'consultant',
      url: `${app.address}/team/consultant`,
      providers: ['acp'],
      rate_limits: {},
      defaults: { skill: 'ask' },
    });
    expect(banner.endpoints.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/v1/ask', '/v1/count-files', '/health', '/tasks/send', '/openapi.yaml', '/about']),
    );
  });

  it('are OpenAPI 3.1 with only internal references and unique operation ids', async () => {
    const { app } = await skilledApp('');
    await app.call('PATCH', '/team/consultant', {
      pricing: { unit: 'request', amount: 5, currency: 'lamports' },
      payment: { modes: ['x402', 'deposit'] },
    });
    const reply = await app.call('GET', '/team/consultant/openapi.yaml');
    expect(reply.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    const document = parse(reply.text) as Record<string, unknown>;
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Consultant', version: expect.any(String) },
      servers: [{ url: `${app.address}/team/consultant` }],
      paths: {
        '/v1/count-files': {
          post: {
            requestBody: {
              content: { 'application/json': { examples: { 'example-1': { value: { folder: 'src' } } } } },
            },
            responses: { 402: expect.any(Object) },
          },
        },
        '/v1/topup': { post: expect.any(Object) },
        '/ask': { post: { security: [{ memberToken: [] }], responses: { 202: expect.any(Object) } } },
      },
      components: {
        schemas: {
          'count-files.input': {
            properties: { folder: { $ref: '#/components/schemas/count-files.input/$defs/path' } },
          },
        },
      },
    });
    const lost: string[] = [];
    const names = new Set<string>();
    const twice: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, one] of Object.entries(value)) {
        if (key === '$ref' && typeof one === 'string') {
          const found = one
            .slice(2)
            .split('/')
            .reduce<unknown>(
              (at, step) =>
                (at as Record<string, unknown> | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
              document,
            );
          if (!one.startsWith('#/') || found === undefined) lost.push(one);
        } else if (key === 'operationId') {
          if (names.has(String(one))) twice.push(String(one));
          names.add(String(one));
        } else walk(one);
      }
    };
    walk(document);
    expect([lost, twice]).toEqual([[], []]);
    for (const path of Object.values(document['paths'] as Record<string, Record<string, { responses: object }>>)) {
      for (const { responses } of Object.values(path))
        expect(Object.keys(responses).some((status) => /^20[02]$/.test(status))).toBe(true);
    }
  });
});

describe('Documents of an exposed member', () => {
  it('respond 404 with the same bytes for unknown and internal members on every path', async () => {
    const { app } = await skilledApp('');
    const token = { authorization: `Bearer ${await app.getToken('consultant')}` };
    const paths: [string, string, unknown?][] = [
      ['GET', '/.well-known/agent.json'],
      ['GET', '/.well-known/agent-card.json'],
      ['GET', '/health'],
      ['GET', '/about'],
      ['GET', '/openapi.yaml'],
      ['POST', '/v1/ask', { text: 'x' }],
      ['POST', '/v1/ask', { nonsense: 1 }],
      ['POST', '/v1/topup', { amount_lamports: 5 }],
      ['GET', '/v1/balance'],
      ['POST', '/tasks/send', { message: { parts: [{ type: 'text', text: 'x' }] } }],
      ['GET', '/tasks/req-aaaaaaaaaaaaaaaa'],
    ];
    for (const [method, path, body] of paths) {
      const [unknown, internal] = await Promise.all(
        ['nobody', 'developer'].map((id) => app.call(method, `/team/${id}${path}`, body, token)),
      );
      expect([path, unknown?.status, unknown?.text]).toEqual([path, 404, internal?.text]);
    }
  });

  it('have a strong ETag and respond 304 to many concurrent conditional requests', async () => {
    const { app } = await skilledApp('');
    for (const path of [CARD, '/team/consultant/.well-known/agent-card.json', '/team/consultant/openapi.yaml']) {
      const first = await app.call('GET', path);
      const etag = first.headers.get('etag') ?? '';
      expect([path, etag, first.headers.get('cache-control')]).toEqual([
        path,
        expect.stringMatching(/^"[0-9a-f]{32}"$/),
        'max-age=60',
      ]);
      const known = [etag, `W/${etag}`, `"other", ${etag}`, '*'];
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          app.call('GET', path, undefined, { 'if-none-match': known[i % 4] as string }),
        ),
      );
      for (const { status, text, headers } of replies)
        expect([status, text, headers.get('etag')]).toEqual([304, '', etag]);
      expect((await app.call('GET', path, undefined, { 'if-none-match': '"other"' })).text).toBe(first.text);
    }
  });
});
