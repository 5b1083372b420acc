import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Merged, MergePreview } from './contract/work/reviews.js';
import { DaemonProcess, EventFeed } from './testing/processes/daemon-process.js';
import { putFiles, temporaryFolder, temporaryRepository } from './testing/temporary-folder.js';

const AGENT = fileURLToPath(new URL('./testing/stand-ins/scripted-acp-agent.mjs', import.meta.url));

/** Every file and folder at and below `folder`, and its mode. Of those for which `isClosed` holds, only the folder. */
function modesIn(folder: string, isClosed: (path: string) => boolean): [path: string, mode: number][] {
  // A temporary file may be gone by now.
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return [];
  const own: [string, number] = [folder, found.mode & 0o777];
  if (!found.isDirectory() || isClosed(folder)) return [own];
  return [own, ...readdirSync(folder).flatMap((name) => modesIn(join(folder, name), isClosed))];
}

/** A daemon of a user whose umask is `umask`, in whose project an agent has worked and an editor was started. */
async function worked(umask: string) {
  const root = temporaryRepository({ 'a.txt': 'one\n', '.gitignore': '.mesh/\n' });
  const user = temporaryFolder();
  const scenario = join(temporaryFolder(), 'scenario.json');
  writeFileSync(scenario, JSON.stringify({ session: 'kept', steps: [{ touch: 'made.txt' }, { text: 'Made.' }] }));
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'zed'), '#!/bin/sh\numask > "$0.part" && mv "$0.part" "$0.umask"\n', { mode: 0o755 });
  const variables = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: user,
    XDG_STATE_HOME: join(user, 'state'),
    MESHD_ACP_COMMAND: JSON.stringify([process.execPath, AGENT, scenario]),
  };
  const daemon = await DaemonProcess.start(root, variables, ['sh', '-c', `umask ${umask}; exec "$0" "$@"`]);
  onTestFinished(() => daemon.stop());
  const feed = await EventFeed.open(daemon);
  onTestFinished(() => feed.close());
  const { conv } = await daemon.converse({ member: 'developer', client: 'acp', isolation: 'worktree' });
  await feed.untilEnded(await daemon.post(conv, 'Make a file.'));
  const { folder } = await daemon.call<{ folder: string }>('GET', `/conversations/${conv}`);
  await daemon.call('POST', '/project/open', { path: 'a.txt' });
  const editorUmask = await vi.waitFor(() => readFileSync(join(bin, 'zed.umask'), 'utf8').trim());
  return { root, user, daemon, conv, folder, editorUmask };
}

// What an agent, git and an editor make is the user's own.
it.each([
  ['022', 0o644, 0o755],
  ['007', 0o660, 0o770],
])('gives the project’s files, agents and editors the user’s umask %s', async (umask, fileMode, folderMode) => {
  const { root, daemon, conv, folder, editorUmask } = await worked(umask);
  const getMode = (path: string) => statSync(path).mode & 0o777;
  expect(editorUmask).toBe(`0${umask}`);
  const inWorktree = ['a.txt', 'made.txt'].map((name) => getMode(join(folder, name)));
  expect(inWorktree).toEqual([fileMode, fileMode]);
  mkdirSync(join(folder, 'new'));
  putFiles(folder, { 'a.txt': 'two\n', 'new/b.txt': 'b\n' });
  const { into, head } = await daemon.call<MergePreview>('GET', `/conversations/${conv}/merge`);
  await daemon.call<Merged>('POST', `/conversations/${conv}/merge`, { into, head, method: 'squash' });
  const merged = ['a.txt', 'made.txt', 'new/b.txt'].map((name) => getMode(join(root, name)));
  expect([...merged, getMode(join(root, 'new'))]).toEqual([fileMode, fileMode, fileMode, folderMode]);
  const own = ['.mesh/STANDARD_VERSION', '.mesh/.gitignore', '.mesh/team/consultant.md', '.mesh', '.mesh/team'];
  expect(own.map((name) => getMode(join(root, name)))).toEqual([fileMode, fileMode, fileMode, folderMode, folderMode]);
});

it('lets nobody else read its state and its secrets, with a umask that takes nothing away', async () => {
  const { root, user, folder } = await worked('000');
  const places = [join(root, '.mesh/state'), join(root, '.mesh/credentials'), join(user, 'state')];
  // What git writes has the modes that the umask gives. Its check-outs and indexes are in folders closed to others.
  const isOfGit = (path: string) => path === dirname(folder) || path === join(root, '.mesh/state/checkpoints');
  const modes = places.flatMap((place) => modesIn(place, isOfGit));
  const names = modes.map(([path]) => path.replace(`${root}/.mesh/`, ''));
  const closed = [dirname(folder), 'state/checkpoints'];
  for (const name of ['state/mesh.db', 'state/mesh.db-wal', 'state/knowledge.db', 'state/daemon.log', ...closed])
    expect(names).toContain(name);
  const loose = modes.filter(([, mode]) => (mode & 0o077) !== 0);
  expect(loose.map(([path, mode]) => `${mode.toString(8)} ${path}`)).toEqual([]);
});
