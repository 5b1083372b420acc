import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ProcessGroup } from '../../../storage/processes/process-group.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { aTurn } from '../../../testing/stand-ins/stand-in.js';
import { EventQueue } from '../agent-program-queue.js';
import type { Decide, Turn, TurnEvent } from '../client.js';
import { AcpTurn } from './acp-turn.js';

interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: { outcome: unknown };
}

type Methods = Record<string, (params: Record<string, unknown>, agent: Agent) => unknown>;

const moment = () => new Promise((resolve) => setImmediate(resolve));

/** An agent in this process. Answers the daemon's requests by its `methods`. */
class Agent {
  readonly received: Message[] = [];
  held = 0;
  stops = 0;
  private readonly lines = new EventQueue<string>();
  private readonly waiting = new Map<unknown, (message: Message) => void>();

  constructor(private readonly methods: Methods) {}

  readonly group = {
    lines: () => this.lines.read(),
    write: async (text: string) => void this.take(JSON.parse(text) as Message),
    holdQuiet: () => {
      this.held += 1;
      return () => {
        this.held -= 1;
      };
    },
    stop: async () => {
      this.stops += 1;
      this.lines.end();
    },
  } as unknown as ProcessGroup;

  write(line: string): void {
    void this.lines.push(line);
  }

  update(update: object, sessionId = 's-1'): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } }));
  }

  say(text: string): void {
    this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  tool(toolCallId: string, more: object = {}): void {
    this.update({ sessionUpdate: 'tool_call', toolCallId, ...more });
  }

  cost(amount: number): void {
    this.update({ sessionUpdate: 'usage_update', cost: { amount, currency: 'USD' } });
  }

  /** Asks for a permission and returns what was selected. */
  async ask(toolCall: object): Promise<unknown> {
    const id = `ask-${this.waiting.size}`;
    const options = [
      { optionId: 'yes', kind: 'allow_once' },
      { optionId: 'no', kind: 'reject_once' },
    ];
    const params = { sessionId: 's-1', toolCall, options };
    const reply = new Promise<Message>((resolve) => this.waiting.set(id, resolve));
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'session/request_permission', params }));
    const { outcome, optionId } = ((await reply).result?.outcome ?? {}) as { outcome?: string; optionId?: string };
    return optionId ?? outcome;
  }

  /** What the daemon asked by this method. */
  asked(method: string): unknown[] {
    return this.received.filter((one) => one.method === method).map(({ params }) => params);
  }

  private async take({ id, method, params = {}, ...rest }: Message): Promise<void> {
    if (method === undefined) return this.waiting.get(id)?.(rest);
    this.received.push({ method, params });
    const reply = await Promise.resolve()
      .then(() => this.methods[method]?.(params, this))
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
    if (id !== undefined) this.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  }
}

const answering: Methods = {
  initialize: () => ({ protocolVersion: 1 }),
  'session/new': () => ({ sessionId: 's-1' }),
  'session/prompt': (_, agent) => {
    agent.say('Done.');
    return { stopReason: 'end_turn' };
  },
};

interface Staged {
  turn?: Turn;
  decide?: Decide;
  signal?: AbortSignal;
  more?: Partial<ConstructorParameters<typeof AcpTurn>[0]>;
}

/** Runs a turn with an agent that answers with `methods` besides the usual ones. */
function run(methods: Methods, { turn = aTurn(), decide = async () => 'deny', signal, more }: Staged = {}) {
  const agent = new Agent({ ...answering, ...methods });
  const clock = new FakeClock();
  const queue = new EventQueue<TurnEvent>();
  const events: TurnEvent[] = [];
  const offered: unknown[] = [];
  const acpTurn = new AcpTurn({
    ...{ turn, clock, queue, decide, program: 'agent', canResume: true, countsTurnSince: undefined, root: '/project' },
    ...{ environment: { PATH: '/bin' }, group: agent.group, signal: signal ?? new AbortController().signal },
    onOffered: (what) => offered.push(what),
    ...more,
  });
  const read = async (): Promise<Error | undefined> => {
    try {
      for await (const event of queue.read()) events.push(event);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  };
  const report = async (failure?: { error: unknown }) => {
    await acpTurn.report();
    queue.end(failure);
  };
  void acpTurn.converse().then(
    () => report(),
    (error: unknown) => report({ error }),
  );
  return { agent, clock, events, offered, ended: read() };
}

/** Runs a turn to its end. */
async function played(methods: Methods, staged: Staged = {}) {
  const { ended, ...all } = run(methods, staged);
  const error = await ended;
  return { ...all, error, message: error?.message };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await moment();
}

const failing = (code: number, message: string, data?: unknown) => (): never => {
  throw { code, message, data };
};
const never = () => new Promise(() => undefined);
const prompting = (script: (agent: Agent) => unknown, stopReason = 'end_turn'): Methods => ({
  'session/prompt': async (_, agent) => {
    await script(agent);
    return { stopReason };
  },
});

describe('the greeting of an agent', () => {
  it('offers it nothing of this machine', async () => {
    const { agent, events, clock } = await played({});
    expect(agent.asked('initialize')).toEqual([
      {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: 'meshd', version: '1' },
      },
    ]);
    expect(events).toEqual([
      { type: 'session', session: 's-1' },
      { type: 'text', text: 'Done.' },
    ]);
    expect([clock.pending, agent.held, agent.stops]).toEqual([0, 0, 0]);
  });

  it('fails with another version of the protocol', async () => {
    const { message } = await played({ initialize: () => ({ protocolVersion: 2 }) });
    expect(message).toBe('agent speaks version 2 of the Agent Client Protocol, not 1.');
  });

  it.each([
    ['initialize', 30, 'did not answer the greeting of the Agent Client Protocol'],
    ['session/new', 60, 'did not open a session'],
    ['session/set_mode', 60, 'did not take the settings of its session'],
  ])('and what follows has its time: %s has %i s', async (method, seconds, what) => {
    const modes = { availableModes: [{ id: 'plan', name: '' }] };
    const turn = aTurn({ profile: 'outside' });
    const staged = run({ 'session/new': () => ({ sessionId: 's-1', modes }), [method]: never }, { turn });
    await until(() => staged.agent.asked(method).length > 0);
    staged.clock.advance(seconds * 1_000 - 1);
    await moment();
    expect(staged.clock.pending).toBe(1);
    staged.clock.advance(1);
    expect((await staged.ended)?.message).toBe(
      `agent ${what} within ${seconds} s. Is it started in the right way, and logged in?`,
    );
  });
});

describe('the session of a turn', () => {
  const kept = aTurn({ session: 'kept', history: [{ role: 'user', text: 'EARLIER' }], member: { body: 'BODY' } });
  const hello = (agentCapabilities: object) => ({ initialize: () => ({ protocolVersion: 1, agentCapabilities }) });
  const methods = (agent: Agent) => agent.received.map(({ method }) => method).filter((name) => name !== 'initialize');
  const promptOf = (agent: Agent) => JSON.stringify(agent.asked('session/prompt'));

  it.each([
    [{ loadSession: true }, 'session/load'],
    [{ sessionCapabilities: { resume: {} } }, 'session/resume'],
    [{ loadSession: true, sessionCapabilities: { resume: {} } }, 'session/resume'],
  ])('goes on where the agent can, without its history: %j', async (abilities, method) => {
    const { agent, events } = await played(
      { ...hello(abilities), [method]: () => ({}), ...prompting((one) => one.update({ ...text('Yes.') }, 'kept')) },
      { turn: kept },
    );
    expect(methods(agent)).toEqual([method, 'session/prompt']);
    expect(agent.asked(method)).toEqual([{ cwd: '/project', mcpServers: [], sessionId: 'kept' }]);
    expect(events).toEqual([
      { type: 'session', session: 'kept' },
      { type: 'text', text: 'Yes.' },
    ]);
    expect(promptOf(agent)).not.toMatch(/EARLIER|BODY/);
  });

  it.each([
    ['the agent cannot', {}, { turn: kept }],
    ['the agent says it otherwise', { loadSession: 1, sessionCapabilities: { resume: true } }, { turn: kept }],
    ['its sessions are not continued', { loadSession: true }, { turn: kept, more: { canResume: false } }],
    ['there was none', { loadSession: true }, { turn: { ...kept, session: null } }],
  ])('is a new one with the brief and the history where %s', async (_why, abilities, staged) => {
    const { agent } = await played(hello(abilities), staged);
    expect(methods(agent)).toEqual(['session/new', 'session/prompt']);
    expect(agent.asked('session/new')).toEqual([{ cwd: '/project', mcpServers: [] }]);
    expect(promptOf(agent)).toMatch(/BODY.*EARLIER/);
  });

  it('is a new one where the agent does not have it any more', async () => {
    const { agent, events } = await played(
      { ...hello({ loadSession: true }), 'session/load': failing(-32_602, 'no such session') },
      { turn: kept },
    );
    expect(methods(agent)).toEqual(['session/load', 'session/new', 'session/prompt']);
    expect(events[0]).toEqual({ type: 'session', session: 's-1' });
    expect(promptOf(agent)).toMatch(/BODY.*EARLIER/);
  });

  it('is not opened anew for a turn that was stopped', async () => {
    const off = new AbortController();
    const { agent, message } = await played(
      {
        ...hello({ loadSession: true }),
        'session/load': () => {
          off.abort(new Error('stopped'));
          return failing(-32_602, 'gone')();
        },
      },
      { turn: kept, signal: off.signal },
    );
    expect(message).toBe('stopped');
    expect(methods(agent)).toEqual(['session/load']);
  });

  it.each([
    ['@agentclientprotocol/claude-agent-acp', 'operator', ['user'], ['Bash', 'TaskOutput', 'TaskStop', 'Task']],
    ['@zed-industries/claude-code-acp', 'outside', [], ['Glob', 'Bash', 'Edit', 'WebFetch']],
    ['codex-acp', 'operator', undefined, []],
  ] as const)('of %s is one without the settings and skills of the project, %s', async (name, profile, sources, no) => {
    const turn = aTurn({ session: 'kept', profile, member: { tools: ['read', 'search', 'edit', 'web', 'todo'] } });
    const initialize = () => ({
      ...{ protocolVersion: 1, agentInfo: { name, version: '1.0.0' } },
      agentCapabilities: { loadSession: true },
    });
    const modes = { availableModes: [{ id: 'plan' }] };
    const { agent } = await played(
      {
        ...{ initialize, 'session/load': failing(-32_602, 'gone'), 'session/set_mode': () => ({}) },
        'session/new': () => ({ sessionId: 's-1', modes }),
      },
      { turn },
    );
    for (const method of ['session/load', 'session/new']) {
      const [params] = agent.asked(method) as { _meta?: { claudeCode: { options: Record<string, string[]> } } }[];
      const { settingSources, disallowedTools } = params?._meta?.claudeCode.options ?? {};
      expect(settingSources).toEqual(sources);
      expect(disallowedTools ?? []).toEqual(expect.arrayContaining([...no]));
      expect(disallowedTools ?? []).not.toContain('Read');
    }
  });

  it('needs a name', async () => {
    expect((await played({ 'session/new': () => ({}) })).message).toBe('agent opened a session without a name.');
  });

  it.each([
    [
      [{ name: 'Log in' }, {}, { name: 'A key' }],
      'agent is not logged in: start it once by itself and log in (Log in, A key).',
    ],
    [undefined, 'agent is not logged in: start it once by itself and log in.'],
  ])('is refused before a login: %#', async (authMethods, words) => {
    const { message } = await played({
      initialize: () => ({ protocolVersion: 1, authMethods }),
      'session/new': failing(-32_000, 'Authentication required'),
    });
    expect(message).toBe(words);
  });

  it('is refused with the command that logs in to the program', async () => {
    const methods = {
      initialize: () => ({ protocolVersion: 1, authMethods: [{ name: 'API Key' }] }),
      'session/new': failing(-32_000, 'Authentication required'),
    };
    const { message } = await played(methods, { more: { program: 'codex-acp', login: 'codex login' } });
    expect(message).toBe('codex-acp is not logged in: run `codex login` in a terminal (API Key).');
  });

  it('fails with the words of the agent for any other reason', async () => {
    expect((await played({ 'session/new': failing(-32_603, 'The disk is full.') })).message).toContain(
      'The disk is full.',
    );
  });

  it.each([
    [{ http: true }, true],
    [{ http: 1 }, false],
    [undefined, false],
  ])('has the daemon’s own tools where the agent takes them: %j', async (mcpCapabilities, isGiven) => {
    const turn = aTurn({ tool_server: { url: 'http://127.0.0.1:9/mcp', token: 'tt_1' } });
    const { agent } = await played(hello({ mcpCapabilities }), { turn });
    const headers = [{ name: 'Authorization', value: 'Bearer tt_1' }];
    const mcpServers = isGiven ? [{ type: 'http', name: 'meshd', url: 'http://127.0.0.1:9/mcp', headers }] : [];
    expect(agent.asked('session/new')).toEqual([{ cwd: '/project', mcpServers }]);
  });

  it.each([
    [{ https_proxy: 'http://proxy:3128' }, '0.43.9', false],
    [{ https_proxy: 'http://proxy:3128' }, undefined, false],
    [{ https_proxy: 'http://proxy:3128' }, '0.44.0', true],
    [{}, '0.43.9', true],
  ])('gives no token to an agent that would send it to the proxy: %j, %s', async (environment, version, isGiven) => {
    const turn = aTurn({ tool_server: { url: 'http://127.0.0.1:9/mcp', token: 'tt_1' } });
    const initialize = () => ({
      ...{ protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } },
      ...(version === undefined ? {} : { agentInfo: { name: 'gemini-cli', version } }),
    });
    const more = { environment, obeysNoProxySince: [0, 44, 0] } as const;
    const { agent } = await played({ initialize }, { turn, more });
    expect(JSON.stringify(agent.asked('session/new')).includes('tt_1')).toBe(isGiven);
  });
});

const text = (words: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: words },
});

describe('the settings of a turn', () => {
  const option = (category: string, values: string[]) => ({
    ...{ id: `the-${category}`, category, type: 'select' },
    options: values.map((value) => ({ value, name: '' })),
  });
  const models = Array.from({ length: 13 }, (_, index) => `m${index}`);
  const offering = (...configOptions: object[]): Methods => ({
    'session/new': () => ({ sessionId: 's-1', configOptions }),
    'session/set_config_option': () => ({}),
  });
  const everything = offering(
    option('model', models),
    option('thought_level', ['low', 'high']),
    option('mode', ['code', 'plan']),
  );
  const given = (agent: Agent) =>
    agent.asked('session/set_config_option').map((params) => (params as { value: string }).value);

  it.each([
    [{ model: 'strongest', effort: 'default' }, []],
    [{ model: 'default', effort: 'default' }, []],
    [{ model: 'm1', effort: 'default' }, ['m1']],
    [{ model: 'default', effort: 'high' }, ['high']],
    [{ model: 'm1', effort: 'high' }, ['m1', 'high']],
    [{ model: 'default', effort: 'max' }, []],
    [{ tools: ['read', 'edit'] }, []],
    [{ tools: ['read', 'execute'] }, []],
    [{ tools: ['read', 'web'] }, ['plan']],
  ])('are those of the member: %j', async (member, values) => {
    const { agent, offered, message } = await played(everything, { turn: aTurn({ member }) });
    expect([message, given(agent)]).toEqual([undefined, values]);
    expect(offered).toEqual([{ models, efforts: ['low', 'high'] }]);
  });

  it.each([
    [
      [option('model', ['m1']), option('thought_level', ['low', 'max'])],
      ['m1', 'max'],
    ],
    [[option('model', ['m1'])], ['m1']],
    [undefined, ['m1']],
  ])('are those that the session offers after the model: %#', async (configOptions, values) => {
    const { agent, message } = await played(
      {
        ...offering(option('model', ['m1']), option('thought_level', ['low', 'high'])),
        'session/set_config_option': (params) => (params['value'] === 'm1' ? { configOptions } : {}),
      },
      { turn: aTurn({ member: { model: 'm1', effort: 'max' } }) },
    );
    expect([message, given(agent)]).toEqual([undefined, values]);
  });

  it('are none where the session offers none', async () => {
    const { message, offered } = await played({}, { turn: aTurn({ member: { effort: 'high', tools: ['read'] } }) });
    expect([message, offered]).toEqual([undefined, [{ models: [], efforts: [] }]]);
  });

  it('are not those of a mode that changes things, for a member that only reads', async () => {
    const { agent } = await played(offering(option('mode', ['code'])), { turn: aTurn({ member: { tools: [] } }) });
    expect(given(agent)).toEqual([]);
  });

  it('only read in a turn for another program, whatever the member may do', async () => {
    const { agent } = await played(everything, { turn: aTurn({ profile: 'outside' }) });
    expect(given(agent)).toEqual(['plan']);
  });

  it.each([[offering()], [offering(option('mode', ['code']))]])(
    'refuse a turn for another program where no mode only reads: %#',
    async (offers) => {
      const { agent, message } = await played(offers, { turn: aTurn({ profile: 'outside' }) });
      expect(message).toBe(
        'agent offers no mode in which it only reads, so it is not run for other programs’ questions: give the ' +
          'member another client.',
      );
      expect(agent.asked('session/prompt')).toEqual([]);
    },
  );

  it.each([
    ['codex-acp', '1.7.0', false],
    ['@agentclientprotocol/codex-acp', '2.2.1', false],
    ['codex-acp', undefined, false],
    ['codex-acp', '1.6.2', true],
    ['codex-acp-next', '1.7.0', true],
  ])('are not a mode of this name that writes: %s %s', async (name, version, isQuiet) => {
    const initialize = () => ({ protocolVersion: 1, agentInfo: { name, version } });
    const methods = { ...offering(option('mode', ['read-only', 'agent'])), initialize };
    const outside = await played(methods, { turn: aTurn({ profile: 'outside' }) });
    expect(outside.message?.includes('no mode in which it only reads')).toBe(isQuiet ? undefined : true);
    const inside = await played(methods, { turn: aTurn({ member: { tools: ['read'] } }) });
    expect([inside.message, given(inside.agent)]).toEqual([undefined, isQuiet ? ['read-only'] : []]);
  });

  it('refuse a model that the session does not have, and name the first twelve', async () => {
    const turn = aTurn({ member: { model: 'opus' } });
    expect((await played(everything, { turn })).message).toBe(
      `agent offers no model \`opus\`. It offers ${models.slice(0, 12).join(', ')}.`,
    );
    expect((await played({}, { turn })).message).toBe(
      "agent lets no model be chosen: set the member's model to `strongest` instead of `opus`.",
    );
  });

  it('that the agent does not take end the turn', async () => {
    const methods = { ...everything, 'session/set_config_option': failing(-32_603, 'no') };
    const { message } = await played(methods, { turn: aTurn({ member: { model: 'm1' } }) });
    expect(message).toMatch(/^agent did not take `m1`: .*no/);
  });
});

describe('the end of a turn', () => {
  it.each([
    ['refusal', 'agent refused to answer.'],
    ['max_turn_requests', 'agent reached its own limit of steps before it had an answer.'],
    ['cancelled', 'agent called the turn off.'],
    ['end_turn', undefined],
    ['max_tokens', undefined],
  ])('with the reason %s, after words, says: %j', async (stopReason, words) => {
    expect((await played(prompting((agent) => agent.say('Words.'), stopReason))).message).toBe(words);
  });

  it('at the limit of its tokens says that the answer is cut', async () => {
    const { events } = await played(prompting((agent) => agent.say('Half a'), 'max_tokens'));
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual([
      'Half a',
      '\n\n[The answer is cut here: the model reached the end of its room.]',
    ]);
    const { message } = await played(prompting(() => undefined, 'max_tokens'));
    expect(message).toBe('The model used all its room before it answered: choose one with more, or a lower effort.');
  });

  it.each([
    [-32_603, 'Internal error', { details: 'usage limit reached' }, 'usage limit reached'],
    [-32_603, 'Internal error', 'The key is not valid.', 'The key is not valid.'],
    [-32_603, 'Internal error: overloaded', { details: 'overloaded' }, 'Internal error: overloaded'],
    [-32_602, 'Invalid model.', { reason: 'no such model' }, 'Invalid model. no such model'],
    [-32_603, 'Internal error', { error: { message: 'quota' } }, 'quota'],
    [-32_603, 'Internal error', { code: 7 }, 'Internal error'],
    [-32_000, 'Authentication required', undefined, 'agent is not logged in: start it once by itself and log in.'],
    [
      ...[-32_000, 'Set GOOGLE_CLOUD_PROJECT.', undefined],
      'agent is not logged in: start it once by itself and log in. It says: Set GOOGLE_CLOUD_PROJECT.',
    ],
  ] as [number, string, unknown, string][])('says why the agent failed: %i %s %j', async (code, said, data, words) => {
    for (const method of ['session/prompt', 'session/new']) {
      const { message } = await played({ [method]: failing(code, said, data) });
      expect(message).toBe(words);
    }
  });

  it('without words is none', async () => {
    expect((await played(prompting((agent) => agent.tool('1')))).message).toBe(
      'agent ended its turn without an answer.',
    );
  });

  it.each(['end_turn', 'refusal'])(
    'by the agent itself has done the uses of tools that run: %s',
    async (stopReason) => {
      const script = (agent: Agent) => {
        agent.say('Words.');
        agent.tool('1');
      };
      const { events, agent } = await played(prompting(script, stopReason));
      expect(events.filter(({ type }) => type === 'tool')).toMatchObject([
        { call: { state: 'running' } },
        { call: { state: 'done' } },
      ]);
      expect(agent.held).toBe(0);
    },
  );

  it('by an error fails the uses of tools that run', async () => {
    const { agent, events, message } = await played(
      prompting((agent) => {
        agent.tool('1');
        return failing(-32_603, 'overloaded')();
      }),
    );
    expect(message).toContain('overloaded');
    expect(agent.asked('session/cancel')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'tool', call: { state: 'failed' } });
  });

  it.each([
    [undefined, undefined, 90],
    [[2, 0, 0], '2.0.0', 90],
    [[2, 0, 0], '1.9.9', undefined],
    [[2, 0, 0], undefined, undefined],
  ] as const)('tells the tokens where they are those of the turn: since %j, %s', async (since, version, tokens) => {
    const { events } = await played(
      {
        initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'agent', version } }),
        'session/prompt': (_, agent) => {
          agent.say('Done.');
          agent.cost(0.5);
          return { stopReason: 'end_turn', usage: { inputTokens: 90 } };
        },
      },
      { more: { countsTurnSince: since } },
    );
    expect(events.at(-1)).toEqual({
      type: 'usage',
      usage: { ...(tokens === undefined ? {} : { input_tokens: tokens }), cost_usd: 0.5 },
    });
  });
});

describe('what an agent reports', () => {
  it('counts only for its session', async () => {
    const { events } = await played(
      prompting((agent) => {
        agent.update(text('Other.'), 's-2');
        agent.say('Own.');
      }),
    );
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(['Own.']);
  });

  it('before its prompt is no answer, but the cost that its session begins with', async () => {
    const { events } = await played(
      {
        initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
        'session/load': (_, agent) => {
          agent.say('Old words.');
          agent.cost(0.3);
          return {};
        },
        ...prompting((agent) => {
          agent.cost(0.5);
          agent.say('New words.');
        }),
      },
      { turn: aTurn({ session: 's-1', session_cost_usd: 0.1 }) },
    );
    expect(events).toEqual([
      { type: 'session', session: 's-1' },
      { type: 'session', session: 's-1', cost_usd: 0.5 },
      { type: 'usage', usage: { cost_usd: 0.2 } },
      { type: 'text', text: 'New words.' },
      { type: 'usage', usage: { cost_usd: 0.2 } },
    ]);
  });

  it.each([
    ['agent', '1.0.0', 0.2],
    ['@zed-industries/claude-code-acp', '0.79.9', 0.5],
    ['@agentclientprotocol/claude-agent-acp', '0.79.9', 0.5],
    ['@agentclientprotocol/claude-agent-acp', '0.80.0', 0.2],
    ['claude-agent-acp', '0.79.9', 0.2],
    ['@agentclientprotocol/claude-agent-acp-next', '0.79.9', 0.2],
  ])('of the cost of a session that goes on is what is new: %s %s', async (name, version, cost) => {
    const agentCapabilities = { loadSession: true };
    const { events } = await played(
      {
        initialize: () => ({ protocolVersion: 1, agentCapabilities, agentInfo: { name, version } }),
        'session/load': () => ({}),
        ...prompting((agent) => {
          agent.cost(0.5);
          agent.say('Done.');
        }),
      },
      { turn: aTurn({ session: 's-1', session_cost_usd: 0.3 }) },
    );
    expect(events.find(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: { cost_usd: cost } });
  });

  it('of a cost in a new session is all of it', async () => {
    const turn = aTurn({ session: 'gone', session_cost_usd: 0.3 });
    const { events } = await played(
      {
        initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
        'session/load': failing(-32_602, 'gone'),
        'session/new': (_, agent) => {
          agent.update({ sessionUpdate: 'usage_update', cost: { amount: 0.3, currency: 'USD' } }, 'gone');
          return { sessionId: 's-1' };
        },
        ...prompting((agent) => {
          agent.cost(0.5);
          agent.say('Done.');
        }),
      },
      { turn },
    );
    expect(events.find(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: { cost_usd: 0.5 } });
  });

  it('of a cost is held back for a quarter of a second, or until it goes on', async () => {
    const { agent, clock, events, ended } = run(prompting(never));
    const usages = () => events.flatMap((event) => (event.type === 'usage' ? [event.usage.cost_usd] : []));
    await until(() => agent.asked('session/prompt').length > 0);
    agent.cost(0.1);
    await until(() => clock.pending > 0);
    clock.advance(249);
    await moment();
    expect(usages()).toEqual([]);
    clock.advance(1);
    await until(() => usages().length > 0);
    agent.cost(0.2);
    await until(() => clock.pending > 0);
    agent.cost(0.3);
    await until(() => usages().length > 1);
    await moment();
    expect([usages(), clock.pending]).toEqual([[0.1, 0.2], 1]);
    await agent.group.stop();
    await ended;
    expect([usages(), clock.pending]).toEqual([[0.1, 0.2, 0.3], 0]);
  });

  it('in a turn for another program ends it, where it has done more than read', async () => {
    const modes = { availableModes: [{ id: 'plan', name: '' }] };
    const offers = { 'session/new': () => ({ sessionId: 's-1', modes }), 'session/set_mode': () => ({}) };
    const doing = (kind: string, path: string) => ({
      ...offers,
      ...prompting((agent) => {
        agent.tool('1', { kind, status: 'completed', rawInput: { path } });
        agent.say('Done.');
      }),
    });
    const turn = aTurn({ profile: 'outside' });
    const words = (kind: string) => `agent did something in a run that may only read (${kind}), so it was stopped.`;
    const edited = await played(doing('edit', 'a'), { turn });
    expect([edited.message, edited.agent.stops]).toEqual([words('edit'), 1]);
    expect(edited.events.filter(({ type }) => type === 'text')).toEqual([]);
    expect((await played(doing('read', '../a'), { turn })).message).toBe(words('read'));
    expect((await played(doing('read', 'a'), { turn })).message).toBeUndefined();
    expect((await played(doing('edit', '../a'))).message).toBeUndefined();
  });

  it.each([
    ['1.7.0', 'agent used execute (execute), for which the member has no tool, so it was stopped.'],
    ['1.6.9', undefined],
    [undefined, 'agent used execute (execute), for which the member has no tool, so it was stopped.'],
  ])('of a command that codex-acp %s began unasked ends it, without the tool', async (version, words) => {
    const { message } = await played(
      {
        initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'codex-acp', version } }),
        ...prompting((agent) => {
          agent.tool('1', { kind: 'execute', status: 'in_progress' });
          agent.tool('1', { status: 'failed' });
          agent.say('Done.');
        }),
      },
      { turn: aTurn({ member: { tools: ['read'] } }) },
    );
    expect(message).toBe(words);
  });

  it.each([
    ['execute', 'completed', ['read', 'edit'], 'agent used make (execute), for which the member has no tool'],
    ['fetch', 'completed', ['read', 'edit'], 'agent used make (fetch), for which the member has no tool'],
    ['execute', 'completed', ['execute'], undefined],
    ['execute', 'in_progress', ['read', 'edit'], undefined],
    ['execute', 'failed', ['read', 'edit'], undefined],
    ['read', 'completed', ['edit'], undefined],
    ['other', 'completed', ['edit'], undefined],
  ])('in a turn of the operator ends it where the member lacks the tool: %s, %s, %j', async (...given) => {
    const [kind, status, tools, words] = given;
    const script = (agent: Agent) => {
      agent.tool('1', { kind, name: 'make', status });
      agent.say('Done.');
    };
    const { message, agent } = await played(prompting(script), { turn: aTurn({ member: { tools } }) });
    expect([message?.includes(words ?? '-'), agent.stops]).toEqual(words ? [true, 1] : [undefined, 0]);
  });

  it('with the deed that ends it counts no more, not even as a fault of its own', async () => {
    const { message, events } = await played(
      {
        'session/new': () => ({ sessionId: 's-1', modes: { availableModes: [{ id: 'plan' }] } }),
        'session/set_mode': () => ({}),
        ...prompting((agent) => {
          agent.say('First.');
          agent.tool('1', { kind: 'edit', status: 'completed' });
          agent.say('Done.');
          agent.write('x'.repeat(1024 * 1024 + 1));
        }),
      },
      { turn: aTurn({ profile: 'outside' }) },
    );
    expect(message).toContain('did something in a run that may only read (edit)');
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(['First.']);
  });

  it('that is no message is ignored, up to a limit', async () => {
    const noisy = (chars: number) =>
      prompting((agent) => {
        agent.write('x'.repeat(chars));
        agent.say('Done.');
      });
    expect((await played(noisy(1024 * 1024))).message).toBeUndefined();
    const { message, agent } = await played(noisy(1024 * 1024 + 1));
    expect(message).toContain('The program wrote more than 1 MiB that is no message');
    expect(agent.stops).toBeGreaterThan(0);
  });
});

describe('a permission that an agent asks for', () => {
  const make = { toolCallId: '1', kind: 'execute', title: 'Build it', rawInput: { command: 'make', cwd: 'src' } };
  const detail = { kind: 'command', command: 'make', folder: '/project/src', environment: ['PATH'] };

  /** What the agent is told, and what the operator was asked. */
  async function asking(toolCall: object, { decide = async () => 'allow_once', ...staged }: Staged = {}) {
    const asked: unknown[] = [];
    let told: unknown;
    const { agent, message } = await played(
      prompting(async (one) => {
        told = await one.ask(toolCall);
        one.say('Done.');
      }),
      {
        ...staged,
        decide: (question) => {
          asked.push(question);
          return decide(question);
        },
      },
    );
    return { told, asked, agent, message };
  }

  it('is asked of the operator, with its details', async () => {
    const { told, asked, agent } = await asking(make);
    expect([told, agent.held]).toEqual(['yes', 0]);
    expect(asked).toEqual([{ tool: 'execute', target: 'make', reason: 'Build it', detail }]);
    expect((await asking(make, { decide: async () => 'deny' })).told).toBe('no');
  });

  it('has no reason where its title is its target', async () => {
    expect((await asking({ ...make, title: 'make' })).asked).toMatchObject([{ target: 'make', reason: '' }]);
  });

  it('is denied unasked where the member does not have the tool', async () => {
    const turn = aTurn({ member: { tools: ['read', 'edit'] } });
    expect(await asking(make, { turn })).toMatchObject({ told: 'no', asked: [] });
  });

  it('has what was reported of the use before', async () => {
    const asked: unknown[] = [];
    await played(
      prompting(async (agent) => {
        agent.tool('1', { kind: 'execute', rawInput: { command: 'make', cwd: 'src' } });
        await agent.ask({ toolCallId: '1' });
        agent.say('Done.');
      }),
      {
        decide: async (question) => {
          asked.push(question);
          return 'deny';
        },
      },
    );
    expect(asked).toMatchObject([{ tool: 'execute', target: 'make', detail }]);
  });

  it('lets the program be silent until it is decided', async () => {
    let held: number | undefined;
    const { agent, ended } = run(
      prompting(async (one) => {
        await one.ask(make);
        one.say('Done.');
      }),
      {
        decide: async () => {
          held = agent.held;
          return 'deny';
        },
      },
    );
    await ended;
    expect([held, agent.held]).toEqual([1, 0]);
  });

  it('is cancelled where no decision can be had', async () => {
    const { told, agent, message } = await asking(make, { decide: () => Promise.reject(new Error('gone')) });
    expect([told, agent.held, message]).toEqual(['cancelled', 0, undefined]);
  });

  it('is cancelled before the prompt', async () => {
    const asked: unknown[] = [];
    let told: unknown;
    await played(
      {
        'session/new': async (_, agent) => {
          told = await agent.ask(make);
          return { sessionId: 's-1' };
        },
      },
      {
        decide: async (question) => {
          asked.push(question);
          return 'allow_once';
        },
      },
    );
    expect([told, asked]).toEqual(['cancelled', []]);
  });
});

describe('a turn that is called off', () => {
  it('is watched for only while it runs', async () => {
    const { signal } = new AbortController();
    expect((await played({}, { signal })).message).toBeUndefined();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('tells the agent so and waits until it has ended the prompt', async () => {
    const off = new AbortController();
    let settle: (result: unknown) => void = () => undefined;
    const { agent, clock, ended } = run(
      {
        'session/prompt': () =>
          new Promise((resolve) => {
            settle = resolve;
          }),
      },
      { signal: off.signal },
    );
    await until(() => agent.asked('session/prompt').length > 0);
    off.abort(new Error('deadline'));
    await until(() => agent.asked('session/cancel').length > 0);
    expect(agent.asked('session/cancel')).toEqual([{ sessionId: 's-1' }]);
    await until(() => clock.pending > 0);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await moment();
    expect(isOver).toBe(false);
    settle({ stopReason: 'cancelled' });
    expect((await ended)?.message).toBe('deadline');
    expect(clock.pending).toBe(0);
  });

  it('does not wait for an agent that goes on for more than 2 s', async () => {
    const off = new AbortController();
    const { agent, clock, ended } = run({ 'session/prompt': never }, { signal: off.signal });
    await until(() => agent.asked('session/prompt').length > 0);
    off.abort(new Error('deadline'));
    await until(() => clock.pending > 0);
    clock.advance(1_999);
    await moment();
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect((await ended)?.message).toBe('deadline');
  });

  it('does not begin, and tells nothing of a prompt that was not sent', async () => {
    const { agent, message } = await played({}, { signal: AbortSignal.abort(new Error('early')) });
    expect([message, agent.asked('session/prompt'), agent.asked('session/cancel')]).toEqual(['early', [], []]);
  });

  it('has its pending permission cancelled, and asks for no other', async () => {
    const off = new AbortController();
    const told: unknown[] = [];
    const asked: unknown[] = [];
    const use = { toolCallId: '1', kind: 'execute', rawInput: { command: 'make' } };
    const { ended } = run(
      prompting(async (agent) => {
        told.push(await agent.ask(use));
        told.push(await agent.ask(use));
      }, 'cancelled'),
      {
        signal: off.signal,
        decide: (question) => {
          asked.push(question);
          off.abort(new Error('deadline'));
          return new Promise(() => undefined);
        },
      },
    );
    expect((await ended)?.message).toBe('deadline');
    expect([told, asked.length]).toEqual([['cancelled', 'cancelled'], 1]);
  });
});
