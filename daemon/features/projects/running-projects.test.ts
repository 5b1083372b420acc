import { createHmac } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DaemonFile } from '../../contract/daemon-file.js';
import type { ProjectList } from '../../contract/projects.js';
import { entryName, type ProjectEntry } from '../../lib/project-entry.js';
import { ProjectEntries, readForeignDaemonFile } from '../../storage/project-entries.js';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { askHealth, type HealthAnswer } from './ask-health.js';
import { RunningProjects } from './running-projects.js';

const STARTED = '2026-11-21T08:00:00.000Z';
const ownUid = process.getuid?.();

/** A loopback listener that records its requests. */
async function aListener(answer: RequestListener): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Writes the daemon file of a project, as the daemon process does. */
function leaveWord(root: string, file: { address: string; secret: string }, mode = 0o600): void {
  putFiles(root, { '.mesh/state/daemon.json': JSON.stringify({ pid: process.pid, ...file }) });
  chmodSync(join(root, '.mesh/state/daemon.json'), mode);
}

function leaveEntry(folder: string, entry: Partial<ProjectEntry> & { root: string }): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, entryName(entry.root));
  const whole = {
    name: 'x',
    address: 'http://127.0.0.1:9',
    pid: process.pid,
    version: '0',
    started_at: STARTED,
    ...entry,
  };
  writeFileSync(path, JSON.stringify(whole), { mode: 0o600 });
  return path;
}

/** The projects of a user as seen by one of their daemons, which listens and proves its identity. */
async function aProject(
  folder: string,
): Promise<{ running: RunningProjects; root: string; address: string; path: string }> {
  const root = temporaryFolder();
  const secret = `secret of ${root}`;
  const { address } = await aListener((request, response) => {
    const nonce = new URL(request.url ?? '', 'http://x').searchParams.get('nonce') ?? '';
    const proof = createHmac('sha256', secret).update(nonce).digest('hex');
    response.end(JSON.stringify({ project: basename(root), version: '1', started_at: STARTED, proof }));
  });
  leaveWord(root, { address, secret });
  const running = new RunningProjects({
    entries: new ProjectEntries(folder, ownUid),
    own: () => ({ name: basename(root), root, address, pid: process.pid, version: '1', started_at: STARTED }),
    readDaemonFile: (one) => readForeignDaemonFile(one, ownUid),
    findCommand: async () => ['meshd'],
    askHealth,
    warn: () => undefined,
  });
  await running.announce();
  return { running, root, address, path: join(folder, entryName(root)) };
}

const entriesFolder = () => join(temporaryFolder(), 'meshd/projects');
const roots = async ({ running }: { running: RunningProjects }) =>
  (await running.list()).projects.map(({ root }) => root).sort();

describe('Daemons of one user', () => {
  it('list each other by name and address, and which one is the current', async () => {
    const folder = entriesFolder();
    const [lamp, buoy] = [await aProject(folder), await aProject(folder)];
    const { projects, count } = await lamp.running.list();
    expect(count).toBe(2);
    expect(projects.find(({ root }) => root === buoy.root)).toEqual({
      name: basename(buoy.root),
      root: buoy.root,
      address: buoy.address,
      pid: process.pid,
      version: '1',
      started_at: STARTED,
      current: false,
    });
    expect(projects.filter(({ current }) => current).map(({ root }) => root)).toEqual([lamp.root]);
    const names = projects.map(({ name }) => name);
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
  });

  it('rewrite a lost entry, but not after they have stopped', async () => {
    const lamp = await aProject(entriesFolder());
    writeFileSync(lamp.path, 'torn');
    expect(await roots(lamp)).toEqual([lamp.root]);
    expect(JSON.parse(readFileSync(lamp.path, 'utf8'))).toMatchObject({ root: lamp.root, address: lamp.address });
    lamp.running.withdraw();
    expect(await roots(lamp)).toEqual([lamp.root]);
    expect(existsSync(lamp.path)).toBe(false);
  });

  it('write an entry without secrets that only their user can read, and remove it when they stop', async () => {
    const state = temporaryFolder();
    const app = await testApp({ env: { XDG_STATE_HOME: state } });
    const folder = join(state, 'meshd/projects');
    const path = join(folder, entryName(app.root));
    await expect.poll(() => existsSync(path)).toBe(true);
    const getMode = (one: string) => lstatSync(one).mode & 0o777;
    expect([getMode(folder), getMode(path)]).toEqual([0o700, 0o600]);
    expect(readFileSync(path, 'utf8')).not.toContain(app.daemon.secret);
    const { projects } = (await app.call('GET', '/projects')).body as ProjectList;
    expect(projects).toEqual([expect.objectContaining({ root: app.root, address: app.address, current: true })]);
    await app.stop();
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('the description of the API tells what these requests do, and who may make them', async () => {
  expect(await describedOperations(await testApp(), /^\/projects/)).toEqual({
    'GET /projects': 'system, operator, 200 ProjectList, Daemons of this user that run now, this one among them',
    'POST /projects/search':
      'system, operator, 200 FoundElsewhere, Search the exposed members of the other running projects of this user',
  });
});

describe('Stale project entry', () => {
  it('is removed when its project was deleted or its daemon was killed', async () => {
    const folder = entriesFolder();
    const lamp = await aProject(folder);
    const killed = temporaryFolder();
    leaveWord(killed, { address: 'http://127.0.0.1:9', secret: 'hush' });
    const stale = [leaveEntry(folder, { root: temporaryFolder() }), leaveEntry(folder, { root: killed })];
    expect(await roots(lamp)).toEqual([lamp.root]);
    expect(stale.filter(existsSync)).toEqual([]);
  });

  it('is removed when another program has its pid and port, which receives nothing but a nonce', async () => {
    const folder = entriesFolder();
    const lamp = await aProject(folder);
    const root = temporaryFolder();
    const squatter = await aListener((_request, response) => response.end('{"ok":true,"project":"bank","proof":"00"}'));
    leaveWord(root, { address: squatter.address, secret: 'hush' });
    const path = leaveEntry(folder, { root, address: squatter.address });
    expect(await roots(lamp)).toEqual([lamp.root]);
    expect(existsSync(path)).toBe(false);
    expect(squatter.asked).toHaveLength(1);
    expect(squatter.asked[0]).toMatch(/^GET \/health\?nonce=[\w-]{22} /);
    expect(squatter.asked[0]).not.toContain('hush');
  });

  it('is not contacted when the daemon file could come from a repository', async () => {
    const folder = entriesFolder();
    const lamp = await aProject(folder);
    const root = temporaryFolder();
    const squatter = await aListener((_request, response) => response.end('{}'));
    leaveWord(root, { address: squatter.address, secret: 'hush' }, 0o644);
    leaveEntry(folder, { root, address: squatter.address });
    expect(await roots(lamp)).toEqual([lamp.root]);
    expect(squatter.asked).toEqual([]);
  });

  it('is removed when it is a link, names another machine, or does not match its project', async () => {
    const folder = entriesFolder();
    const lamp = await aProject(folder);
    const canary = join(temporaryFolder({ canary: 'stays' }), 'canary');
    const link = join(folder, `${'a'.repeat(32)}.json`);
    symlinkSync(canary, link);
    const far = leaveEntry(folder, { root: temporaryFolder(), address: 'http://192.0.2.1:80' });
    const misnamed = join(folder, `${'b'.repeat(32)}.json`);
    writeFileSync(misnamed, readFileSync(lamp.path), { mode: 0o600 });
    const readable = leaveEntry(folder, { root: temporaryFolder() });
    chmodSync(readable, 0o644);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    expect(await roots(lamp)).toEqual([lamp.root]);
    expect([link, far, misnamed, readable].filter((path) => lstatSync(path, { throwIfNoEntry: false }))).toEqual([]);
    expect(readFileSync(canary, 'utf8')).toBe('stays');
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('is kept while its daemon accepts the request but is too busy to respond', async () => {
    const folder = entriesFolder();
    const lamp = await aProject(folder);
    const root = temporaryFolder();
    const busy = await aListener(() => undefined);
    leaveWord(root, { address: busy.address, secret: 'hush' });
    const path = leaveEntry(folder, { root, address: busy.address });
    expect(await roots(lamp)).toEqual([lamp.root]);
    expect(busy.asked).toHaveLength(1);
    expect(existsSync(path)).toBe(true);
  });

  it('is ignored when another user owns the folder or the folder is a link', async () => {
    const folder = entriesFolder();
    const lamp = await aProject(folder);
    const link = join(temporaryFolder(), 'projects');
    symlinkSync(folder, link);
    expect(await new ProjectEntries(link, ownUid).list()).toEqual([]);
    expect(await new ProjectEntries(folder, (ownUid ?? 0) + 1).list()).toEqual([]);
    expect(existsSync(lamp.path)).toBe(true);
  });
});

describe('The list of projects', () => {
  const PROOF = 'proof';
  const SECRET = 'hush';
  const entry = (root: string, more: Partial<ProjectEntry> = {}): ProjectEntry => ({
    ...{ name: basename(root), root, address: 'http://127.0.0.1:9', pid: 1, version: '1', started_at: STARTED },
    ...more,
  });
  const prove = (nonce: string) => createHmac('sha256', SECRET).update(nonce).digest('hex');

  /** A daemon of `/work/lamp` among `entries`, whose daemons answer with what `answers` has for their root. */
  function aDaemon(
    entries: ProjectEntry[] | undefined,
    answers: Record<string, (nonce: string) => HealthAnswer | undefined> = {},
    write: () => Promise<void> = async () => undefined,
  ) {
    const calls: string[] = [];
    const own = entry('/work/lamp');
    const running = new RunningProjects({
      entries: entries && {
        write: ({ root }) => {
          calls.push(`write ${root}`);
          return write();
        },
        remove: (root) => void calls.push(`remove ${root}`),
        list: async () => entries,
        sweep: async ({ root }) => {
          calls.push(`sweep ${root}`);
        },
      },
      own: () => own,
      readDaemonFile: async (root) => answers[root] && ({ pid: 2, address: root, secret: SECRET } as DaemonFile),
      findCommand: async () => ['npx', 'meshd'],
      askHealth: async (root, nonce) => answers[root]?.(nonce) ?? 'gone',
      warn: (message) => void calls.push(message),
    });
    return { running, own, calls };
  }

  it('has this daemon alone for a user without a home directory', async () => {
    const { running, own, calls } = aDaemon(undefined);
    expect(await running.list()).toEqual({
      ...{ projects: [{ ...own, current: true }], count: 1, command: ['npx', 'meshd'] },
    });
    running.withdraw();
    expect(calls).toEqual([]);
  });

  it('is in the order of the names, and of the folders where names are the same', async () => {
    const roots = ['/work/b/zoo', '/work/Ant', '/work/a/zoo', '/work/öl', '/work/ox'];
    const answers = Object.fromEntries(roots.map((root) => [root, (nonce: string) => ({ proof: prove(nonce) })]));
    const { running } = aDaemon([entry('/work/lamp'), ...roots.map((root) => entry(root))], answers);
    expect((await running.list()).projects.map(({ root }) => root)).toEqual([
      ...['/work/Ant', '/work/lamp', '/work/öl', '/work/ox', '/work/a/zoo', '/work/b/zoo'],
    ]);
  });

  it('shows of a daemon what it says of itself, else what its entry says', async () => {
    const other = entry('/work/buoy', { version: '1' });
    let health: HealthAnswer = {};
    const { running, calls } = aDaemon([entry('/work/lamp'), other], {
      '/work/buoy': (nonce) => ({ ...(health as object), proof: prove(nonce) }),
    });
    const known = { ...other, address: '/work/buoy', pid: 2, current: false };
    expect(await running.listOthers()).toEqual([{ project: known, secret: SECRET }]);
    health = { project: 'Buoy', version: '2', started_at: '2027-01-01T00:00:00.000Z' };
    expect((await running.listOthers()).map(({ project }) => project)).toEqual([
      { ...known, name: 'Buoy', version: '2', started_at: '2027-01-01T00:00:00.000Z' },
    ]);
    expect(calls).toEqual([]);
  });

  it('asks each daemon with a nonce of its own', async () => {
    const nonces: string[] = [];
    const note = (nonce: string) => {
      nonces.push(nonce);
      return undefined;
    };
    const { running } = aDaemon([entry('/work/a'), entry('/work/b')], { '/work/a': note, '/work/b': note });
    await running.listOthers();
    expect(new Set(nonces).size).toBe(2);
    for (const nonce of nonces) expect(nonce).toMatch(/^[\w-]{22}$/);
  });

  it.each<[string, (nonce: string) => HealthAnswer | undefined, boolean]>([
    ['gone', () => 'gone', true],
    ['silent', () => 'silent', false],
    ['without a proof', () => ({}), true],
    ['with another proof', () => ({ proof: PROOF }), true],
    ['with the proof of another nonce', () => ({ proof: prove('another') }), true],
  ])('leaves out one that is %s', async (_title, answer, isSwept) => {
    const { running, calls } = aDaemon([entry('/work/lamp'), entry('/work/buoy')], { '/work/buoy': answer });
    expect(await running.listOthers()).toEqual([]);
    expect(calls).toEqual(isSwept ? ['sweep /work/buoy'] : []);
  });

  it('sweeps the entry of a project without a daemon file, and asks nobody', async () => {
    const { running, calls } = aDaemon([entry('/work/lamp'), entry('/work/buoy')]);
    expect(await running.listOthers()).toEqual([]);
    expect(calls).toEqual(['sweep /work/buoy']);
  });

  it('repeats its own entry when it is missing or from an earlier start, and not otherwise', async () => {
    for (const entries of [[], [entry('/work/lamp', { started_at: '2025-01-01T00:00:00.000Z' })], [entry('/work/a')]]) {
      const { running, calls } = aDaemon(entries);
      await running.list();
      expect(calls.filter((call) => call.startsWith('write'))).toEqual(['write /work/lamp']);
    }
    const { running, calls } = aDaemon([entry('/work/lamp')]);
    await running.list();
    expect(calls).toEqual([]);
  });

  it('has a warning instead of an entry that cannot be written', async () => {
    const { running, calls } = aDaemon([], {}, () => Promise.reject(new Error('full')));
    expect((await running.list()).count).toBe(1);
    expect(calls).toEqual([
      'write /work/lamp',
      'other daemons of this user are not told of this one: its entry could not be written',
    ]);
  });

  it('loses an entry that was being written when its daemon stopped', async () => {
    const { running, calls } = aDaemon([]);
    const announced = running.announce();
    running.withdraw();
    await announced;
    expect(calls).toEqual(['write /work/lamp', 'remove /work/lamp', 'remove /work/lamp']);
    await running.announce();
    expect(calls).toHaveLength(3);
  });
});
