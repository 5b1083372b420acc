import { describe, expect, it } from 'vitest';
import { Otlp } from './otlp.js';
import { getSpanId, getTraceId, parseTraceparent } from './trace-context.js';
import { countSpans, type ToolRecord, type TurnRecord } from './turn-record.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const aRecord = (over: Partial<TurnRecord> = {}): TurnRecord => ({
  turn: 't-1',
  conv: 'c-1',
  agent: { id: 'developer', name: 'Developer' },
  client: 'claude-code',
  model: 'large',
  createdMs: 1_000,
  startedMs: 2_500,
  finishedMs: 4_750,
  outcome: 'answered',
  code: null,
  usage: null,
  root: 't-1',
  parent: undefined,
  traceparent: undefined,
  ask: undefined,
  tools: [],
  ...over,
});

const aTool = (over: Partial<ToolRecord> = {}): ToolRecord => ({
  ...{ id: 'call', name: 'Read', startedMs: 3_000, finishedMs: 3_250, isFailed: false },
  ...over,
});

interface Sent {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  flags?: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: object;
  attributes: Record<string, string | number>;
}
type Pair = { key: string; value: Record<string, string | number> };

const FACTS = { version: '1.2.3', project: 'lamp', instance: 'i-1' };
const attributesOf = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The spans of a request body, and what recorded them. */
function read(body: string | undefined) {
  const { resourceSpans } = JSON.parse(body ?? '{"resourceSpans":[]}');
  const [{ resource, scopeSpans } = { resource: { attributes: [] }, scopeSpans: [] }] = resourceSpans;
  const spans = scopeSpans.flatMap(({ spans: of }: { spans: (Sent & { attributes: Pair[] })[] }) =>
    of.map((span) => ({ ...span, attributes: attributesOf(span.attributes) })),
  ) as Sent[];
  return { spans, resource: attributesOf(resource.attributes), scope: scopeSpans[0]?.scope };
}

const spansOf = (...records: readonly TurnRecord[]) => read(new Otlp(FACTS).writeTurns(records)).spans;

describe('the span of a turn', () => {
  it('has the conventions’ names, the times of the turn and an identity of its own', () => {
    const usage = { input_tokens: 120, output_tokens: 30, cost_usd: 0.25 };
    expect(spansOf(aRecord({ usage }))).toMatchObject([
      {
        name: 'invoke_agent developer',
        kind: 1,
        traceId: getTraceId('t-1'),
        spanId: getSpanId('turn', 't-1'),
        startTimeUnixNano: '2500000000',
        endTimeUnixNano: '4750000000',
        status: { code: 0 },
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.provider.name': 'anthropic',
          'gen_ai.agent.id': 'developer',
          'gen_ai.agent.name': 'Developer',
          'gen_ai.conversation.id': 'c-1',
          'gen_ai.request.model': 'large',
          'gen_ai.usage.input_tokens': 120,
          'gen_ai.usage.output_tokens': 30,
          'meshd.usage.cost_usd': 0.25,
          'meshd.client': 'claude-code',
          'meshd.turn.id': 't-1',
        },
      },
    ]);
    expect(spansOf(aRecord())[0]?.parentSpanId).toBeUndefined();
  });

  it('leaves out what is not known', () => {
    expect(Object.keys(spansOf(aRecord({ model: '' }))[0]?.attributes ?? {})).toEqual([
      ...['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.agent.id', 'gen_ai.agent.name'],
      ...['gen_ai.conversation.id', 'meshd.client', 'meshd.turn.id'],
    ]);
    const part = spansOf(aRecord({ usage: { cost_usd: 0.5 } }))[0]?.attributes;
    expect([part?.['meshd.usage.cost_usd'], part?.['gen_ai.usage.input_tokens']]).toEqual([0.5, undefined]);
  });

  it.each([
    ['claude-code', 'anthropic'],
    ['builtin', 'meshd'],
    ['acp', 'acp'],
  ])('of the client %s has the provider %s', (client, provider) => {
    expect(spansOf(aRecord({ client }))[0]?.attributes['gen_ai.provider.name']).toBe(provider);
  });

  it('has texts only with content', () => {
    const content = { question: 'Why?', answer: 'So.', reason: '' };
    const { attributes } = spansOf(aRecord({ content }))[0] as Sent;
    expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Why?' }] },
    ]);
    expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'So.' }], finish_reason: 'stop' },
    ]);
  });

  it('that failed has the code of its failure, else how it ended, and the reason only with content', () => {
    const [coded] = spansOf(aRecord({ outcome: 'failed', code: 'client_failed' }));
    expect([coded?.attributes['error.type'], coded?.status]).toEqual(['client_failed', { code: 2 }]);
    const [cancelled] = spansOf(aRecord({ outcome: 'cancelled' }));
    expect(cancelled?.attributes['error.type']).toBe('cancelled');
    const content = { question: '', answer: '', reason: 'It broke.' };
    expect(spansOf(aRecord({ outcome: 'failed', content }))[0]?.status).toEqual({ code: 2, message: 'It broke.' });
    const silent = spansOf(aRecord({ outcome: 'failed', content: { ...content, reason: '' } }));
    expect(silent[0]?.status).toEqual({ code: 2 });
    expect(spansOf(aRecord({ code: 'odd' }))[0]?.attributes['error.type']).toBeUndefined();
  });

  it('never ends before it begins', () => {
    const [span] = spansOf(aRecord({ startedMs: 5_000 }));
    expect([span?.startTimeUnixNano, span?.endTimeUnixNano]).toEqual(['5000000000', '5000000000']);
  });

  it('stands below the turn that asked for it, in the trace of the first one', () => {
    const [span] = spansOf(aRecord({ parent: 't-0', root: 't-00' }));
    expect([span?.traceId, span?.parentSpanId]).toEqual([getTraceId('t-00'), getSpanId('turn', 't-0')]);
  });

  it('stands below the span of a caller, unless that one does not record its trace', () => {
    const [span] = spansOf(aRecord({ traceparent: `00-${TRACE}-${SPAN}-01` }));
    expect([span?.traceId, span?.parentSpanId]).toEqual([TRACE, SPAN]);
    expect(spansOf(aRecord({ traceparent: `00-${TRACE}-${SPAN}-00` }))).toEqual([]);
    const [below] = spansOf(aRecord({ traceparent: `00-${TRACE}-${SPAN}-01`, parent: 't-0' }));
    expect([below?.traceId, below?.parentSpanId]).toEqual([TRACE, getSpanId('turn', 't-0')]);
  });
});

describe('the span of an ask', () => {
  const ask = { id: 'r-1', caller: 'ci-bot/2.1' };

  it('is above that of its turn and below that of its caller, from the question on', () => {
    const [asked, turn] = spansOf(aRecord({ ask, traceparent: `00-${TRACE}-${SPAN}-01`, parent: 't-0' }));
    expect(asked).toMatchObject({
      name: 'ask developer',
      kind: 2,
      traceId: TRACE,
      spanId: getSpanId('ask', 'r-1'),
      parentSpanId: SPAN,
      startTimeUnixNano: '1000000000',
      endTimeUnixNano: '4750000000',
      status: { code: 0 },
      attributes: {
        'meshd.member': 'developer',
        'meshd.request.id': 'r-1',
        'meshd.request.status': 'done',
        'user_agent.name': 'ci-bot/2.1',
      },
    });
    expect([turn?.name, turn?.parentSpanId]).toEqual(['invoke_agent developer', getSpanId('ask', 'r-1')]);
    expect(spansOf(aRecord({ ask }))[0]?.parentSpanId).toBeUndefined();
  });

  it('is alone when its turn never started, and tells the failure', () => {
    const spans = spansOf(aRecord({ ask, startedMs: null, outcome: 'failed', tools: [aTool()] }));
    expect(spans.map(({ name }) => name)).toEqual(['ask developer']);
    expect(spans[0]).toMatchObject({
      status: { code: 2 },
      attributes: { 'meshd.request.status': 'error', 'error.type': 'failed' },
    });
  });
});

describe('the span of a tool call', () => {
  it('is below that of its turn', () => {
    const [, tool] = spansOf(aRecord({ tools: [aTool({ input: 'src', output: 'text' })] }));
    expect(tool).toMatchObject({
      name: 'execute_tool Read',
      kind: 1,
      traceId: getTraceId('t-1'),
      spanId: getSpanId('tool', 't-1 call'),
      parentSpanId: getSpanId('turn', 't-1'),
      startTimeUnixNano: '3000000000',
      endTimeUnixNano: '3250000000',
      status: { code: 0 },
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'Read',
        'gen_ai.tool.call.id': 'call',
        'gen_ai.conversation.id': 'c-1',
        'gen_ai.tool.call.arguments': 'src',
        'gen_ai.tool.call.result': 'text',
      },
    });
  });

  it('tells that it failed, and has no texts without content', () => {
    const [, tool] = spansOf(aRecord({ tools: [aTool({ isFailed: true })] }));
    expect([tool?.status, tool?.attributes['error.type']]).toEqual([{ code: 2 }, 'tool_failed']);
    expect(Object.keys(tool?.attributes ?? {})).toHaveLength(5);
  });
});

it.each([
  [{}, 1],
  [{ ask: { id: 'r', caller: 'c' } }, 2],
  [{ startedMs: null }, 0],
  [{ ask: { id: 'r', caller: 'c' }, startedMs: null }, 1],
  [{ tools: [aTool(), aTool()] }, 3],
])('a record with %j makes %i spans', (over, count) => {
  expect(countSpans(aRecord(over))).toBe(count);
});

describe('what is sent', () => {
  it('says which daemon recorded it', () => {
    const { resource, scope } = read(new Otlp(FACTS).writeTurns([aRecord()]));
    expect(resource).toEqual({
      'service.name': 'meshd',
      'service.version': '1.2.3',
      'service.instance.id': 'i-1',
      'meshd.project': 'lamp',
    });
    expect(scope).toMatchObject({ name: 'meshd', version: '1.2.3' });
  });

  it('is nothing where there is no span', () => {
    expect(new Otlp(FACTS).writeTurns([])).toBeUndefined();
    expect(new Otlp(FACTS).writeTurns([aRecord({ startedMs: null })])).toBeUndefined();
  });

  it('as a test is one span of no duration', () => {
    const { body, traceId } = new Otlp(FACTS).writeTest('x-1', 7_000);
    expect(read(body).spans).toMatchObject([
      {
        ...{ name: 'meshd telemetry test', kind: 1, traceId: getTraceId('x-1'), spanId: getSpanId('turn', 'x-1') },
        ...{ startTimeUnixNano: '7000000000', endTimeUnixNano: '7000000000', status: { code: 0 }, attributes: {} },
      },
    ]);
    expect(traceId).toBe(getTraceId('x-1'));
  });
});

describe('metrics', () => {
  interface Point {
    attributes: Pair[];
    count: number;
    sum: number;
    explicitBounds: number[];
  }

  async function pointsOf(otlp: Otlp) {
    const { resourceMetrics } = JSON.parse(await otlp.writeMetrics());
    const metrics = resourceMetrics.flatMap((one: { scopeMetrics: { metrics: object[] }[] }) =>
      one.scopeMetrics.flatMap(({ metrics: of }) => of),
    ) as { name: string; unit: string; histogram: { dataPoints: Point[] } }[];
    return Object.fromEntries(
      metrics.map(({ name, unit, histogram }) => [
        name,
        {
          unit,
          bounds: histogram.dataPoints[0]?.explicitBounds,
          points: histogram.dataPoints.map(({ attributes, count, sum }) => [attributesOf(attributes), count, sum]),
        },
      ]),
    );
  }

  it('count requests by method, status and route, in seconds', async () => {
    const otlp = new Otlp(FACTS);
    const request = { method: 'GET', route: '/team', area: 'team', status: 200 };
    otlp.countRequest({ ...request, ms: 500 });
    otlp.countRequest({ ...request, ms: 1_500 });
    otlp.countRequest({ ...request, route: undefined, status: 404, ms: 250 });
    otlp.countRequest({ ...request, status: 503, ms: 250 });
    const labels = { 'http.request.method': 'GET', 'url.scheme': 'http' };
    expect((await pointsOf(otlp))['http.server.request.duration']).toEqual({
      unit: 's',
      bounds: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      points: [
        [{ ...labels, 'http.response.status_code': 200, 'http.route': '/team' }, 2, 2],
        [{ ...labels, 'http.response.status_code': 404 }, 1, 0.25],
        [{ ...labels, 'http.response.status_code': 503, 'http.route': '/team', 'error.type': '503' }, 1, 0.25],
      ],
    });
  });

  it('count turns by provider, model and failure, and their tokens', async () => {
    const otlp = new Otlp(FACTS);
    otlp.countTurn(aRecord({ usage: { input_tokens: 120, output_tokens: 30 } }));
    otlp.countTurn(aRecord({ model: '', outcome: 'failed', code: 'client_failed', usage: { output_tokens: 0 } }));
    otlp.countTurn(aRecord({ startedMs: null }));
    otlp.countTurn(aRecord({ startedMs: 9_000 }));
    const points = await pointsOf(otlp);
    const labels = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'anthropic' };
    const large = { ...labels, 'gen_ai.request.model': 'large' };
    expect(points['gen_ai.client.operation.duration']).toEqual({
      unit: 's',
      bounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
      points: [
        [large, 2, 2.25],
        [{ ...labels, 'error.type': 'client_failed' }, 1, 2.25],
      ],
    });
    expect(points['gen_ai.client.token.usage']).toEqual({
      unit: '{token}',
      bounds: Array.from({ length: 14 }, (_, at) => 4 ** at),
      points: [
        [{ ...large, 'gen_ai.token.type': 'input' }, 1, 120],
        [{ ...large, 'gen_ai.token.type': 'output' }, 1, 30],
        [{ ...labels, 'gen_ai.token.type': 'output' }, 1, 0],
      ],
    });
  });
});

describe('the header of a caller', () => {
  const read = (header: string | undefined) => parseTraceparent(header);

  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`00-${TRACE}-${SPAN}-fe`, false],
    [`01-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-more`, true],
  ])('%s is read, recorded: %s', (header, isSampled) => {
    expect(read(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    [undefined],
    [''],
    [`00-${TRACE}-${SPAN}`],
    [`00-${TRACE}-${SPAN}-1`],
    [`00-${TRACE}-${SPAN}-01-more`],
    [`00-${TRACE}-${SPAN}-01x`],
    [`cc-${TRACE}-${SPAN}-01more`],
    [`ff-${TRACE}-${SPAN}-01`],
    [`x00-${TRACE}-${SPAN}-01`],
    [`0-${TRACE}-${SPAN}-01`],
    [`00-${TRACE.slice(1)}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}0-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
  ])('%s is none', (header) => {
    expect(read(header)).toBeUndefined();
  });

  it('may have zeros in its ids', () => {
    expect(read(`00-${'0'.repeat(31)}1-${'0'.repeat(15)}1-01`)).toBeDefined();
    expect(read(`00-1${'0'.repeat(31)}-1${'0'.repeat(15)}-01`)).toBeDefined();
  });
});

it('ids of traces and spans are those of their records, in every process', () => {
  expect([getTraceId('t-1'), getSpanId('turn', 't-1'), getSpanId('ask', 't-1'), getSpanId('tool', 't-1')]).toEqual([
    'c05cdb0c2293da4d391917a20d3ee1e5',
    ...['6744463f75aa2da7', '814115dd4ce36b85', 'a04e96dcc3461ffd'],
  ]);
});
