import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  type ContentBlock,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Conversation, Decision, PermissionList } from '../../contract/conversations.js';
import type { TurnEvent } from '../../features/clients/client.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { asksFirst, beFound, conversations, daemon } from '../../testing/processes/command-line.js';
import { PLAIN_ENVIRONMENT } from '../../testing/processes/recorded-terminal.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { run } from '../program.js';
import { Terminal } from '../terminal.js';

const ENTRY = new URL('../meshd.ts', import.meta.url).href;
const { session: call } = methods.agent;
const text = (words: string) => ({ type: 'text' as const, text: words });

type Answer = (asked: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;

/** An editor that has started `meshd acp <member>`, written with the protocol's own library. */
class Editor {
  readonly updates: SessionUpdate[] = [];
  err = '';
  exit: Promise<number>;
  private readonly connection: ClientConnection;
  private readonly stdin = new PassThrough();
  private wake: () => void = () => undefined;

  constructor(args: readonly string[], answer: Answer = () => new Promise(() => undefined)) {
    const stdout = new PassThrough();
    const stderr = new Writable({
      write: (chunk, _encoding, done) => {
        this.err += String(chunk);
        this.wake();
        done();
      },
    });
    const terminal = new Terminal(stdout, stderr, PLAIN_ENVIRONMENT, this.stdin);
    this.exit = run(['acp', ...args], terminal, ENTRY);
    this.connection = client({ name: 'test-editor' })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => answer(params, signal))
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.wake();
      })
      .connect(ndJsonStream(Writable.toWeb(this.stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>));
    onTestFinished(async () => void (await this.leave()));
  }

  get agent() {
    return this.connection.agent;
  }

  async initialize() {
    return this.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
  }

  async open(cwd: string): Promise<string> {
    await this.initialize();
    return (await this.agent.request(call.new, { cwd, mcpServers: [] })).sessionId;
  }

  prompt(sessionId: string, ...prompt: Parameters<typeof text>) {
    return this.agent.request(call.prompt, { sessionId, prompt: prompt.map(text) });
  }

  /** The text that the agent said so far. */
  get said(): string {
    return this.updates
      .map((one) =>
        one.sessionUpdate === 'agent_message_chunk' && one.content.type === 'text' ? one.content.text : '',
      )
      .join('');
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async leave(): Promise<number> {
    this.stdin.end();
    return this.exit;
  }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ code, message, data }: RequestError) => ({ code, message, data }),
  );

const waiting = async (app: TestApp) => ((await app.call('GET', '/permissions')).body as PermissionList).permissions;
const decide = async (app: TestApp, decision: Decision) => {
  const [permission] = await waiting(app);
  return app.call('POST', `/conversations/${permission?.conv}/permissions/${permission?.pid}`, { decision });
};

describe('meshd acp <member>', () => {
  it('answers a prompt in pieces, names the conversation, and replays it to another editor', async () => {
    const app = await daemon(new ScriptedAgent('acp', readsBetween));
    mkdirSync(join(app.root, 'src/deep'), { recursive: true });
    const editor = new Editor(['developer']);
    expect(await editor.initialize()).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'meshd', title: 'developer (meshd)' },
      agentCapabilities: { loadSession: true, promptCapabilities: { image: false, embeddedContext: true } },
    });
    // A folder below the project belongs to it.
    const { sessionId, configOptions } = await editor.agent.request(call.new, {
      cwd: join(app.root, 'src/deep'),
      mcpServers: [{ name: 'x', command: '/bin/x', args: [], env: [] }],
    });
    expect(configOptions?.map(({ id }) => id)).toEqual(['client', 'model', 'effort']);
    expect(editor.err).toContain('The editor’s MCP servers (1) are not used: a member has its own tools.');
    expect(await editor.prompt(sessionId, 'Where is the angle set?')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said).toBe('One. Two.');
    expect(editor.updates.at(-1)).toMatchObject({ sessionUpdate: 'session_info_update' });
    const other = new Editor(['developer']);
    await other.initialize();
    const { sessions } = await other.agent.request(call.list, { cwd: app.root });
    expect(sessions).toMatchObject([{ sessionId, cwd: app.root, title: expect.stringContaining('angle') }]);
    await other.agent.request(call.load, { sessionId, cwd: app.root, mcpServers: [] });
    expect(other.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'user_message_chunk',
      'tool_call',
      'agent_message_chunk',
    ]);
    expect(other.updates[1]).toMatchObject({
      title: 'Read src/dusk.ts',
      kind: 'read',
      status: 'completed',
      locations: [{ path: join(app.root, 'src/dusk.ts') }],
    });
    expect(await other.leave()).toBe(0);
  });

  it('shows the verified sources of an answer as links', async () => {
    const app = await daemon();
    await app.untilIndexed();
    const editor = new Editor(['consultant']);
    const session = await editor.open(app.root);
    expect(await editor.prompt(session, 'On which port does it listen?')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said).toContain('8123');
    expect(editor.said).toMatch(/Verified sources:\n- \[README\.md:\d+-\d+\]\(file:\/\/\S+README\.md#L\d+:\d+\)/);
  });

  it.each([
    ['allow', 'allow_once', 'completed'],
    ['deny', 'deny', 'failed'],
    ['always:conversation:0', 'allow_always', 'completed'],
  ])('asks the editor for a permission: %s is %s', async (optionId, decision, status) => {
    const app = await daemon(new ScriptedAgent('acp', asksFirst));
    const asked: RequestPermissionRequest[] = [];
    const editor = new Editor(['developer'], async (params) => {
      asked.push(params);
      return { outcome: { outcome: 'selected', optionId } };
    });
    const session = await editor.open(app.root);
    expect(await editor.prompt(session, 'set it')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said).toBe(`Looking. ${decision}`);
    expect(asked).toMatchObject([
      {
        sessionId: session,
        toolCall: { title: 'Edit src/dusk.ts', kind: 'edit', status: 'pending' },
        options: expect.arrayContaining([
          { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
          { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
          expect.objectContaining({ optionId: 'always:conversation:0', kind: 'allow_always' }),
        ]),
      },
    ]);
    const question = asked[0]?.toolCall.toolCallId;
    const shown = editor.updates.filter((one) => 'toolCallId' in one && one.toolCallId === question);
    expect(shown).toEqual([
      expect.objectContaining({ sessionUpdate: 'tool_call', title: 'Edit src/dusk.ts', status: 'pending' }),
      { sessionUpdate: 'tool_call_update', toolCallId: question, status },
    ]);
  });

  it.each<[string, TurnEvent[], TurnEvent[]]>([
    ['before', [edits('running')], [edits('done')]],
    ['after', [], [edits('running'), edits('done')]],
  ])('shows one call, which its agent reports %s the question', async (_when, before, after) => {
    const agent = new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
      yield* before;
      yield { type: 'text', text: await decide({ tool: 'Edit', target: 'src/dusk.ts', reason: '' }) };
      yield* after;
      yield { type: 'end', citations: [] };
    });
    const app = await daemon(agent);
    const asked: string[] = [];
    const editor = new Editor(['developer'], async ({ toolCall }) => {
      asked.push(toolCall.toolCallId);
      return { outcome: { outcome: 'selected', optionId: 'allow' } };
    });
    expect(await editor.prompt(await editor.open(app.root), 'set it')).toEqual({ stopReason: 'end_turn' });
    const shown = editor.updates.flatMap((one) => ('toolCallId' in one ? one : []));
    expect(new Set(shown.map(({ toolCallId }) => toolCallId))).toEqual(new Set(asked));
    expect(shown.at(-1)).toMatchObject({ status: 'completed' });
  });

  it('takes no decision for a prompt that the editor has cancelled', async () => {
    const decided: Decision[] = [];
    const agent = new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
      decided.push(await decide({ tool: 'Edit', target: 'src/dusk.ts', reason: '' }));
      yield { type: 'end', citations: [] };
    });
    const app = await daemon(agent);
    let session = '';
    const editor: Editor = new Editor(['developer'], async () => {
      await editor.agent.notify(call.cancel, { sessionId: session });
      return { outcome: { outcome: 'selected', optionId: 'allow' } };
    });
    session = await editor.open(app.root);
    expect(await editor.prompt(session, 'set it')).toEqual({ stopReason: 'cancelled' });
    expect(decided).not.toContain('allow_once');
    expect(editor.err).not.toContain('the question waits');
  });

  it('withdraws a question that is answered in the dashboard, while the turn runs', async () => {
    const agent = new ScriptedAgent('acp', async function* (_turn, signal, self, decide) {
      const decision = await decide({ tool: 'Edit', target: 'src/dusk.ts', reason: '' });
      await self.held(signal);
      yield* answers(decision);
    });
    const app = await daemon(agent);
    let withdraw = () => undefined as unknown;
    const withdrawn = new Promise<void>((resolve) => {
      withdraw = resolve;
    });
    const editor = new Editor(['developer'], async (_asked, signal) => {
      signal.addEventListener('abort', () => withdraw());
      await decide(app, 'allow_once');
      await withdrawn;
      return { outcome: { outcome: 'cancelled' } };
    });
    const session = await editor.open(app.root);
    const prompt = editor.prompt(session, 'set it');
    await withdrawn;
    await agent.untilHeld(1);
    agent.finishAll();
    expect(await prompt).toEqual({ stopReason: 'end_turn' });
    expect(editor.said).toBe('allow_once');
  });

  it('cancels a prompt, and one that waits behind another', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const editor = new Editor(['developer']);
    const session = await editor.open(app.root);
    const first = editor.prompt(session, 'one');
    await editor.until(() => editor.said !== '');
    expect(await failure(editor.prompt(session, 'two'))).toMatchObject({ code: -32_600, data: { code: 'busy' } });
    await editor.agent.notify(call.cancel, { sessionId: session });
    expect(await first).toEqual({ stopReason: 'cancelled' });
    await app.call('POST', `/conversations/${session}/messages`, { text: 'from the dashboard' });
    await agent.untilHeld(2);
    const queued = editor.prompt(session, 'three');
    await untilQueued(app);
    await editor.agent.notify(call.cancel, { sessionId: session });
    expect(await queued).toEqual({ stopReason: 'cancelled' });
    expect((await conversations(app))[0]).toMatchObject({ running: expect.any(String), queued: 0 });
  });

  it('attaches embedded texts and linked files of the project, and refuses what a member cannot take', async () => {
    const agent = new ScriptedAgent('acp', () => answers('Read.'));
    const app = await daemon(agent);
    putFiles(app.root, { '.env': 'KEY=1', 'notes.txt': 'The lamp is blue.' });
    const outside = temporaryFolder({ 'far.txt': 'Far.' });
    const editor = new Editor(['developer']);
    const sessionId = await editor.open(app.root);
    const link = (path: string) => ({ type: 'resource_link' as const, name: path, uri: `file://${path}` });
    const resource = { uri: `file://${app.root}/src/x.ts#L1`, text: 'const x = 1;' };
    const prompt = [
      text('Compare '),
      link(join(app.root, 'notes.txt')),
      link(join(app.root, '.env')),
      link(join(outside, 'far.txt')),
      { type: 'resource' as const, resource },
      { type: 'resource_link' as const, name: 'page', uri: 'https://example.com/page' },
    ];
    expect(await editor.agent.request(call.prompt, { sessionId, prompt })).toEqual({ stopReason: 'end_turn' });
    const { messages } = (await app.call('GET', `/conversations/${sessionId}/messages`)).body as {
      messages: { text: string; context_docs: string[] }[];
    };
    expect(messages[0]?.context_docs).toEqual(['notes.txt', 'src/x.ts']);
    expect(messages[0]?.text).toContain('Compare @notes.txt');
    expect(messages[0]?.text).toContain('[page](https://example.com/page)');
    expect(editor.err).toMatch(/\.env is named and not attached: its name is that of a secret/);
    expect(editor.err).toMatch(/far\.txt is named and not attached: it is outside the project/);
    const refused = async (...blocks: ContentBlock[]) =>
      failure(editor.agent.request(call.prompt, { sessionId, prompt: blocks }));
    expect(await refused(text('See'), { type: 'image', data: 'AA==', mimeType: 'image/png' })).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('image'),
    });
    expect(await refused({ type: 'resource', resource })).toMatchObject({ code: -32_602 });
    expect(await refused(text('See'), { type: 'resource', resource: { uri: 'x:y', blob: 'AA==' } })).toMatchObject({
      code: -32_602,
    });
  });

  it('changes the model and effort of the conversation', async () => {
    const app = await daemon(new ScriptedAgent('acp', (turn) => answers(`${turn.member.model} ${turn.member.effort}`)));
    const editor = new Editor(['developer']);
    const sessionId = await editor.open(app.root);
    const set = (configId: string, value: string) =>
      editor.agent.request(call.setConfigOption, { sessionId, configId, value });
    await set('effort', 'high');
    const { configOptions } = await set('model', 'scripted-0');
    expect(configOptions).toMatchObject([{ id: 'client' }, { currentValue: 'scripted-0' }, { currentValue: 'high' }]);
    await editor.prompt(sessionId, 'which?');
    expect(editor.said).toBe('scripted-0 high');
    expect(await failure(set('colour', 'red'))).toMatchObject({ code: -32_602 });
    expect((await set('model', 'as-member')).configOptions[1]).toMatchObject({ currentValue: 'as-member' });
    expect((await conversations(app))[0]).toMatchObject({ model: null, effort: 'high' });
  });

  it('names what is wrong by the codes of the protocol', async () => {
    const app = await daemon(
      new ScriptedAgent('acp', async function* () {
        yield { type: 'text', text: 'Half. ' };
        throw new Error('The agent fell over.');
      }),
    );
    const editor = new Editor(['developer', '--root', app.root]);
    const sessionId = await editor.open(app.root);
    expect(await failure(editor.prompt(sessionId, 'go'))).toMatchObject({
      code: -32_603,
      message: expect.any(String),
      data: { code: 'client_failed', outcome: 'failed', conv: sessionId },
    });
    const open = (cwd: string) => failure(editor.agent.request(call.new, { cwd, mcpServers: [] }));
    expect(await open('relative')).toMatchObject({ code: -32_602 });
    expect(await open(temporaryFolder())).toMatchObject({ code: -32_602, data: { code: 'bad_root' } });
    const load = (id: string) =>
      failure(editor.agent.request(call.load, { sessionId: id, cwd: app.root, mcpServers: [] }));
    expect(await load('conv-0123456789abcdef')).toMatchObject({ code: -32_002, data: { code: 'not_found' } });
    const { body } = await app.call('POST', '/conversations', { member: 'consultant' });
    expect(await load((body as Conversation).conv)).toMatchObject({ code: -32_602, data: { code: 'member_bound' } });
    expect(await failure(editor.prompt('conv-unknown', 'x'))).toMatchObject({ code: -32_002 });
    const nobody = new Editor(['nobody']);
    expect(await failure(nobody.open(app.root))).toMatchObject({ code: -32_002 });
  });

  it('says that no daemon runs, and leaves no empty conversation behind', async () => {
    const root = temporaryRepository({ 'README.md': '# x\n' });
    const alone = new Editor(['developer']);
    expect(await failure(alone.open(root))).toMatchObject({
      message: expect.stringContaining('start it with `meshd up`'),
      data: { code: 'unreachable' },
    });
    const app = await daemon(new ScriptedAgent('acp', () => answers('Yes.')));
    const editor = new Editor(['developer']);
    await editor.open(app.root);
    const kept = (await editor.agent.request(call.new, { cwd: app.root, mcpServers: [] })).sessionId;
    await editor.prompt(kept, 'stay');
    expect((await conversations(app)).length).toBe(2);
    expect(await editor.leave()).toBe(0);
    expect((await conversations(app)).map(({ conv }) => conv)).toEqual([kept]);
  });

  it('continues a session after the daemon restarted; a prompt that ran then ends with an error', async () => {
    const root = temporaryRepository({ 'README.md': '# x\n' });
    const start = async (agent: ScriptedAgent) => {
      const app = await testApp({ root, clients: [agent], clock: new FakeClock(Date.now()) });
      beFound(app);
      return app;
    };
    const first = await start(new ScriptedAgent('acp', heldAnswer));
    const editor = new Editor(['developer']);
    const session = await editor.open(root);
    const cut = failure(editor.prompt(session, 'one'));
    await editor.until(() => editor.said !== '');
    await first.stop();
    await start(new ScriptedAgent('acp', () => answers('Again.')));
    expect(await cut).toMatchObject({ code: -32_603, data: { code: 'daemon_restarted' } });
    expect(await editor.prompt(session, 'two')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said).toContain('Again.');
  });
});

const edits = (state: 'running' | 'done'): TurnEvent => ({
  type: 'tool',
  call: { id: 'c1', name: 'Edit', target: 'src/dusk.ts', state },
});

/** Reads a file between two pieces of its answer. */
async function* readsBetween(): AsyncIterable<TurnEvent> {
  yield { type: 'text', text: 'One. ' };
  yield { type: 'tool', call: { id: 'c1', name: 'Read', target: 'src/dusk.ts', state: 'running' } };
  yield { type: 'tool', call: { id: 'c1', name: 'Read', target: 'src/dusk.ts', state: 'done', ms: 3 } };
  yield { type: 'text', text: 'Two.' };
  yield { type: 'end', citations: [] };
}

async function untilQueued(app: TestApp): Promise<void> {
  while ((await conversations(app))[0]?.queued !== 1) await new Promise((resolve) => setImmediate(resolve));
}
