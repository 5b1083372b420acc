import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { SocketClient } from '../../testing/processes/socket-client.js';

describe('the inbox', () => {
  it('lists failed requests of the last day and broken members', async () => {
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
