import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { beFound, PROGRAM, Session } from '../../testing/processes/command-line.js';
import { MCP_REVISIONS, type McpRevision, speaking } from '../../testing/processes/mcp-client.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { temporaryRepository } from '../../testing/temporary-folder.js';

const QUESTION = { text: 'On which port does it listen?' };

/** Starts a daemon for `root` that the command line finds. */
async function getDaemon(root: string, agent: ScriptedAgent): Promise<TestApp> {
  const app = await testApp({ root, clients: [agent], clock: new FakeClock(Date.now()) });
  beFound(app);
  return app;
}

/** An agent that answers `text` when the test releases it. */
function saysWhenHeld(text: string): ScriptedAgent {
  return new ScriptedAgent('acp', async function* (_turn, signal, agent) {
    await agent.held(signal);
    yield* answers(text);
  });
}

/** Connects the official client to the bridge for the consultant. Closed when the test ends. */
async function connect(root: string, revision: McpRevision): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, speaking(revision));
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', 'consultant', '--root', root],
      stderr: 'ignore',
    }),
  );
  return client;
}

function bridge(root: string, member: string): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', member, '--root', root], { stdio: 'pipe' });
  onTestFinished(() => void child.kill());
  return child;
}

async function getOutcome(child: ChildProcess): Promise<{ exit: number | null; out: string; err: string }> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (data) => (out += data));
  child.stderr?.on('data', (data) => (err += data));
  return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, out, err })));
}

describe('meshd mcp <member>', () => {
  it.each(MCP_REVISIONS)(
    'serves the official client in revision %s, and continues after a restart of the daemon',
    async (revision) => {
      const root = temporaryRepository({ 'README.md': '# Lamp\n' });
      const before = saysWhenHeld('Port 8123.');
      const first = await getDaemon(root, before);
      const client = await connect(root, revision);
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      // The client drops progress that arrives in the same tick as the answer, so the answer is held until progress has
      // arrived.
      const ask = async (agent: ScriptedAgent) => {
        const told = await new Promise<{ message: string; answer: Promise<unknown> }>((resolve, reject) => {
          const answer = client.callTool(
            { name: 'ask_consultant', arguments: QUESTION },
            { onprogress: ({ message = '' }) => resolve({ message, answer }) },
          );
          answer.catch(reject);
        });
        expect(told.message).toMatch(/^(Queued|Running)/);
        await agent.untilHeld(1);
        agent.finishAll();
        return told.answer;
      };
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_consultant');
      expect(await ask(before)).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining('Port 8123.') }],
      });
      await first.stop();
      const after = saysWhenHeld('Port 9000.');
      await getDaemon(root, after);
      expect(await ask(after)).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining('Port 9000.') }],
      });
    },
  );

  it.each(MCP_REVISIONS)('cancels in revision %s what its client cancels', async (revision) => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    const app = await getDaemon(root, agent);
    const client = await connect(root, revision);
    const ended = new Promise<void>((resolve) => {
      app.daemon.bus.watch(({ type }) => type === 'team.request.error' && resolve());
    });
    const hanging = new AbortController();
    const call = client.callTool({ name: 'ask_consultant', arguments: QUESTION }, { signal: hanging.signal });
    const refused = expect(call).rejects.toThrow();
    await agent.untilHeld(1);
    hanging.abort();
    await refused;
    await ended;
  });

  it('writes only the protocol to stdout, and exits 0 when its stdin ends', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    await getDaemon(root, new ScriptedAgent('acp', () => answers('Port 8123.')));
    const child = bridge(root, 'consultant');
    const ended = new Promise((resolve) => child.once('close', resolve));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    const next = async () =>
      JSON.parse(String((await lines.next()).value)) as { id: unknown; result?: object; error?: { code: number } };
    const say = (text: string) => child.stdin?.write(`${text}\n`);
    say('this is no message');
    expect(await next()).toMatchObject({ id: null, error: { code: -32700 } });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wire', version: '1' } };
    say('');
    say(JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'initialize', params }));
    expect(await next()).toMatchObject({ id: 'a', result: { protocolVersion: '2025-11-25' } });
    say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    say(JSON.stringify({ jsonrpc: '2.0', id: 'b', method: 'no/such' }));
    expect(await next()).toMatchObject({ id: 'b', error: { code: -32601 } });
    child.stdin?.end();
    expect(await ended).toBe(0);
    expect((await lines.next()).done).toBe(true);
  });

  it('reads a message with line separators and lone carriage returns in it whole', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    await getDaemon(root, new ScriptedAgent('acp', heldAnswer));
    const session = new Session(root, true).start(['mcp', 'consultant']);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wire', version: '1' } };
    const text = JSON.stringify({ jsonrpc: '2.0', id: 'a\u2028b\u2029c', method: 'initialize', params });
    session.stdin.end(`${text.replaceAll(',"', ',\r"')}\r\n`);
    expect(await session.exit).toBe(0);
    expect(
      session.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([{ id: 'a\u2028b\u2029c', result: { protocolVersion: '2025-11-25' } }]);
  });

  it('answers what was asked before its input ended', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    const agent = new ScriptedAgent('acp', heldAnswer);
    await getDaemon(root, agent);
    const child = bridge(root, 'consultant');
    const ended = new Promise((resolve) => child.once('close', resolve));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const said: { id: unknown; result?: object }[] = [];
    lines.on('line', (line) => said.push(JSON.parse(line) as { id: unknown; result?: object }));
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wire', version: '1' } };
    const call = { name: 'ask_consultant', arguments: { text: 'On which port does it listen?' } };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
    ];
    child.stdin?.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    await agent.untilHeld(1);
    agent.finishAll();
    expect(await ended).toBe(0);
    expect(said.filter(({ result }) => result !== undefined).map(({ id }) => id)).toEqual([1, 2]);
  });

  it('reports on stderr and by its exit status when no daemon runs or the member is internal or unknown', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    expect(await getOutcome(bridge(root, 'consultant'))).toEqual({
      exit: 3,
      out: '',
      err: expect.stringContaining('meshd up'),
    });
    await getDaemon(root, new ScriptedAgent('acp', heldAnswer));
    expect(await getOutcome(bridge(root, 'developer'))).toEqual({
      exit: 5,
      out: '',
      err: expect.stringContaining('meshd team expose developer'),
    });
    expect(await getOutcome(bridge(root, 'nobody'))).toMatchObject({ exit: 4, out: '' });
  });
});
