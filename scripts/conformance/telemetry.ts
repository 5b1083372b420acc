import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { until } from '../hard/drill.js';
import { AgentDaemon, MEMBER } from './acp/agent-daemon.js';
import { holds, runScenarios, type Scenario, same } from './scenarios.js';
import { NODE } from './suite.js';

const COLLECTOR = fileURLToPath(new URL('./node_modules/autotel-mcp/bin/autotel-mcp', import.meta.url));
const SERVICE = 'meshd';
const LIMIT_MS = 60_000;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';
const QUESTION = 'Which port has the harbour?';

/** A span as the collector gives it back. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  operationName: string;
  tags: Record<string, unknown>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The collector of autotel-mcp: it takes OTLP over HTTP and is read through its own MCP server. */
class Collector {
  private constructor(
    private readonly child: ChildProcess,
    private readonly reader: string,
    readonly address: string,
  ) {}

  static async start(): Promise<Collector> {
    const [read, take] = [await freePort(), await freePort()];
    const args = [COLLECTOR, '--transport', 'http', '--port', String(read), '--collector-port', String(take)];
    const env = { PATH: process.env['PATH'], AUTOTEL_OFFLINE_MODE: 'true' };
    const child = spawn(NODE, args, { env, stdio: 'ignore' });
    const collector = new Collector(child, `http://127.0.0.1:${read}`, `http://127.0.0.1:${take}`);
    const isUp = () =>
      fetch(`${collector.reader}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('The collector starts', LIMIT_MS, isUp, Boolean);
    return collector;
  }

  /** Calls one of its tools and returns the data. */
  async read<Data>(tool: string, given: object): Promise<Data> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(`${this.reader}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
    const data = (await response.text()).split('\n').find((line) => line.startsWith('data: '));
    const { result } = JSON.parse(data?.slice(6) ?? '{}') as { result?: { content: { text: string }[] } };
    return (JSON.parse(result?.content[0]?.text ?? '{}') as { data: Data }).data;
  }

  /** Returns every span of the daemon once `isMet` holds of them. */
  async spans(what: string, isMet: (spans: readonly Span[]) => boolean): Promise<Span[]> {
    const list = async () => {
      // What all of them have in common is printed once.
      type Found = { items: Span[]; resource: Span['tags'] };
      const { items, resource } = await this.read<Found>('search_spans', { serviceName: SERVICE });
      return items.map((span) => ({ ...span, tags: { ...resource, ...span.tags } }));
    };
    return until(what, LIMIT_MS, list, isMet);
  }

  stop(): void {
    this.child.kill();
  }
}

const CALL = { toolCallId: 'c1', title: 'Read README.md', kind: 'read', rawInput: { path: 'README.md' } };
const USED = { inputTokens: 120, outputTokens: 30, totalTokens: 150 };

const received = (agents: AgentDaemon, collector: Collector): Scenario[] => [
  {
    title: 'A turn and its tool call arrive by the names of the GenAI conventions, without any text',
    run: async () => {
      agents.shape({
        updates: [
          { sessionUpdate: 'tool_call', ...CALL, status: 'in_progress' },
          { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' },
          { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Port 4747.' } },
        ],
        stop: { stopReason: 'end_turn', usage: USED },
      });
      const { conv } = await agents.daemon.converse({ member: MEMBER });
      await agents.daemon.post(conv, QUESTION);
      const spans = await collector.spans('Two spans arrive', (all) => all.length >= 2);
      const turn = spans.find(({ operationName }) => operationName === `invoke_agent ${MEMBER}`);
      const names = ['operation.name', 'agent.id', 'conversation.id', 'usage.input_tokens', 'usage.output_tokens'];
      same(
        'the turn',
        names.map((name) => turn?.tags[`gen_ai.${name}`]),
        ['invoke_agent', MEMBER, conv, USED.inputTokens, USED.outputTokens],
      );
      const tool = spans.find(({ tags }) => tags['gen_ai.operation.name'] === 'execute_tool');
      same('the call', [tool?.parentSpanId, tool?.tags['gen_ai.tool.call.id']], [turn?.spanId, 'c1']);
      holds('no text', !JSON.stringify(spans).includes('harbour'), spans);
    },
  },
  {
    title: 'An ask is below the span of its caller, and its turn below the ask',
    run: async () => {
      agents.shape({});
      const headers = { authorization: `Bearer ${agents.token}`, traceparent: `00-${TRACE}-${CALLER_SPAN}-01` };
      await agents.daemon.call('POST', `/team/${MEMBER}/ask`, { text: QUESTION }, headers);
      const isIn = ({ traceId }: Span) => traceId === TRACE;
      const spans = await collector.spans('The ask arrives', (all) => all.filter(isIn).length >= 2);
      const ask = spans.find((span) => isIn(span) && span.operationName === `ask ${MEMBER}`);
      same('the ask', [ask?.parentSpanId, ask?.tags['meshd.member']], [CALLER_SPAN, MEMBER]);
      const turn = spans.find((span) => isIn(span) && span.operationName === `invoke_agent ${MEMBER}`);
      same('its turn', turn?.parentSpanId, ask?.spanId);
    },
  },
  {
    title: 'Durations and tokens arrive as metrics when the daemon stops',
    run: async () => {
      await agents.daemon.stop();
      const list = () => collector.read<{ items: { metricName: string }[] }>('list_metrics', { serviceName: SERVICE });
      const { items } = await until('Metrics arrive', LIMIT_MS, list, (found) => found.items.length > 0);
      const names = items.map(({ metricName }) => metricName);
      for (const name of ['gen_ai.client.operation.duration', 'gen_ai.client.token.usage'])
        holds(name, names.includes(name), names);
    },
  },
];

/** Sends what the daemon does to a collector that is not ours, and reads it there. */
export async function telemetrySuite(): Promise<string[]> {
  const collector = await Collector.start();
  try {
    const agents = await AgentDaemon.start();
    try {
      await agents.daemon.call('PUT', '/telemetry', { address: collector.address });
      return await runScenarios('OTLP in a collector', received(agents, collector));
    } finally {
      await agents.stop();
    }
  } finally {
    collector.stop();
  }
}
