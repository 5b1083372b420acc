import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../contract/conversations.js';
import { atTerminal, conversations, daemon, meshd } from '../../testing/processes/command-line.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

describe('conversations', () => {
  it('are listed, searched, shown, exported, archived, restored and removed', async () => {
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
    expect(
      JSON.parse((await meshd(app.root, 'conversations', 'ls', '--search', 'harbour', '--json')).out),
    ).toMatchObject({ count: 1 });

    const conv = oldest?.conv ?? '';
    const shown = await meshd(app.root, 'conversations', 'show', conv);
    expect(shown.out).toMatch(/\nYou, .* UTC\nthe lamp\n\ndeveloper, .* UTC\nSaid: the lamp\n$/);
    expect((await meshd(app.root, 'conversations', 'export', conv)).out).toMatch(/^# the lamp\n/);
    const lines = (await meshd(app.root, 'conversations', 'export', conv, '--format', 'jsonl')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).role)).toEqual(['user', 'assistant']);
    expect(await meshd(app.root, 'conversations', 'export', 'conv-none')).toMatchObject({ exit: 4, out: '' });

    expect(await meshd(app.root, 'conversations', 'archive', conv)).toMatchObject({
      exit: 0,
      out: `Archived ${conv}, "the lamp".\n`,
    });
    expect(JSON.parse((await meshd(app.root, 'conversations', 'ls', '--archived', '--json')).out)).toMatchObject({
      conversations: [{ conv }],
    });
    expect(await meshd(app.root, 'conversations', 'unarchive', conv)).toMatchObject({ exit: 0 });

    expect(await meshd(app.root, 'conversations', 'rm', conv)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--yes'),
    });
    const asked = atTerminal(app.root, 'conversations', 'rm', conv);
    await asked.until('err', /with its 2 messages\? \[y\/N\]/);
    asked.type('\r');
    expect(await asked.exit).toBe(1);
    expect(await meshd(app.root, 'conversations', 'rm', conv, '--yes')).toMatchObject({
      exit: 0,
      out: `Removed ${conv}.\n`,
    });
    expect(await meshd(app.root, 'conversations', 'show', conv)).toMatchObject({ exit: 4 });
  });

  it('drop queued messages, one or all, while the running turn continues', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    await meshd(app.root, 'talk', 'developer', 'one', '--wait', '0');
    await agent.untilHeld(1);
    const [{ conv, running } = { conv: '', running: '' }] = await conversations(app);
    const saying = async (text: string) =>
      JSON.parse((await meshd(app.root, 'conv', 'say', conv, text, '--json')).out) as { turn: string };
    const two = await saying('two');
    for (const text of ['three', 'four']) await saying(text);
    expect(await meshd(app.root, 'conv', 'drop', conv, two.turn)).toMatchObject({
      exit: 0,
      out: `Dropped ${two.turn}.\n`,
    });
    expect(await meshd(app.root, 'conv', 'drop', conv, two.turn)).toMatchObject({
      exit: 6,
      err: expect.stringContaining('nothing of it waits'),
    });
    expect(await meshd(app.root, 'conv', 'drop', conv, String(running))).toMatchObject({
      exit: 6,
      err: expect.stringContaining('It runs already'),
    });
    expect(JSON.parse((await meshd(app.root, 'conv', 'drop', conv, '--json')).out)).toMatchObject({ conv, count: 2 });
    expect((await meshd(app.root, 'conv', 'drop', conv)).out).toBe('Dropped 0 messages from the queue.\n');
    expect(await meshd(app.root, 'conv', 'drop', 'conv-none')).toMatchObject({ exit: 4 });
    expect(await conversations(app)).toMatchObject([{ running, queued: 0 }]);
  });
});
