import { inState } from '../../private/private-names.js';
import { ensureDirectory } from '../files/atomic-write.js';
import { MarkdownFolder } from './markdown-folder.js';

/**
 * Keeps the text of a member that is removed in the daemon's state folder, durably, under its id and the time. Returns
 * its path, relative to the project.
 */
export async function keepRemovedMember(state: string, id: string, text: string, nowMs: number): Promise<string> {
  const folder = inState(state, 'removed-members');
  await ensureDirectory(folder, 0o700);
  const time = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const name = `${id}-${time}.md`;
  await new MarkdownFolder(folder, [], () => undefined).write(name, text);
  return `.mesh/state/removed-members/${name}`;
}
