import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Conversation } from '../contract/conversations.js';
import type { Client, Decide, Turn, TurnEvent } from '../features/clients/client.js';
import { FakeClock } from '../testing/fake-clock.js';
import { answers, heldAnswer, ScriptedAgent } from '../testing/scripted-agent.js';
import { SocketClient } from '../testing/socket-client.js';
import { putFiles, temporaryRepository } from '../testing/temporary-folder.js';
import { type TestApp, testApp } from '../testing/test-app.js';
import { complete } from './completion.js';
import { LiveConversation } from './live-conversation.js';
import { createProgram, run } from './program.js';
import { getDaemon } from './project.js';
import { StreamedText } from './streamed-text.js';
import { Terminal } from './terminal.js';

const PROGRAM = fileURLToPath(new URL('../../dist/meshd.js', import.meta.url));
const ENVIRONMENT = { editor: undefined, isColourful: false, hasDisplay: false, command: 'meshd' };

/** A running daemon that the command line finds, whose members run on `clients`, or on the built-in search when there are none. */
async function daemon(...clients: Client[]): Promise<TestApp> {
  const app = await testApp({ clients, clock: new FakeClock(Date.now()) });
  const port = Number(new URL(app.address).port);
  const file = { pid: process.pid, port, address: app.address, secret: app.daemon.secret };
  putFiles(app.root, { '.mesh/state/daemon.json': JSON.stringify(file) });
  chmodSync(join(app.root, '.mesh/state/daemon.json'), 0o600);
  return app;
}

/** A command line at work, what it has said so far, and what is typed into it. */
class Session {
  out = '';
  err = '';
  readonly stdin = new PassThrough();
  exit: Promise<number> = Promise.resolve(-1);
  private wake: () => void = () => undefined;

  constructor(
    readonly root: string,
    isAtTerminal: boolean,
  ) {
    if (isAtTerminal) Object.assign(this.stdin, { isTTY: true });
    else this.stdin.end();
  }

  start(args: readonly string[]): this {
    const into = (name: 'out' | 'err') =>
      new Writable({
        write: (chunk, _encoding, done) => {
          this[name] += String(chunk);
          this.wake();
          done();
        },
      });
    const terminal = new Terminal(into('out'), into('err'), ENVIRONMENT, this.stdin as unknown as Readable);
    this.exit = run([...args, '--root', this.root], terminal, import.meta.url);
    return this;
  }

  type(text: string): void {
    this.stdin.write(text);
  }

  /** Resolves with what follows, once `pattern` has been said after what was waited for before. */
  async until(stream: 'out' | 'err', pattern: RegExp): Promise<void> {
    for (;;) {
      const match = pattern.exec(this[stream].slice(this.seen[stream]));
      if (match) {
        this.seen[stream] += match.index + match[0].length;
        return;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private readonly seen = { out: 0, err: 0 };
}

async function meshd(root: string, ...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  const session = new Session(root, false).start(args);
  const exit = await session.exit;
  return { exit, out: session.out, err: session.err };
}

const atTerminal = (root: string, ...args: string[]) => new Session(root, true).start(args);
const conversations = async (app: TestApp) =>
  ((await app.call('GET', '/conversations')).body as { conversations: Conversation[] }).conversations;

/** Reads a file, asks whether it may write one, and says what came of it. */
async function* asksFirst(_turn: Turn, signal: AbortSignal, _agent: ScriptedAgent, decide: Decide): AsyncIterable<TurnEvent> {
  yield { type: 'text', text: 'Looking. ' };
  yield { type: 'tool', call: { id: 'c1', name: 'Read', target: 'src/dusk.ts', state: 'running' } };
  yield { type: 'tool', call: { id: 'c1', name: 'Read', target: 'src/dusk.ts', state: 'done', ms: 3 } };
  const decision = await decide({ tool: 'Edit', target: 'src/dusk.ts', reason: 'to set the angle' });
  signal.throwIfAborted();
  yield { type: 'text', text: decision };
  yield { type: 'end', citations: [] };
}

describe('talk with a text', () => {
  it('says it once and streams the answer, the built-in search without any key', async () => {
    const app = await daemon();
    await app.untilIndexed();
    const { exit, out, err } = await meshd(app.root, 'talk', 'consultant', 'On which port does it listen?');
    expect([exit, err]).toEqual([0, expect.stringContaining('consultant (builtin')]);
    expect(out).toContain('8123');
    expect(out).toMatch(/^README\.md:\d+-\d+ ✓$/m);
  });

  it('reads stdin when nobody is at the terminal, and answers one object with --json', async () => {
    const agent = new ScriptedAgent('acp', (turn) => answers(`You said ${turn.text}.`));
    const app = await daemon(agent);
    const session = new Session(app.root, true);
    Object.assign(session.stdin, { isTTY: false });
    session.start(['talk', 'developer', '--json', '--effort', 'high']).stdin.end('  well  ');
    expect(await session.exit).toBe(0);
    expect(JSON.parse(session.out)).toMatchObject({
      conv: expect.stringMatching(/^conv-/),
      member: 'developer',
      outcome: 'answered',
      text: 'You said well.',
      effort: 'high',
    });
    expect(session.err).toBe('');
  });

  it('goes on in a named conversation, and in the live one of a singleton', async () => {
    const app = await daemon(new ScriptedAgent('acp', (turn) => answers(`after ${turn.history.length}`)));
    await meshd(app.root, 'talk', 'developer', 'one');
    const [first] = await conversations(app);
    const conv = first?.conv ?? '';
    expect((await meshd(app.root, 'talk', conv, 'two')).out).toBe('after 2\n');
    expect((await meshd(app.root, 'talk', 'developer', '--conv', conv, 'three')).out).toBe('after 4\n');
    expect(await meshd(app.root, 'talk', 'consultant', '--conv', conv, 'four')).toMatchObject({ exit: 2, out: '' });
    await meshd(app.root, 'talk', 'architect-master', 'one');
    expect((await meshd(app.root, 'talk', 'architect-master', 'two')).out).toBe('after 2\n');
    expect((await meshd(app.root, 'talk', 'developer', 'anew')).out).toBe('after 0\n');
    expect(await conversations(app)).toHaveLength(3);
  });

  it('exits 7 with the reason when the turn fails', async () => {
    const app = await daemon(
      // biome-ignore lint/correctness/useYield: it fails before it says anything.
      new ScriptedAgent('acp', async function* () {
        throw new Error('the model is away');
      }),
    );
    const { exit, out, err } = await meshd(app.root, 'talk', 'developer', 'hello');
    expect([exit, out]).toEqual([7, '']);
    expect(err).toContain('failed: The client failed: the model is away (client_failed)');
  });

  it('exits 8 when its time is up: the member’s, or that of --wait, after which the turn goes on', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const waiting = await meshd(app.root, 'talk', 'developer', 'slowly', '--wait', '0');
    expect(waiting).toMatchObject({ exit: 8, err: expect.stringContaining('The turn goes on without you') });
    agent.finishAll();
    const session = new Session(app.root, false).start(['talk', 'developer', 'too slowly']);
    await session.until('out', /Thinking/);
    await agent.untilHeld(2);
    app.clock.advance(24 * 3_600_000);
    expect(await session.exit).toBe(8);
    expect(session.err).toContain('out of time: ');
  });

  it('exits 4 for nobody and 2 for nothing, and leaves no empty conversation', async () => {
    const app = await daemon(new ScriptedAgent('acp', () => answers('x')));
    expect(await meshd(app.root, 'talk', 'nobody', 'hello')).toMatchObject({ exit: 4 });
    expect(await meshd(app.root, 'talk', 'developer', '-')).toMatchObject({ exit: 2 });
    expect(await meshd(app.root, 'talk', 'developer', 'x'.repeat(131_073))).toMatchObject({ exit: 2, out: '' });
    expect(await conversations(app)).toEqual([]);
  });

  it('shows tool calls on stderr, and exits 9 with the line that answers when a question waits for nobody', async () => {
    const app = await daemon(new ScriptedAgent('acp', asksFirst));
    const { exit, out, err } = await meshd(app.root, 'talk', 'developer', 'set it');
    expect([exit, out]).toEqual([9, 'Looking. \n']);
    expect(err).toContain('· Read src/dusk.ts\n');
    expect(err).toContain('? developer asks to use Edit src/dusk.ts\n    to set the angle\n');
    const [, pid = ''] = /meshd inbox allow\|always\|deny (perm-\S+)/.exec(err) ?? [];

    expect(await meshd(app.root, 'inbox', '--check')).toMatchObject({ exit: 9, out: expect.stringContaining(pid) });
    const listed = JSON.parse((await meshd(app.root, 'inbox', '--json')).out);
    expect(listed).toMatchObject({ count: 1, permissions: [{ pid, member: 'developer', tool: 'Edit', target: 'src/dusk.ts' }] });
    expect(await complete(createProgram(silent(), ''), ['inbox', 'deny', ''], async (named) => [named])).toEqual(['permission']);
    const { conv } = listed.permissions[0];
    const follower = new Session(app.root, false).start(['conv', 'say', conv, 'and then?']);
    expect(await follower.exit).toBe(0);
    expect(await meshd(app.root, 'inbox', 'always', pid)).toMatchObject({ exit: 0, out: expect.stringContaining('Allowed from now on') });
    expect(await meshd(app.root, 'inbox', 'deny', pid)).toMatchObject({ exit: 4 });
    // What was allowed always is asked no more.
    expect(await meshd(app.root, 'talk', conv, 'again')).toMatchObject({ exit: 0, out: 'Looking. allow_always\n' });
    expect(await meshd(app.root, 'inbox', '--check')).toEqual({ exit: 0, out: '', err: 'Nothing waits for you.\n' });
  });

  it('asks the person at the terminal, until it is answered there or elsewhere', async () => {
    const app = await daemon(new ScriptedAgent('acp', asksFirst));
    const session = atTerminal(app.root, 'talk', 'developer', 'set it');
    await session.until('err', /\[y\/a\/n\]/);
    session.type('what\r');
    await session.until('err', /\[y\/a\/n\]/);
    session.type('n\r');
    expect(await session.exit).toBe(0);
    expect(session.out).toBe('Looking. deny\n');

    const other = atTerminal(app.root, 'talk', 'developer', 'set it', '--json');
    await other.until('err', /\[y\/a\/n\]/);
    const { permissions } = JSON.parse((await meshd(app.root, 'inbox', '--json')).out);
    await meshd(app.root, 'inbox', 'allow', permissions[0].pid);
    expect(await other.exit).toBe(0);
    expect(JSON.parse(other.out)).toMatchObject({ outcome: 'answered', text: 'Looking. allow_once' });
  });

  it('interrupted, stops the turn and exits 130', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const child = spawn(process.execPath, [PROGRAM, 'talk', 'developer', 'slowly'], { cwd: app.root, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let err = '';
    child.stderr.on('data', (data) => (err += data));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    await agent.untilHeld(1);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(err).toContain('stopped: Stopped by the operator.');
    expect(await conversations(app)).toMatchObject([{ running: null, last_outcome: 'cancelled' }]);
  });
});

describe('talk line by line', () => {
  it('says lines in order, answers questions, stops and quits', async () => {
    const app = await daemon(
      new ScriptedAgent('acp', (turn, signal, agent, decide) =>
        turn.text === 'wait'
          ? heldAnswer(turn, signal, agent)
          : turn.text === 'ask'
            ? asksFirst(turn, signal, agent, decide)
            : answers(`[${turn.text}]`),
      ),
    );
    const session = atTerminal(app.root, 'talk', 'developer');
    await session.until('err', /\/help lists/);
    session.type('one\r//two\rthree\\\rlines\r');
    await session.until('out', /\[one\]\n/);
    await session.until('out', /\[\/two\]\n/);
    await session.until('out', /\[three\nlines\]\n/);
    session.type('ask\r');
    await session.until('err', /\/allow, \/always or \/deny/);
    session.type('/allow\r');
    await session.until('out', /Looking\. allow_once\n/);
    session.type('/allow\r');
    await session.until('err', /No question waits/);
    session.type('/dance\r');
    await session.until('err', /\/dance is none of/);
    session.type('wait\r');
    await session.until('out', /Thinking/);
    session.type('/stop\r');
    await session.until('err', /stopped: Stopped by the operator/);
    session.type('wait\r');
    await session.until('out', /Thinking/);
    session.type('\u0003');
    await session.until('err', /stopped: Stopped by the operator/);
    session.type('\u0003');
    expect(await session.exit).toBe(0);
  });

  it('shows what others say in it, and leaves nothing behind when nothing was said', async () => {
    const app = await daemon(new ScriptedAgent('acp', (turn) => answers(`[${turn.text}]`)));
    const session = atTerminal(app.root, 'talk', 'developer');
    await session.until('err', /\/help lists/);
    const [{ conv } = { conv: '' }] = await conversations(app);
    await meshd(app.root, 'conversations', 'say', conv, 'from elsewhere');
    await session.until('err', /» from elsewhere/);
    await session.until('out', /\[from elsewhere\]/);
    session.type('/quit\r');
    expect(await session.exit).toBe(0);
    const idle = atTerminal(app.root, 'talk', 'developer');
    await idle.until('err', /\/help lists/);
    idle.type('\u0004');
    expect(await idle.exit).toBe(0);
    expect(await conversations(app)).toHaveLength(1);
  });
});

describe('the built program', () => {
  it('talks to its own daemon through a pipe', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n\nThe keeper trims the lamp every four hours.\n' });
    const start = (...args: string[]) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: root, stdio: 'pipe' });
      let out = '';
      child.stdout.on('data', (data) => (out += data));
      return { child, ended: new Promise<[number | null, string]>((resolve) => child.once('close', (exit) => resolve([exit, out]))) };
    };
    onTestFinished(async () => void (await start('down').ended));
    expect((await start('up', '--port', '0').ended)[0]).toBe(0);
    const { child, ended } = start('talk', 'consultant');
    child.stdin.end('How often is the lamp trimmed?\n');
    const [exit, out] = await ended;
    expect(exit).toBe(0);
    expect(out).toContain('every four hours');
    expect((await start('conv', 'ls').ended)[1]).toMatch(/consultant +answered +How often is the lamp trimmed\?/);
  });
});

describe('a live conversation', () => {
  it('tells what ran before it was opened, and each thing once', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    await meshd(app.root, 'talk', 'developer', 'slowly', '--wait', '0');
    await agent.untilHeld(1);
    const [{ conv } = { conv: '' }] = await conversations(app);
    const { client } = await getDaemon(app.root);
    const live = await LiveConversation.open(app.root, client, conv);
    const told: string[] = [];
    agent.finishAll();
    for await (const moment of live.moments()) {
      told.push(moment.kind === 'text' ? moment.text : moment.kind);
      if (moment.kind === 'ended') live.close();
    }
    expect(told).toEqual(['Thinking. ', 'Done.', 'ended']);
  });

  it('goes on where the line to the daemon broke', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const session = new Session(app.root, false).start(['talk', 'developer', 'slowly']);
    await session.until('out', /Thinking\. /);
    const sockets = (app.daemon.app as unknown as { websocketServer: { clients: Set<{ terminate(): void }> } }).websocketServer.clients;
    for (const socket of sockets) socket.terminate();
    agent.finishAll();
    expect(await session.exit).toBe(0);
    expect(session.out).toBe('Thinking. Done.\n');
  });

  it('ends with exit 3 when the daemon stops', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const session = new Session(app.root, false).start(['talk', 'developer', 'slowly']);
    await session.until('out', /Thinking\. /);
    await app.stop();
    expect(await session.exit).toBe(3);
  });

  it('is shown without half characters or what a terminal would obey', () => {
    const text = new StreamedText();
    expect(['a\r', '\nb\ud83d', '\ude00\u001b]0;', 'x\r'].map((piece) => text.take(piece))).toEqual(['a', '\nb', '😀�]0;', 'x']);
    expect(text.end()).toBe('�');
  });
});

const silent = () => {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Terminal(nowhere, nowhere, ENVIRONMENT, Readable.from([]));
};

describe('conversations', () => {
  it('are listed, searched, shown, exported, put away, brought back and removed', async () => {
    const app = await daemon(new ScriptedAgent('acp', (turn) => answers(`Said: ${turn.text}`)));
    await meshd(app.root, 'talk', 'developer', 'the lamp');
    await meshd(app.root, 'talk', 'consultant', 'the harbour');
    const listed = await meshd(app.root, 'conv', 'ls', '--jsonl');
    const [newest, oldest] = listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Conversation);
    expect([newest?.member, oldest?.member]).toEqual(['consultant', 'developer']);
    expect((await meshd(app.root, 'conversations', 'ls', '--member', 'developer')).out).toMatch(
      /conv-\S+ .* developer +answered +the lamp\n/,
    );
    expect(JSON.parse((await meshd(app.root, 'conversations', 'ls', '--search', 'harbour', '--json')).out)).toMatchObject({ count: 1 });

    const conv = oldest?.conv ?? '';
    const shown = await meshd(app.root, 'conversations', 'show', conv);
    expect(shown.out).toMatch(/\nYou, .* UTC\nthe lamp\n\ndeveloper, .* UTC\nSaid: the lamp\n$/);
    expect((await meshd(app.root, 'conversations', 'export', conv)).out).toMatch(/^# the lamp\n/);
    const lines = (await meshd(app.root, 'conversations', 'export', conv, '--format', 'jsonl')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).role)).toEqual(['user', 'assistant']);
    expect(await meshd(app.root, 'conversations', 'export', 'conv-none')).toMatchObject({ exit: 4, out: '' });

    expect(await meshd(app.root, 'conversations', 'archive', conv)).toMatchObject({ exit: 0, out: `Archived ${conv}, "the lamp".\n` });
    expect(JSON.parse((await meshd(app.root, 'conversations', 'ls', '--archived', '--json')).out)).toMatchObject({
      conversations: [{ conv }],
    });
    expect(await meshd(app.root, 'conversations', 'unarchive', conv)).toMatchObject({ exit: 0 });

    expect(await meshd(app.root, 'conversations', 'rm', conv)).toMatchObject({ exit: 2, err: expect.stringContaining('--yes') });
    const asked = atTerminal(app.root, 'conversations', 'rm', conv);
    await asked.until('err', /with its 2 messages\? \[y\/N\]/);
    asked.type('\r');
    expect(await asked.exit).toBe(1);
    expect(await meshd(app.root, 'conversations', 'rm', conv, '--yes')).toMatchObject({ exit: 0, out: `Removed ${conv}.\n` });
    expect(await meshd(app.root, 'conversations', 'show', conv)).toMatchObject({ exit: 4 });
  });
});

describe('the inbox', () => {
  it('holds failed requests of the day and broken members', async () => {
    const app = await daemon(
      new ScriptedAgent('acp', () => {
        throw new Error('the model is away');
      }),
    );
    expect(await meshd(app.root, 'ask', 'consultant', 'Why?')).toMatchObject({ exit: 7 });
    const events = new SocketClient(`${app.address.replace('http', 'ws')}/events`);
    await events.next();
    writeFileSync(join(app.root, '.mesh/team/developer.md'), '---\nname: [Dev\n---\nYou write code.\n');
    await events.until(({ type }) => type === 'team.broken');
    const { exit, out } = await meshd(app.root, 'inbox', '--check');
    expect(exit).toBe(9);
    expect(out).toMatch(/^req-\S+ .* consultant +The client failed: the model is away/m);
    expect(out).toMatch(/^developer +\.mesh\/team\/developer\.md:\d+:\d+ /m);
    const kinds = (await meshd(app.root, 'inbox', '--jsonl')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(kinds).toEqual(['failed_request', 'broken_member']);
  });
});

describe('the roadmap', () => {
  it('is listed, changed in the file, run and stopped', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const path = join(app.root, '.mesh/roadmap.md');
    expect((await meshd(app.root, 'roadmap', 'ls')).err).toContain('No tasks');
    writeFileSync(path, '# Plan\n\n- [ ] angle: set the angle @developer\n- [ ] docs: say so\n');
    expect(await meshd(app.root, 'roadmap', 'set', 'docs')).toMatchObject({ exit: 2 });
    expect(await meshd(app.root, 'roadmap', 'set', 'none', '--state', 'done')).toMatchObject({ exit: 4 });
    await meshd(app.root, 'roadmap', 'set', 'docs', '--state', 'blocked', '--reason', 'waits for the angle', '--member', 'consultant');
    expect(readFileSync(path, 'utf8')).toContain('- [-] docs: say so @consultant\n  reason: waits for the angle\n');
    expect(await meshd(app.root, 'roadmap', 'set', 'docs', '--no-member', '--json')).toMatchObject({ exit: 0 });

    expect((await meshd(app.root, 'roadmap', 'run', '--limit', '2')).out).toBe('Handing out, 2 at once. In hand: angle.\n');
    expect((await meshd(app.root, 'roadmap', 'ls')).out).toMatch(/^angle +running +developer +conv-\S+ +set the angle\ndocs +blocked/m);
    expect((await meshd(app.root, 'roadmap', 'stop')).out).toContain('In hand: angle.');
    expect(await meshd(app.root, 'roadmap', 'run', '--limit', '9')).toMatchObject({ exit: 2 });
  });
});
