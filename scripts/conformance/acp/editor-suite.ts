import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Conversation, Message } from '../../../daemon/contract/conversations.js';
import { until } from '../../hard/drill.js';
import { holds, runScenarios, type Scenario, same } from '../scenarios.js';
import { NODE } from '../suite.js';
import { AgentDaemon, MEMBER } from './agent-daemon.js';

const ACPX = fileURLToPath(new URL('../node_modules/acpx/dist/cli.js', import.meta.url));
const MESHD = fileURLToPath(new URL('../../../dist/meshd.js', import.meta.url));
const COMMAND_MS = 60_000;

interface Ran {
  exit: number | null;
  out: string;
  err: string;
}

/** One message of the protocol, as acpx prints it. */
interface Line {
  method?: string;
  // Each scenario knows the shape of the message that it looks at.
  // biome-ignore lint/suspicious/noExplicitAny: parameters of any method.
  params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: results of any method.
  result?: any;
  error?: { code: number; message: string; data?: unknown };
}

/** The client acpx with `meshd acp` as its agent. Its sessions are kept in the home folder of the project. */
class Editor {
  private readonly started: ChildProcess[] = [];

  constructor(readonly agents: AgentDaemon) {}

  start(...args: string[]): { child: ChildProcess; ran: Promise<Ran> } {
    return this.startIn(this.agents.root, args);
  }

  run(...args: string[]): Promise<Ran> {
    return this.start(...args).ran;
  }

  startIn(cwd: string, args: readonly string[]): { child: ChildProcess; ran: Promise<Ran> } {
    const agent = [process.execPath, MESHD, 'acp', MEMBER].join(' ');
    const child = spawn(NODE, [ACPX, '--agent', agent, '--cwd', cwd, '--timeout', '30', '--ttl', '5', ...args], {
      env: { PATH: process.env['PATH'], HOME: this.agents.root },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_MS,
    });
    this.started.push(child);
    const ran: Ran = { exit: null, out: '', err: '' };
    child.stdout.on('data', (data) => {
      ran.out += String(data);
    });
    child.stderr.on('data', (data) => {
      ran.err += String(data);
    });
    return { child, ran: once(child, 'close').then(([exit]) => ({ ...ran, exit: exit as number | null })) };
  }

  conversations(): Promise<{ conversations: Conversation[] }> {
    return this.agents.daemon.call('GET', `/conversations?member=${MEMBER}`);
  }

  /** What the newest conversation holds of `role`. */
  async said(role: Message['role']): Promise<string[]> {
    const [newest] = (await this.conversations()).conversations;
    const { messages } = await this.agents.daemon.transcript(newest?.conv ?? '');
    return messages.filter((one) => one.role === role).map(({ text }) => text);
  }

  stop(): void {
    for (const child of this.started) child.kill();
  }
}

const toLines = ({ out }: Ran) =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
const listUpdates = (lines: readonly Line[], kind: string) =>
  lines.map(({ params }) => params?.update).filter((update) => update?.sessionUpdate === kind);

const PERMISSION = {
  toolCall: {
    toolCallId: 'call_001',
    title: 'Editing a file',
    kind: 'edit',
    status: 'pending',
    content: [{ type: 'diff', path: 'README.md', oldText: '4747', newText: '4848' }],
    rawInput: { path: 'README.md' },
  },
  options: [
    { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
  ],
};

const prompting = (editor: Editor): Scenario[] => [
  {
    title: 'initialize, session/new, session/prompt: the answer is streamed, then the prompt ends',
    run: async () => {
      editor.agents.shape({});
      const ran = await editor.run('--format', 'json', 'exec', 'Which port?');
      const lines = toLines(ran);
      same('exit', ran.exit, 0);
      same('agent', lines.find(({ result }) => result?.agentInfo)?.result.agentInfo.name, 'meshd');
      same(
        'text',
        listUpdates(lines, 'agent_message_chunk')
          .map(({ content }) => content.text)
          .join(''),
        'Port 4747.',
      );
      same('stop reason', lines.at(-1)?.result, { stopReason: 'end_turn' });
      same('the conversation', await editor.said('user'), ['Which port?']);
    },
  },
  {
    title: 'tool_call and tool_call_update: kind, status and locations of what the agent does',
    run: async () => {
      const call = { toolCallId: 'c1', title: 'Read README.md', kind: 'read', rawInput: { path: 'README.md' } };
      editor.agents.shape({
        updates: [
          { sessionUpdate: 'tool_call', ...call, status: 'in_progress' },
          { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' },
        ],
      });
      const lines = toLines(await editor.run('--format', 'json', 'exec', 'Read it.'));
      const [first] = listUpdates(lines, 'tool_call');
      same('kind and status', [first?.kind, first?.status], ['read', 'in_progress']);
      same('locations', first?.locations, [{ path: join(editor.agents.root, 'README.md') }]);
      same('the end', listUpdates(lines, 'tool_call_update').at(-1)?.status, 'completed');
    },
  },
  ...(['allow', 'reject'] as const).map((word) => ({
    title: `session/request_permission: the client decides, the agent is told (${word})`,
    run: async () => {
      editor.agents.shape({ permission: PERMISSION });
      const policy = word === 'allow' ? '--approve-all' : '--deny-all';
      const lines = toLines(await editor.run(policy, '--format', 'json', 'exec', 'Edit it.'));
      const asked = lines.find(({ method }) => method === 'session/request_permission')?.params;
      const kinds = asked?.options.map(({ kind }: { kind: string }) => kind);
      holds(
        'the options',
        ['allow_once', 'allow_always', 'reject_once'].every((kind) => kinds?.includes(kind)),
        kinds,
      );
      const diff = asked?.toolCall.content.find(({ type }: { type: string }) => type === 'diff');
      same('the diff', [diff?.oldText, diff?.newText], ['4747', '4848']);
      const told = editor.agents.received().find(({ method }) => method === 'permission answered');
      same('the answer', told?.params, { outcome: 'selected', optionId: `${word}-once` });
    },
  })),
];

const sessions = (editor: Editor): Scenario[] => [
  {
    title: 'session/load: a later process goes on in the same conversation, after a replay of it',
    run: async () => {
      editor.agents.shape({});
      await editor.run('exec', 'One?');
      const [{ conv } = { conv: '' }] = (await editor.conversations()).conversations;
      const resumed = await editor.run('sessions', 'new', '--name', 'later', '--resume-session', conv);
      same('exit', [resumed.exit, resumed.err.includes('Error')], [0, false]);
      await editor.run('prompt', '--session', 'later', 'Two?');
      same('one conversation', await editor.said('user'), ['One?', 'Two?']);
    },
  },
  {
    title: 'session/list: the conversations with the member, by folder',
    run: async () => {
      const ran = await editor.run('sessions', 'list');
      const { conversations } = await editor.conversations();
      holds(
        'all of them',
        conversations.every(({ conv }) => ran.out.includes(conv)),
        ran,
      );
    },
  },
  {
    title: 'session/cancel: the agent is told, and the prompt ends as cancelled',
    run: async () => {
      editor.agents.shape({});
      await editor.run('sessions', 'new', '--name', 'cut');
      const { ran } = editor.start('--format', 'json', 'prompt', '--session', 'cut', 'hold:cut');
      const received = () => Promise.resolve(editor.agents.received());
      const hasPrompt = (all: { method: string }[]) => all.some(({ method }) => method === 'session/prompt');
      await until('The prompt arrives', 20_000, received, hasPrompt);
      same('acpx cancel', (await editor.run('cancel', '--session', 'cut')).exit, 0);
      const lines = toLines(await ran);
      same('stop reason', lines.find(({ result }) => result?.stopReason)?.result, { stopReason: 'cancelled' });
      holds(
        'the agent',
        editor.agents.received().some(({ method }) => method === 'session/cancel'),
        'nothing',
      );
    },
  },
  {
    title: 'Errors: a folder whose project has no daemon',
    run: async () => {
      const other = mkdtempSync(join(tmpdir(), 'meshd-no-daemon-'));
      const ran = await editor.startIn(other, ['--format', 'json', 'exec', 'Which port?']).ran;
      rmSync(other, { recursive: true, force: true });
      const refused = toLines(ran).find(({ error }) => error)?.error;
      holds('exit', ran.exit !== 0, ran.exit);
      holds('advice', refused?.message.includes('meshd up') === true, ran);
    },
  },
];

/** Drives `meshd acp` with acpx, a client that is not ours, over an agent written from the documentation. */
export async function editorSuite(): Promise<string[]> {
  const agents = await AgentDaemon.start();
  const editor = new Editor(agents);
  try {
    return [
      ...(await runScenarios('ACP 1 in an editor, prompts', prompting(editor))),
      ...(await runScenarios('ACP 1 in an editor, sessions', sessions(editor))),
    ];
  } finally {
    editor.stop();
    await agents.stop();
  }
}
