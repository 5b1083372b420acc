import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Conversation, MessageAccepted } from '../daemon/contract/conversations.js';
import type { CheckpointList } from '../daemon/contract/work/changes.js';
import { expect, type Project } from './fixtures.js';
import type { ScriptedAgent } from './scripted-agent.js';

let turns = 0;

/**
 * Has a turn run up to the moment at which its agent works, and changes files where its conversation works. `end` lets
 * the turn end and resolves once its checkpoint is made.
 */
export async function beginChange(
  project: Project,
  agent: ScriptedAgent,
  conv: string,
  work: (folder: string) => void,
): Promise<{ end: () => Promise<void> }> {
  turns += 1;
  const name = `changed-${turns}`;
  const gate = agent.gate(name);
  const began = `${gate['until']}-began`;
  agent.plays({ touch: began }, gate, { text: 'Changed.' });
  const { turn } = await project.api<MessageAccepted>('POST', `/conversations/${conv}/messages`, { text: 'Change it' });
  await expect.poll(() => existsSync(began)).toBe(true);
  work((await project.api<Conversation>('GET', `/conversations/${conv}`)).folder);
  const listTurns = async () =>
    (await project.api<CheckpointList>('GET', `/conversations/${conv}/checkpoints`)).checkpoints.map((one) => one.turn);
  return {
    async end() {
      agent.open(name);
      await expect.poll(listTurns).toContain(turn);
    },
  };
}

/** Has a turn write files where its conversation works, and resolves once its checkpoint is made. */
export async function change(
  project: Project,
  agent: ScriptedAgent,
  conv: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { end } = await beginChange(project, agent, conv, (folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  });
  await end();
}
