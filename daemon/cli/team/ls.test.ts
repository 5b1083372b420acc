import { existsSync, lstatSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectList } from '../../contract/projects.js';
import { entryName } from '../../lib/project-entry.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { beFound, meshdIn } from '../../testing/processes/command-line.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';

const ls = (root: string, variables: Record<string, string>, ...args: string[]) =>
  meshdIn(root, { variables }, 'ls', ...args);

async function aDaemon(state: string): Promise<TestApp> {
  const app = await testApp({ env: { XDG_STATE_HOME: state } });
  ownState(app.root);
  beFound(app);
  await expect.poll(() => existsSync(join(state, 'meshd/projects', entryName(app.root)))).toBe(true);
  return app;
}

describe('meshd ls', () => {
  it('reports that no daemon runs, and needs none', async () => {
    const root = temporaryFolder();
    expect(await ls(root, { HOME: temporaryFolder() })).toEqual({
      exit: 0,
      out: '',
      err: 'No daemon of yours runs: start one in its project with `meshd up`.\n',
    });
    expect(await ls(root, {})).toMatchObject({ exit: 0, out: '' });
    const { exit, out, err } = await ls(root, { HOME: temporaryFolder() }, '--json');
    expect({ exit, err, said: JSON.parse(out) }).toEqual({ exit: 0, err: '', said: { projects: [], count: 0 } });
  });

  it('lists the running daemons, marks that of the current project, and removes a stale entry', async () => {
    const state = temporaryFolder();
    const [lamp, buoy] = [await aDaemon(state), await aDaemon(state)];
    const entries = join(state, 'meshd/projects');
    const root = temporaryFolder();
    // No process has an id this high.
    const dead = {
      name: 'x',
      root,
      address: lamp.address,
      pid: 2 ** 30,
      version: '0',
      started_at: '2026-01-01T00:00:00Z',
    };
    writeFileSync(join(entries, entryName(root)), JSON.stringify(dead), { mode: 0o600 });
    const link = join(entries, `${'a'.repeat(32)}.json`);
    symlinkSync(join(entries, entryName(lamp.root)), link);

    const { exit, out, err } = await ls(lamp.root, { XDG_STATE_HOME: state });
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head).toMatch(/^PROJECT +ADDRESS +PID +UP +VERSION +ROOT$/);
    expect(rows).toHaveLength(2);
    const getName = (app: TestApp) => basename(app.root);
    expect(rows.find((row) => row.startsWith(`${getName(lamp)} * `))).toContain(lamp.address);
    expect(rows.find((row) => row.startsWith(`${getName(buoy)} `))).toMatch(
      new RegExp(`${buoy.address} .* ${buoy.root}$`),
    );
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
    expect(readdirSync(entries).sort()).toEqual([lamp.root, buoy.root].map(entryName).sort());

    const list = JSON.parse((await ls(lamp.root, { XDG_STATE_HOME: state }, '--json')).out) as ProjectList;
    expect(list.count).toBe(2);
    expect(list.projects.find(({ current }) => current)).toMatchObject({
      root: lamp.root,
      address: lamp.address,
      pid: process.pid,
    });
  });
});
