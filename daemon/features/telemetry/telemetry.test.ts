import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Telemetry, TelemetryTest } from '../../contract/telemetry.js';
import { begin, ended, events, postMessage } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { callTurnTool } from '../../testing/processes/turn-tools.js';
import { OtlpCollector } from '../../testing/stand-ins/otlp-collector.js';
import type { Turn } from '../clients/client.js';

const KEY = 'collector-key-8Hq3xW';
/** A secret of the shape that is redacted, put together so that no scanner finds it here. */
const SECRET = ['ghp', '0123456789abcdefghijABCDEFGHIJ012345'].join('_');
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const view = async (app: TestApp) => (await app.call('GET', '/telemetry')).body as Telemetry;
const turnOn = async (app: TestApp, collector: OtlpCollector, more: object = {}) => {
  const reply = await app.call('PUT', '/telemetry', { address: collector.address, ...more });
  expect(reply.status, reply.text).toBe(200);
};

async function untilDone(app: TestApp, member: string, headers: Record<string, string> = {}): Promise<string> {
  const { request_id } = await app.ask(member, { text: 'Which port does Lamp use?' }, headers);
  await app.poll(member, request_id, 10);
  return request_id;
}

async function talk(app: TestApp, member: string, text: string): Promise<{ conv: string; turn: string }> {
  const { conv } = await begin(app, { member });
  const client = await events(app);
  const { turn } = await postMessage(app, conv, text);
  await ended(client, turn);
  return { conv, turn };
}

/** Lets the daemon send what it has. */
const flush = (app: TestApp) => app.clock.advance(5_000);

const working = () =>
  new ScriptedAgent('claude-code', async function* (turn: Turn) {
    yield { type: 'tool', call: { id: 't1', name: 'Read', target: `src/${SECRET}`, state: 'running' } };
    yield { type: 'tool', call: { id: 't1', name: 'Read', target: 'src/a.ts', state: 'done', output: 'the file' } };
    yield { type: 'tool', call: { id: 't2', name: 'Bash', target: 'false', state: 'failed', ms: 40 } };
    yield { type: 'usage', usage: { input_tokens: 120, output_tokens: 30, cost_usd: 0.25 } };
    yield* answers(`You said ${turn.text}.`);
  });

describe('telemetry', () => {
  it('is off until the operator names an address, and sends nothing', async () => {
    const app = await testApp({ clients: [working()] });
    expect(await view(app)).toMatchObject({ address: null, content: false, header_names: [], sent: 0, queued: 0 });
    await talk(app, 'developer', 'hello');
    expect(await view(app)).toMatchObject({ queued: 0, dropped: 0 });
    const { status, body } = await app.call('POST', '/telemetry/test');
    expect([status, (body as { error: string }).error]).toEqual([404, 'not_found']);
  });

  it('sends turns and tool calls by the GenAI conventions, without any text', async () => {
    const collector = await OtlpCollector.start();
    const app = await testApp({ clients: [working()] });
    await turnOn(app, collector);
    const { conv, turn } = await talk(app, 'developer', 'the harbour is dark');
    flush(app);
    await collector.until(() => collector.spans.length === 3);
    const [agent, read, bash] = collector.spans;
    expect(agent).toMatchObject({
      name: 'invoke_agent developer',
      kind: 1,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.agent.id': 'developer',
        'gen_ai.agent.name': 'Developer',
        'gen_ai.conversation.id': conv,
        'gen_ai.request.model': 'scripted-1',
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.output_tokens': 30,
        'meshd.turn.id': turn,
      },
      resource: { 'service.name': 'meshd', 'service.version': '0.0.0-test' },
    });
    expect(agent?.parentSpanId).toBeUndefined();
    expect(
      [read, bash].map((tool) => [tool?.name, tool?.parentSpanId, tool?.attributes['gen_ai.tool.call.id']]),
    ).toEqual([
      ['execute_tool Read', agent?.spanId, 't1'],
      ['execute_tool Bash', agent?.spanId, 't2'],
    ]);
    expect(bash).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'tool_failed' } });
    expect(Number(bash?.endTimeUnixNano) - Number(bash?.startTimeUnixNano)).toBeCloseTo(40e6, -3);
    expect(collector.text).not.toMatch(/harbour|src\/a\.ts|the file|false/);
    while ((await view(app)).queued > 0) await new Promise(setImmediate);
    expect(await view(app)).toMatchObject({ sent: 3, queued: 0, dropped: 0, last_success_at: expect.any(String) });
  });

  it('sends texts when it is told to, without secrets', async () => {
    const collector = await OtlpCollector.start();
    const app = await testApp({ clients: [working()] });
    await turnOn(app, collector, { content: true });
    await talk(app, 'developer', `the harbour is dark ${SECRET}`);
    flush(app);
    await collector.until(() => collector.spans.length === 3);
    const [agent, read] = collector.spans;
    expect(JSON.parse(String(agent?.attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'the harbour is dark [redacted]' }] },
    ]);
    expect(agent?.attributes['gen_ai.output.messages']).toContain('You said the harbour');
    expect(read?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': 'src/a.ts',
      'gen_ai.tool.call.result': 'the file',
    });
    expect(collector.text).not.toContain(SECRET);
  });

  it('puts an ask below the span of its caller, and its turn below the ask', async () => {
    const collector = await OtlpCollector.start();
    const app = await testApp({ clients: [working()] });
    await turnOn(app, collector);
    const traceparent = `00-${TRACE}-${SPAN}-01`;
    const rid = await untilDone(app, 'consultant', { traceparent, 'user-agent': 'ci-bot/2.1 (nightly)' });
    flush(app);
    await collector.until(() => collector.spans.length >= 2);
    const [ask, turn] = collector.spans;
    expect(ask).toMatchObject({
      name: 'ask consultant',
      kind: 2,
      traceId: TRACE,
      parentSpanId: SPAN,
      attributes: {
        'meshd.member': 'consultant',
        'meshd.request.id': rid,
        'meshd.request.status': 'done',
        'user_agent.name': 'ci-bot/2.1',
      },
    });
    expect(turn).toMatchObject({ name: 'invoke_agent consultant', traceId: TRACE, parentSpanId: ask?.spanId });
    expect(collector.text).not.toContain('Which port');
  });

  it('follows a caller that does not record its trace, and begins one for a wrong header', async () => {
    const collector = await OtlpCollector.start();
    const app = await testApp({ clients: [working()] });
    await turnOn(app, collector);
    await untilDone(app, 'consultant', { traceparent: `00-${TRACE}-${SPAN}-00` });
    await untilDone(app, 'consultant', { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` });
    flush(app);
    await collector.until(() => collector.spans.length >= 2);
    expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['ask consultant']));
    expect(collector.spans.filter(({ name }) => name === 'ask consultant')).toHaveLength(1);
    expect(collector.spans[0]).not.toHaveProperty('parentSpanId', SPAN);
    expect(collector.spans[0]?.traceId).not.toBe(TRACE);
  });

  it('puts the turn of a member that was asked below that of the member that asked', async () => {
    const collector = await OtlpCollector.start();
    const agent = new ScriptedAgent('acp', async function* (turn: Turn) {
      const server = turn.tool_server;
      if (turn.member.id === 'developer' && server)
        await callTurnTool(server, 'ask_member', { member: 'consultant', text: 'Which port?' });
      yield* answers('done');
    });
    const app = await testApp({ clients: [agent] });
    await turnOn(app, collector);
    await talk(app, 'developer', 'ask about it');
    flush(app);
    await collector.until(() => collector.spans.length === 2);
    const asked = collector.spans.find(({ name }) => name === 'invoke_agent consultant');
    const asker = collector.spans.find(({ name }) => name === 'invoke_agent developer');
    expect([asked?.traceId, asked?.parentSpanId]).toEqual([asker?.traceId, asker?.spanId]);
  });

  it('tells with what a turn failed, and its reason only with content', async () => {
    const collector = await OtlpCollector.start();
    const failing = new ScriptedAgent('acp', async function* () {
      yield { type: 'text', text: 'half' } as const;
      throw new Error('the lamp broke');
    });
    const app = await testApp({ clients: [failing] });
    await turnOn(app, collector);
    await talk(app, 'developer', 'x');
    flush(app);
    await collector.until(() => collector.spans.length === 1);
    expect(collector.spans[0]).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'client_failed' } });
    expect(collector.text).not.toContain('lamp broke');
    await turnOn(app, collector, { content: true });
    await talk(app, 'developer', 'x');
    flush(app);
    await collector.until(() => collector.spans.length === 2);
    expect(collector.spans[1]?.status.message).toContain('the lamp broke');
  });

  it('sends metrics of turns, tokens and requests every minute', async () => {
    const collector = await OtlpCollector.start();
    const app = await testApp({ clients: [working()] });
    await turnOn(app, collector);
    await talk(app, 'developer', 'hello');
    app.clock.advance(60_000);
    await collector.until(() => collector.requests.some(({ path }) => path === '/v1/metrics'));
    const tokens = collector.points('gen_ai.client.token.usage');
    expect(tokens.map(({ sum, attributes }) => [attributes['gen_ai.token.type'], sum])).toEqual([
      ['input', 120],
      ['output', 30],
    ]);
    expect(collector.points('gen_ai.client.operation.duration')[0]).toMatchObject({
      count: 1,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'anthropic' },
    });
    expect(collector.points('http.server.request.duration')).toContainEqual(
      expect.objectContaining({
        count: 1,
        attributes: {
          ...{ 'http.request.method': 'POST', 'url.scheme': 'http' },
          ...{ 'http.route': '/conversations', 'http.response.status_code': 201 },
        },
      }),
    );
  });
});

describe('a collector', () => {
  it('that is away delays nothing, is tried again, and gets what waited', async () => {
    const first = await OtlpCollector.start();
    const { port } = first;
    const app = await testApp({ clients: [working()] });
    await turnOn(app, first);
    await first.stop();
    await talk(app, 'developer', 'hello');
    flush(app);
    while ((await view(app)).last_error === null) await new Promise(setImmediate);
    expect(await view(app)).toMatchObject({
      sent: 0,
      queued: 3,
      last_error: { message: `Traces: http://127.0.0.1:${port}: No connection to it could be made, or it broke.` },
    });
    await talk(app, 'developer', 'hello again');
    expect(app.log.filter((line) => line.includes('Telemetry was not sent'))).toHaveLength(1);
    const second = await OtlpCollector.start(port);
    app.clock.advance(10_000);
    await second.until(() => second.spans.length === 6);
    while ((await view(app)).queued > 0) await new Promise(setImmediate);
    expect(await view(app)).toMatchObject({ sent: 6, dropped: 0 });
  });

  it('that refuses spans makes them count as dropped, with its words but not the key', async () => {
    const collector = await OtlpCollector.start();
    const app = await testApp({ clients: [working()] });
    await turnOn(app, collector, { headers: [{ name: 'x-key', value: KEY }] });
    collector.reply = { status: 401, body: { message: `no such key ${KEY}` } };
    await talk(app, 'developer', 'hello');
    flush(app);
    while ((await view(app)).dropped === 0) await new Promise(setImmediate);
    const seen = await view(app);
    expect(seen).toMatchObject({ sent: 0, queued: 0, dropped: 3 });
    expect(seen.last_error?.message).toBe('Traces: The collector answered 401: no such key [redacted].');
    expect(JSON.stringify(seen) + app.log.join('')).not.toContain(KEY);
    collector.reply = { status: 200, body: { partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } } };
    await talk(app, 'developer', 'hello');
    flush(app);
    while ((await view(app)).sent === 0) await new Promise(setImmediate);
    expect(await view(app)).toMatchObject({ sent: 1, dropped: 5 });
  });

  it('that takes traces only is named with what it refuses, and logged once', async () => {
    const collector = await OtlpCollector.start();
    collector.hasTracesOnly = true;
    const app = await testApp();
    await turnOn(app, collector);
    const warnings = () => app.log.filter((line) => line.includes('Telemetry was not sent'));
    for (let minute = 1; minute <= 3; minute += 1) {
      const { last_error: before } = await view(app);
      app.clock.advance(60_000);
      while ((await view(app)).last_error?.at === before?.at) await new Promise(setImmediate);
      expect((await view(app)).last_error?.message).toBe('Metrics: The collector answered 404.');
      expect((await app.call('POST', '/telemetry/test')).body).toMatchObject({ ok: true });
    }
    expect(warnings()).toEqual([expect.stringContaining('Metrics: The collector answered 404.')]);
    collector.reply = { status: 404 };
    expect((await app.call('POST', '/telemetry/test')).body).toMatchObject({ ok: false });
    expect(warnings()).toHaveLength(1);
  });

  it('is tested with one span, and gets the headers of its own server only', async () => {
    const [first, second] = [await OtlpCollector.start(), await OtlpCollector.start()];
    const app = await testApp();
    await turnOn(app, first, { headers: [{ name: 'Authorization', value: `Bearer ${KEY}` }] });
    const passed = (await app.call('POST', '/telemetry/test')).body as TelemetryTest;
    expect(passed).toMatchObject({ ok: true, status: 200, message: 'The collector answered 200.' });
    expect(first.spans).toMatchObject([{ name: 'meshd telemetry test', traceId: passed.trace_id }]);
    expect(first.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
    });
    await turnOn(app, first, { content: true });
    expect(await view(app)).toMatchObject({ content: true, header_names: ['Authorization'] });
    const file = join(app.root, '.mesh/credentials/telemetry.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await turnOn(app, second);
    second.reply = { status: 503 };
    expect((await app.call('POST', '/telemetry/test')).body).toMatchObject({ ok: false, status: 503 });
    expect(second.requests[0]?.headers.authorization).toBeUndefined();
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    await app.call('DELETE', '/telemetry');
    expect(readFileSync(file, 'utf8')).not.toContain('address');
  });

  it('gets what waited when the daemon stops, and the next daemon sends on', async () => {
    const collector = await OtlpCollector.start();
    const held = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [held] });
    await turnOn(app, collector);
    const { conv } = await begin(app);
    await postMessage(app, conv, 'hello');
    await held.untilHeld(1);
    await app.stop();
    expect(collector.spans).toMatchObject([
      { name: 'invoke_agent developer', attributes: { 'error.type': 'daemon_restarted' } },
    ]);
    const again = await testApp({ root: app.root, clients: [working()] });
    await talk(again, 'developer', 'hello');
    flush(again);
    await collector.until(() => collector.spans.length === 4);
    expect(collector.spans[1]?.resource['service.instance.id']).toBe(
      collector.spans[0]?.resource['service.instance.id'],
    );
  });

  it.each([
    ['not an address', 'lamp', '"lamp" is not an address'],
    ['http of another machine', 'http://collector.example:4318', '"http://collector.example:4318": '],
    ['a private network', 'https://10.0.0.4:4318', '10.0.0.4 is not an address of the public internet'],
    ['with a password', 'https://me:secret-word@collector.example', 'without credentials'],
    ['with a query', 'https://collector.example/?key=1', 'no query'],
  ])('at %s is refused', async (_name, address, message) => {
    const app = await testApp();
    const { status, body, text } = await app.call('PUT', '/telemetry', { address });
    expect([status, body]).toEqual([400, expect.objectContaining({ error: 'bad_request', path: 'address' })]);
    expect((body as { message: string }).message).toContain(message);
    expect(text).not.toContain('secret-word');
    expect(await view(app)).toMatchObject({ address: null });
  });

  it('is not the daemon itself, sets no header of the request, and is read from no damaged file', async () => {
    const app = await testApp();
    const own = await app.call('PUT', '/telemetry', { address: app.address });
    expect([own.status, own.text]).toEqual([400, expect.stringContaining('this daemon itself')]);
    const headers = [{ name: 'Host', value: 'x' }];
    const reserved = await app.call('PUT', '/telemetry', { address: 'https://collector.example', headers });
    expect([reserved.status, reserved.text]).toEqual([400, expect.stringContaining('\\"Host\\"')]);
    const signal = await app.call('PUT', '/telemetry', { address: 'https://collector.example/otlp/v1/traces/' });
    expect(signal.body).toMatchObject({ address: 'https://collector.example/otlp' });
    await app.stop();
    writeFileSync(join(app.root, '.mesh/credentials/telemetry.json'), '{"address":1}', { mode: 0o600 });
    const again = await testApp({ root: app.root });
    expect(await view(again)).toMatchObject({ address: null });
    expect(again.log.join('')).toContain('telemetry.json is damaged');
  });
});
