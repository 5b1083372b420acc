import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EventFrame } from '../../contract/events.js';
import type { CheckpointList } from '../../contract/work/changes.js';
import { answers, ScriptedAgent } from '../processes/scripted-agent.js';
import type { SocketClient } from '../processes/socket-client.js';
import { putFiles } from '../temporary-folder.js';
import { postMessage } from './conversing.js';
import type { TestApp } from './test-app.js';

/** Paths and their new text; null removes the file. */
type Edits = Readonly<Record<string, string | null>>;

function putEdits(root: string, edits: Edits): void {
  for (const [path, text] of Object.entries(edits))
    if (text === null) rmSync(join(root, path), { recursive: true, force: true });
    else putFiles(root, { [path]: text });
}

/** An agent whose messages are JSON of the edits that it makes in the folder. */
export const editor = (folder: () => string) =>
  new ScriptedAgent('acp', (turn) => {
    putEdits(folder(), JSON.parse(turn.text) as Edits);
    return answers('Done.');
  });

/** Sends edits as a message and returns the turn once its checkpoint is made. */
export const edit = (app: TestApp, events: SocketClient<EventFrame>, conv: string, edits: Edits): Promise<string> =>
  sayUntilCheckpoint(app, events, conv, JSON.stringify(edits));

/** Sends a message and returns the turn once its checkpoint is made. */
export async function sayUntilCheckpoint(
  app: TestApp,
  events: SocketClient<EventFrame>,
  conv: string,
  text: string,
): Promise<string> {
  const { turn } = await postMessage(app, conv, text);
  await events.until((frame) => frame.type === 'checkpoint.made' && frame.checkpoint === turn);
  return turn;
}

export const listCheckpoints = async (app: TestApp, conv: string) =>
  (await app.call('GET', `/conversations/${conv}/checkpoints`)).body as CheckpointList;
