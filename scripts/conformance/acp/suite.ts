import { setTimeout as pause } from 'node:timers/promises';
import type { MessageList, Turn } from '../../../daemon/contract/conversations.js';
import { until } from '../../hard/drill.js';
import { holds, runScenarios, type Scenario, same } from '../scenarios.js';
import { AgentDaemon, MEMBER, type Received } from './agent-daemon.js';

/** A turn of the operator with the agent, and what the agent received in it. */
interface Talk {
  turn: Turn;
  text: string;
  received: (method: string) => Received['params'] | undefined;
}

interface Running {
  conv: string;
  turn: string;
}

class Operator {
  constructor(readonly agents: AgentDaemon) {}

  async begin(text: string, conv?: string): Promise<Running> {
    const { daemon } = this.agents;
    const talk = conv ?? (await daemon.converse({ member: MEMBER })).conv;
    return { conv: talk, turn: await daemon.post(talk, text) };
  }

  async ended({ conv, turn: id }: Running): Promise<Talk> {
    const { daemon } = this.agents;
    const turn = await until(
      'The turn ends',
      30_000,
      () => daemon.turn(conv, id),
      ({ state }) => state === 'ended',
    );
    const { messages }: MessageList = await daemon.transcript(conv);
    const said = messages.filter((one) => one.role === 'assistant' && one.turn === id).map(({ text }) => text);
    const received = this.agents.received();
    return {
      turn,
      text: said.join(''),
      received: (method) => received.find((one) => one.method === method)?.params,
    };
  }

  /** Asks an agent of the given shape, and waits for the end of the turn. */
  async ask(shape: Readonly<Record<string, unknown>>, text = 'Which port?'): Promise<Talk> {
    this.agents.shape(shape);
    return this.ended(await this.begin(text));
  }

  /** Waits until the agent asks for a permission. */
  async asked({ conv }: Running): Promise<string> {
    const list = () => this.agents.daemon.call<{ permissions: { conv: string; pid: string }[] }>('GET', '/permissions');
    const { permissions } = await until('A question', 15_000, list, (found) =>
      found.permissions.some((one) => one.conv === conv),
    );
    return permissions.find((one) => one.conv === conv)?.pid ?? '';
  }

  decide({ conv }: Running, pid: string, decision: string): Promise<unknown> {
    return this.agents.daemon.call('POST', `/conversations/${conv}/permissions/${pid}`, { decision });
  }
}

const answers = (what: string, { turn, text }: Talk, words = '4747') => {
  same(`${what}: outcome and reason`, [turn.outcome, turn.reason], ['answered', null]);
  holds(`${what}: the answer`, text.includes(words), text);
};
const chunk = (text: string, more: object = {}) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text, ...more },
});
const PERMISSION = {
  toolCall: {
    toolCallId: 'call_001',
    title: 'Editing a file',
    kind: 'edit',
    status: 'pending',
    rawInput: { path: 'README.md' },
  },
  options: [
    { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
  ],
};

const beginning = (operator: Operator): Scenario[] => [
  {
    title: 'Before a Session can be created, Clients MUST initialize with the latest protocol version and capabilities',
    run: async () => {
      const talk = await operator.ask({});
      answers('the turn', talk);
      const hello = talk.received('initialize');
      same('protocolVersion', hello?.protocolVersion, 1);
      same('file system capabilities', hello.clientCapabilities?.fs, { readTextFile: false, writeTextFile: false });
      holds('a name and a version', Boolean(hello.clientInfo?.name && hello.clientInfo?.version), hello);
    },
  },
  {
    title: 'session/new: the working directory MUST be an absolute path; mcpServers is a list',
    run: async () => {
      const { cwd, mcpServers } = (await operator.ask({})).received('session/new');
      holds('cwd', cwd.startsWith('/'), cwd);
      same('mcpServers', mcpServers, []);
    },
  },
  {
    title: 'session/prompt: Clients MUST restrict types of content according to the Prompt Capabilities',
    run: async () => {
      const { sessionId, prompt } = (await operator.ask({})).received('session/prompt');
      same('session', sessionId, 'sess_abc123def456');
      same('types', [...new Set(prompt.map(({ type }: { type: string }) => type))], ['text']);
    },
  },
  {
    title: 'If the Client does not support the version of the Agent, it SHOULD close and inform the user',
    run: async () => {
      const { turn, received } = await operator.ask({ hello: { protocolVersion: 2 } });
      same('outcome', turn.outcome, 'failed');
      holds('the reason names the version', turn.reason?.includes('version 2') === true, turn.reason);
      same('nothing is sent afterwards', received('session/new'), undefined);
    },
  },
  {
    title: 'auth_required: the user is told to log in',
    run: async () => {
      const refuse = { method: 'session/new', code: -32000, message: 'Authentication required' };
      const hello = { authMethods: [{ id: 'login', name: 'Log in with a browser', description: null }] };
      const { turn } = await operator.ask({ refuse, hello });
      same('outcome', turn.outcome, 'failed');
      holds('the way', turn.reason?.includes('Log in with a browser') === true, turn.reason);
    },
  },
  {
    title: 'loadSession: the session of the conversation is continued; without the capability a new one is opened',
    run: async () => {
      for (const [loadSession, method] of [
        [true, 'session/load'],
        [false, 'session/new'],
      ] as const) {
        operator.agents.shape({ hello: { agentCapabilities: { loadSession } } });
        const first = await operator.begin('Which port?');
        await operator.ended(first);
        operator.agents.shape({ hello: { agentCapabilities: { loadSession } } });
        const talk = await operator.ended(await operator.begin('And then?', first.conv));
        answers(method, talk);
        holds(method, talk.received(method) !== undefined, operator.agents.received());
        const prompt = JSON.stringify(talk.received('session/prompt'));
        same(`${method}: the history is sent`, prompt.includes('Which port?'), method === 'session/new');
      }
    },
  },
];

const prompting = (operator: Operator): Scenario[] => [
  {
    title: 'session/update: message chunks, thoughts, plans, tool calls and updates of kinds that are not known',
    run: async () => {
      const updates = [
        { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'SECRET THOUGHT' } },
        { sessionUpdate: 'plan', entries: [{ content: 'Look', priority: 'high', status: 'pending' }] },
        { sessionUpdate: 'available_commands_update', availableCommands: [] },
        { sessionUpdate: 'current_mode_update', currentModeId: 'plan' },
        { sessionUpdate: 'tool_call', toolCallId: 'call_001', title: 'Reading', kind: 'read', status: 'pending' },
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 'call_001',
          status: 'completed',
          content: [{ type: 'content', content: { type: 'text', text: 'port = 4747' } }],
        },
        chunk('The port '),
        chunk('is 4747.', { annotations: { priority: 1 }, _meta: { a: 1 } }),
      ];
      const talk = await operator.ask({ updates });
      answers('the turn', talk, 'The port is 4747.');
      holds('a thought is no answer', !talk.text.includes('SECRET'), talk.text);
    },
  },
  {
    title: 'Stop reasons: end_turn and max_tokens end a turn; refusal and max_turn_requests are told to the user',
    run: async () => {
      answers('max_tokens', await operator.ask({ stop: { stopReason: 'max_tokens' } }));
      for (const stopReason of ['refusal', 'max_turn_requests']) {
        const { turn } = await operator.ask({ stop: { stopReason } });
        same(stopReason, [turn.outcome, typeof turn.reason], ['failed', 'string']);
      }
    },
  },
  {
    title: 'session/request_permission: the Client responds with the option that the user selected',
    run: async () => {
      for (const [decision, optionId] of [
        ['allow_once', 'allow-once'],
        ['deny', 'reject-once'],
      ] as const) {
        operator.agents.shape({ permission: PERMISSION });
        const running = await operator.begin('Edit it.');
        await operator.decide(running, await operator.asked(running), decision);
        const talk = await operator.ended(running);
        answers(decision, talk);
        same(decision, talk.received('permission answered'), { outcome: 'selected', optionId });
      }
    },
  },
  {
    title: 'session/cancel: The Client MUST respond to all pending permission requests with the cancelled outcome',
    run: async () => {
      operator.agents.shape({ permission: PERMISSION });
      const running = await operator.begin('Edit it.');
      await operator.asked(running);
      await operator.agents.daemon.call('POST', `/conversations/${running.conv}/cancel`);
      const { turn, received } = await operator.ended(running);
      same('outcome of the turn', turn.outcome, 'cancelled');
      same('session/cancel', received('session/cancel')?.sessionId, 'sess_abc123def456');
      same('the question', received('permission answered'), { outcome: 'cancelled' });
    },
  },
  {
    title: 'session/cancel: The Client MAY cancel an ongoing prompt turn at any point before it completes',
    run: async () => {
      operator.agents.shape({});
      const running = await operator.begin('hold:never');
      const prompted = () => operator.agents.received().some(({ method }) => method === 'session/prompt');
      await until('The prompt', 15_000, prompted, Boolean);
      await pause(50);
      await operator.agents.daemon.call('POST', `/conversations/${running.conv}/cancel`);
      const { turn, received } = await operator.ended(running);
      same('outcome of the turn', turn.outcome, 'cancelled');
      holds('session/cancel', received('session/cancel') !== undefined, operator.agents.received());
    },
  },
  {
    title: 'Session modes: a question of another program is answered in the mode in which the agent only reads',
    run: async () => {
      operator.agents.shape({});
      const { daemon, token } = operator.agents;
      const record = await daemon.ask(MEMBER, token, { text: 'Which port?' });
      same('status', record.status, 'done');
      const mode = operator.agents.received().find(({ method }) => method === 'session/set_mode');
      same('mode', mode?.params.modeId, 'plan');
    },
  },
  {
    title: 'Session config options supersede modes: the option of the category "mode" is set',
    run: async () => {
      const options = [
        { value: 'default', name: 'Default' },
        { value: 'plan', name: 'Plan' },
      ];
      const mode = { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: 'default', options };
      const more = { id: 'later', name: 'Later', category: '_later', type: 'boolean', currentValue: true };
      operator.agents.shape({ session: { modes: null, configOptions: [more, mode] } });
      const { daemon, token } = operator.agents;
      const record = await daemon.ask(MEMBER, token, { text: 'Which port?' });
      same('status', record.status, 'done');
      const set = operator.agents.received().find(({ method }) => method === 'session/set_config_option');
      same('option', [set?.params.configId, set?.params.value], ['mode', 'plan']);
    },
  },
];

const older = (operator: Operator): Scenario[] => [
  {
    title: 'Older agents leave out agentInfo, authMethods and capabilities, which are then UNSUPPORTED',
    run: async () => {
      const hello = { agentInfo: null, authMethods: null, agentCapabilities: null };
      answers('the turn', await operator.ask({ hello, session: { modes: null } }));
    },
  },
  {
    title: 'Agents add members, capabilities and authentication methods that the Client does not know',
    run: async () => {
      const hello = {
        agentCapabilities: { loadSession: true, later: { a: 1 }, sessionCapabilities: { fork: {} }, _meta: { x: {} } },
        authMethods: [{ id: 'a', name: 'A', type: 'later', vars: [] }],
        isBrandNew: true,
      };
      const session = { models: { currentModelId: 'm', availableModels: [{ modelId: 'm', name: 'M' }] }, later: [] };
      answers('the turn', await operator.ask({ hello, session, stop: { usage: { totalTokens: 1 }, later: 1 } }));
    },
  },
  {
    title: 'Older agents leave out kind, status and content of a tool call, and the messageId of a chunk',
    run: async () => {
      const updates = [
        { sessionUpdate: 'tool_call', toolCallId: 'call_001', title: 'Something' },
        { sessionUpdate: 'tool_call_update', toolCallId: 'call_001' },
        { sessionUpdate: 'tool_call_update', toolCallId: 'call_002', status: 'completed' },
        chunk('Port 4747.'),
      ];
      answers('the turn', await operator.ask({ updates }));
    },
  },
  {
    title: 'Agents may send content of other types and updates without what they should have',
    run: async () => {
      const updates = [
        { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } },
        { sessionUpdate: 'agent_message_chunk', content: { type: 'resource_link', uri: 'file:///a', name: 'a' } },
        { sessionUpdate: 'something_later', content: 3 },
        chunk('Port 4747.'),
      ];
      answers('the turn', await operator.ask({ updates }));
    },
  },
  {
    title: 'The agent MUST NOT write anything to stdout that is not a message; some greet all the same',
    run: async () => answers('the turn', await operator.ask({ noise: 'Welcome to the agent!\n\n' })),
  },
  {
    title: 'Errors have a code and a message; the user is told the message',
    run: async () => {
      const refuse = { method: 'session/prompt', code: -32603, message: 'The model is overloaded' };
      const { turn } = await operator.ask({ refuse });
      same('outcome', turn.outcome, 'failed');
      holds('the message', turn.reason?.includes('The model is overloaded') === true, turn.reason);
    },
  },
];

/** Runs the daemon as the client of an agent that is built as the documentation of the protocol describes. */
export async function acpSuite(): Promise<string[]> {
  const agents = await AgentDaemon.start();
  try {
    const operator = new Operator(agents);
    return [
      ...(await runScenarios('ACP 1, sessions', beginning(operator))),
      ...(await runScenarios('ACP 1, prompts', prompting(operator))),
      ...(await runScenarios('ACP 1, older and newer agents', older(operator))),
    ];
  } finally {
    await agents.stop();
  }
}
