import { describe, expect, it, onTestFinished } from 'vitest';
import { EVENT_RING } from '../../contract/limits.js';
import { begin, postMessage } from '../../testing/apps/conversing.js';
import type { TestApp } from '../../testing/apps/test-app.js';
import { conversations, daemon, meshd, Session } from '../../testing/processes/command-line.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { LiveConversation } from './live-conversation.js';
import { StreamedText } from './streamed-text.js';

/** Breaks every connection for events. */
function cutSockets(app: TestApp): void {
  const { websocketServer } = app.daemon.app as unknown as { websocketServer: { clients: Set<{ terminate(): void }> } };
  for (const socket of websocketServer.clients) socket.terminate();
}

describe('a live conversation', () => {
  it('reports a turn that was running before it was opened, and each change once', async () => {
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

  it('resumes after the connection to the daemon breaks', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const session = new Session(app.root, false).start(['talk', 'developer', 'slowly']);
    await session.until('out', /Thinking\. /);
    cutSockets(app);
    agent.finishAll();
    expect(await session.exit).toBe(0);
    expect(session.out).toBe('Thinking. Done.\n');
  });

  it.each([
    ['one is answered', (pid: string) => `permissions/${pid}`, { decision: 'allow_once' }, [], ['b.ts']],
    ['the turn is cancelled', () => 'cancel', {}, ['decided b.ts', 'ended'], []],
  ])(
    'reports questions that end while the connection is broken and the events are lost: %s',
    async (_how, path, body, also, left) => {
      const agent = new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
        await Promise.all(['a.ts', 'b.ts'].map((target) => decide({ tool: 'Edit', target, reason: '' })));
        yield { type: 'end', citations: [] };
      });
      const app = await daemon(agent);
      const { conv } = await begin(app);
      const live = await LiveConversation.open(app.root, (await getDaemon(app.root)).client, conv);
      onTestFinished(() => live.close());
      await postMessage(app, conv, 'Set both.');
      const told: string[] = [];
      for await (const moment of live.moments()) {
        if (moment.kind === 'said') continue;
        told.push('permission' in moment ? `${moment.kind} ${moment.permission.target}` : moment.kind);
        if (told.length === 2) {
          const [first] = live.waiting;
          cutSockets(app);
          const { status } = await app.call('POST', `/conversations/${conv}/${path(first?.pid ?? '')}`, body);
          expect(status).toBe(200);
          for (let sent = 0; sent <= EVENT_RING; sent += 1) app.publish('team.updated', { id: 'developer' });
        }
        if (told.length === 3 + also.length) break;
      }
      expect(told).toEqual(['question a.ts', 'question b.ts', 'decided a.ts', ...also]);
      expect(live.waiting.map(({ target }) => target)).toEqual(left);
    },
  );

  it.each([
    ['comes back', 10_000, 'ended'],
    ['does not come back in time', 0, 'unreachable'],
  ])('reads the end of a turn from a daemon that is gone just then and %s', async (_how, patienceMs, outcome) => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const { conv } = await begin(app);
    const { client } = await getDaemon(app.root);
    let isGone = false;
    const once = Object.create(client) as typeof client;
    once.get = (...call) =>
      isGone
        ? Promise.reject(new CommandError(EXIT.unreachable, 'Nothing listens.', 'unreachable'))
        : client.get(...call);
    const live = await LiveConversation.open(app.root, once, conv, patienceMs);
    onTestFinished(() => live.close());
    await postMessage(app, conv, 'slowly');
    await agent.untilHeld(1);
    isGone = true;
    agent.finishAll();
    const follow = async () => {
      for await (const { kind } of live.moments()) if (kind === 'ended') return kind;
      return undefined;
    };
    expect(await follow().catch(({ code }: CommandError) => code)).toBe(outcome);
  });

  it('exits 3 when the daemon stops', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const session = new Session(app.root, false).start(['talk', 'developer', 'slowly']);
    await session.until('out', /Thinking\. /);
    await app.stop();
    expect(await session.exit).toBe(3);
  });

  it('is shown without split characters and control sequences', () => {
    const text = new StreamedText();
    expect(['a\r', '\nb\ud83d', '\ude00\u001b]0;', 'x\r'].map((piece) => text.take(piece))).toEqual([
      'a',
      '\nb',
      '😀\\x1b]0;',
      'x',
    ]);
    expect(text.end()).toBe('\\x0d');
  });
});
