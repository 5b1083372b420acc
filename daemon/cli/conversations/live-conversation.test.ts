import { describe, expect, it } from 'vitest';
import { conversations, daemon, meshd, Session } from '../../testing/processes/command-line.js';
import { heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { getDaemon } from '../daemon/project.js';
import { LiveConversation } from './live-conversation.js';
import { StreamedText } from './streamed-text.js';

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
    const sockets = (app.daemon.app as unknown as { websocketServer: { clients: Set<{ terminate(): void }> } })
      .websocketServer.clients;
    for (const socket of sockets) socket.terminate();
    agent.finishAll();
    expect(await session.exit).toBe(0);
    expect(session.out).toBe('Thinking. Done.\n');
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
