import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryName } from '../../lib/project-entry.js';
import { meshdIn } from '../../testing/processes/command-line.js';
import { standIn } from '../../testing/processes/daemon-stand-in.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { findProjectRoot } from '../team/member-place.js';
import { listRunningProjects } from './running-projects.js';

const MAX_BYTES = 65_536;

/** A folder of entries, to which daemons of projects can be added. */
function aState() {
  const state = temporaryFolder();
  const folder = join(state, 'meshd/projects');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    variables: { XDG_STATE_HOME: state },
    /** Adds the daemon of a project called `name`, whose entry has `bytes` and `mode`. Returns its root and entry. */
    async add(name: string, { bytes = 0, mode = 0o600 } = {}): Promise<{ root: string; entry: string }> {
      const started = '2026-11-29T10:00:00.000Z';
      const root = await standIn(() => ({}), { project: name, version: '1.0.0', started_at: started });
      const text = JSON.stringify({ root, pid: process.pid, address: 'http://127.0.0.1:9', name });
      const entry = join(folder, entryName(root));
      writeFileSync(entry, text.padEnd(bytes), { mode: 0o600 });
      chmodSync(entry, mode);
      return { root, entry };
    },
  };
}

describe('the running projects', () => {
  it.each([
    ['of the user alone', {}, true],
    ['as long as it may be', { bytes: MAX_BYTES }, true],
    ['longer', { bytes: MAX_BYTES + 1 }, false],
    ['that others can read', { mode: 0o644 }, false],
    ['that the group can write', { mode: 0o620 }, false],
  ])('are read from an entry %s: %j is %s', async (_which, shape, isRead) => {
    const { variables, add } = aState();
    const { root, entry } = await add('lamp', shape);
    expect((await listRunningProjects(variables, root)).map((one) => one.root)).toEqual(isRead ? [root] : []);
    expect(existsSync(entry)).toBe(isRead);
  });

  it('are ordered by name, then by root, whatever their entries are called', async () => {
    const { variables, add } = aState();
    const roots = new Map<string, string[]>();
    for (const name of ['pier', 'lamp', 'Buoy', 'lamp', 'anchor', 'lamp', 'äther'])
      roots.set(name, [...(roots.get(name) ?? []), (await add(name)).root]);
    const listed = (await listRunningProjects(variables, '/')).map(({ name, root }) => [name, root]);
    const byRoot = (name: string) => [...(roots.get(name) ?? [])].sort((a, b) => a.localeCompare(b, 'en'));
    expect(listed).toEqual(
      ['anchor', 'äther', 'Buoy', 'lamp', 'pier'].flatMap((name) => byRoot(name).map((root) => [name, root])),
    );
  });

  it('are found by a name that one of them has; of several with the name none is chosen', async () => {
    const { variables, add } = aState();
    const { root } = await add('pier');
    const lamps = [(await add('lamp')).root, (await add('lamp')).root];
    expect(await findProjectRoot('pier', root, variables)).toBe(root);
    const asked = await meshdIn(root, { variables }, 'ask', 'lamp/consultant', 'Is it dark?');
    expect(asked).toMatchObject({ exit: 6, out: '' });
    for (const lamp of lamps) expect(asked.err).toContain(lamp);
  });
});
