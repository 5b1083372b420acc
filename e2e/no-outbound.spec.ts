import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AskAccepted, AskRecord } from '../daemon/contract/asks.js';
import type { ImportCandidates } from '../daemon/contract/imports.js';
import type { Health } from '../daemon/contract/system.js';
import type { MemberDetail } from '../daemon/contract/team.js';
import { expect, test } from './fixtures.js';
import { OutboundRecord, programOnPath } from './outbound-record.js';

const DIST = process.env['MESHD_E2E_DIST'] ?? fileURLToPath(new URL('../dist', import.meta.url));
/** The pages of the navigation with their paths. */
const PAGES = {
  Team: 'team',
  Conversations: 'talk',
  Roadmap: 'roadmap',
  Requests: 'requests',
  Clusters: 'rooms',
  Map: 'map',
  'Agent search': 'find',
  Payments: 'ledger',
  System: 'system/settings',
};
const AGENT =
  '---\nname: reviewer\ndescription: Reviews changes\n---\n\nReview what changed. See ' +
  'https://docs.example/style for the style.\n';

test.describe('a default run', () => {
  let folder = '';
  let child: ChildProcess | undefined;
  let pid = 0;

  test.beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-e2e-outbound-')));
  });

  test.afterEach(async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      process.kill(pid, 'SIGKILL');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test('speaks to nobody but this machine, and looks up no name', async ({ page }) => {
    test.slow();
    const root = join(folder, 'lamp');
    for (const [path, text] of Object.entries({
      'README.md': '# Lamp\n\nLamp listens on port 8123. See https://lamp.example/ for more.\n',
      '.claude/agents/reviewer.md': AGENT,
    })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
    execFileSync('git', ['add', '-A'], { cwd: root });
    const record = new OutboundRecord(folder);
    const isTraced = OutboundRecord.canTrace(folder);
    if (!isTraced) console.log('There is no strace here, or it may not trace: only the hook in every process looks.');
    // Only git is on the PATH: an installed client could contact any host.
    const environment = { PATH: join(folder, 'bin'), HOME: join(folder, 'home') };
    for (const made of Object.values(environment)) mkdirSync(made);
    symlinkSync(programOnPath('git') ?? '', join(environment.PATH, 'git'));
    const run = (args: readonly string[]) => {
      const [program, ...rest] = record.command(args, { isTraced: false });
      const { status, stdout, stderr } = spawnSync(program, rest, { cwd: root, env: environment, encoding: 'utf8' });
      expect([args, status, stderr]).toEqual([args, 0, expect.any(String)]);
      return stdout;
    };

    const [program, ...args] = record.command(
      [join(DIST, 'test-daemon.js'), '--root', root, '--port', '0', '--test-clock', '61'],
      { isTraced },
    );
    child = spawn(program, args, { env: environment, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [word] = (await once(child, 'message')) as [{ type: string; address: string; pid: number }];
    expect(word.type).toBe('listening');
    pid = word.pid;
    const call = async <T>(
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<T> => {
      const response = await fetch(word.address + path, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      expect([method, path, response.ok, text]).toEqual([method, path, true, text]);
      return JSON.parse(text) as T;
    };

    // The dashboard, page by page. The fixture fails the test on any request to another host.
    await page.goto(`${word.address}/app`);
    const rail = page.getByRole('navigation', { name: 'Main' });
    await rail.getByRole('button', { name: 'Network' }).click();
    for (const [name, path] of Object.entries(PAGES)) {
      await rail.getByRole('link', { name: new RegExp(`^${name}`) }).click();
      await expect(page).toHaveURL(`${word.address}/app/${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    }
    await page.goto(`${word.address}/docs`);

    // Actions that other programs and tools cause.
    const { token = '' } = await call<MemberDetail>('GET', '/team/consultant');
    const authorization = { authorization: `Bearer ${token}` };
    const { poll } = await call<AskAccepted>(
      'POST',
      '/team/consultant/ask',
      { text: 'Which port, and what is at https://lamp.example/?' },
      authorization,
    );
    expect((await call<AskRecord>('GET', `${poll}?wait=30`, undefined, authorization)).status).toBe('done');
    const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Which port?' }] };
    await call(
      'POST',
      '/team/consultant/a2a',
      { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
      { ...authorization, 'a2a-version': '1.0' },
    );
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'harbour-clock', version: '2.1' },
    };
    const greeted = await fetch(`${word.address}/team/consultant/mcp`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }),
    });
    expect([greeted.status, await greeted.text()]).toEqual([200, expect.stringContaining('serverInfo')]);
    const { found } = await call<ImportCandidates>('GET', '/imports');
    expect(found.map(({ source }) => source)).toContain('.claude/agents/reviewer.md');
    for (const path of [
      '/exports/consultant?format=claude',
      '/doctor',
      '/clients',
      '/projects',
      '/registrations',
      '/v1/search?q=port',
      '/v1/map',
    ]) {
      await call('GET', path);
    }
    run([join(DIST, 'meshd.js'), 'ls']);
    run([join(DIST, 'meshd.js'), 'ask', 'consultant', 'Which port?']);

    // The first idle minutes: the clock triggers heartbeats, probes and sweeps.
    const uptime = async () => (await call<Health>('GET', '/health')).uptime_seconds;
    for (let minute = 1; minute <= 6; minute += 1) {
      process.kill(pid, 'SIGUSR2');
      await expect.poll(uptime).toBeGreaterThanOrEqual(minute * 61);
    }

    const exited = once(child, 'exit');
    process.kill(pid, 'SIGTERM');
    await exited;
    expect(record.outbound()).toEqual([]);
    const deeds = record.deeds();
    // The hook was loaded in the daemon, its worker and the command line, and recorded their activity.
    expect(deeds.some(({ kind, isMainThread }) => kind === 'loaded' && !isMainThread)).toBe(true);
    expect(deeds.filter(({ kind, to }) => kind === 'connect' && to === '127.0.0.1').length).toBeGreaterThan(1);
    expect(
      [...new Set(deeds.filter(({ kind }) => kind === 'start').map(({ to }) => to?.split('/').at(-1)))].sort(),
    ).toEqual(['git']);
  });

  test('is watched by something that sees an attempt', () => {
    const record = new OutboundRecord(folder);
    const isTraced = OutboundRecord.canTrace(folder);
    const script =
      "require('node:net').connect(9, '192.0.2.1').on('error', () => {}); " +
      "require('node:dns').lookup('lamp.invalid', () => {});" +
      "const s = require('node:dgram').createSocket('udp4'); s.send('x', 9, '192.0.2.2', () => process.exit());";
    const [program, ...args] = record.command(['-e', script], { isTraced });
    spawnSync(program, args, { timeout: 20_000 });
    const seen = record.outbound().join('\n');
    for (const what of ['connect 192.0.2.1:9', 'lookup lamp.invalid', 'datagram 192.0.2.2'])
      expect(seen).toContain(what);
    if (isTraced) expect(seen).toContain('inet_addr("192.0.2.1")');
  });
});
