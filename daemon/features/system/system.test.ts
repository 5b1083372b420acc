import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CodePlaces, FileBlame, ProjectNames } from '../../contract/code.js';
import type { DoctorReport, FileLines, Health, Preferences, ProjectFiles } from '../../contract/system.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';

describe('Health', () => {
  it("returns counts and proves the daemon's identity to readers of its daemon file", async () => {
    const app = await testApp();
    await app.untilIndexed();
    const nonce = 'a'.repeat(22);
    const health = (await app.call('GET', `/health?nonce=${nonce}`)).body as Health;
    expect(health).toMatchObject({
      ok: true,
      store: 'ok',
      members: 9,
      members_broken: 0,
      exposed: 1,
      requests_live: 0,
      knowledge: { state: 'ready' },
    });
    expect(health.proof).toBe(createHmac('sha256', app.daemon.secret).update(nonce).digest('hex'));
    expect((await app.call('GET', '/health')).body).not.toHaveProperty('proof');
    expect((await app.call('GET', '/health?nonce=x')).status).toBe(400);
  });
});

describe('Doctor', () => {
  it('reports no problems in a healthy project', async () => {
    const app = await testApp();
    await app.untilIndexed();
    const report = (await app.call('GET', '/doctor')).body as DoctorReport;
    expect(report.checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it('reports a broken member file with its position and a readable secret, each with its fix', async () => {
    const app = await testApp();
    writeFileSync(join(app.root, '.mesh/team/odd.md'), '---\nname: [\n---\n');
    chmodSync(join(app.root, '.mesh/credentials/team-tokens.json'), 0o644);
    await app.call('GET', '/team');
    const { ok, checks } = (await app.call('GET', '/doctor')).body as DoctorReport;
    const of = (id: string) => checks.find((check) => check.id === id);
    expect(ok).toBe(false);
    expect(of('members')).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/odd\.md:\d+:\d+/),
      fix: 'meshd team edit odd',
    });
    expect(of('permissions')).toMatchObject({ state: 'fail', fix: expect.stringContaining('chmod go-rwx') });
  });

  it.each([
    ['runs for an hour', (app: TestApp) => app.clock.advance(3_600_000), 'ok', 'runs evenly'],
    ['is set ahead by an hour', (app: TestApp) => app.clock.step(3_600_000), 'ok', 'it moved ahead by 3600 s'],
    ['is set back by an hour', (app: TestApp) => app.clock.step(-3_600_000), 'warn', 'it was set back by 3600 s'],
  ])('says of a clock that %s what happened', async (_what, move, state, found) => {
    const app = await testApp();
    move(app);
    const { checks } = (await app.call('GET', '/doctor')).body as DoctorReport;
    expect(checks.find(({ id }) => id === 'clock')).toMatchObject({ state, found: expect.stringContaining(found) });
  });

  it('reports below revision 29 that the roster is off and below 30 that exposure is off, with the fix', async () => {
    for (const [version, state] of [
      [28, 'fail'],
      [29, 'warn'],
    ] as const) {
      const root = temporaryFolder({ '.mesh/STANDARD_VERSION': `${version}\n`, 'README.md': '# x\n' });
      const app = await testApp({ root });
      const { checks } = (await app.call('GET', '/doctor')).body as DoctorReport;
      expect(checks.find(({ id }) => id === 'revision')).toMatchObject({ state, fix: 'meshd upgrade' });
      const roster = await app.call('GET', '/team');
      expect(roster.status).toBe(version === 28 ? 403 : 200);
      if (version === 29)
        expect((await app.call('PATCH', '/team/developer', { exposure: 'external' })).body).toMatchObject({
          error: 'forbidden',
        });
    }
  });
});

describe('Preferences', () => {
  it('are stored by the daemon and survive a restart', async () => {
    const app = await testApp();
    expect((await app.call('PATCH', '/preferences', { theme: 'dark', first_run_dismissed: ['ask'] })).status).toBe(200);
    await app.stop();
    const again = await testApp({ root: app.root });
    expect((await again.call('GET', '/preferences')).body).toMatchObject({
      theme: 'dark',
      density: 'comfortable',
      first_run_dismissed: ['ask'],
    });
  });

  it('reject unknown values and stay unchanged', async () => {
    const app = await testApp();
    const before = (await app.call('GET', '/preferences')).body as Preferences;
    for (const patch of [{ theme: 'mauve' }, { colour: 'red' }, { rail_collapsed: 'yes' }]) {
      expect((await app.call('PATCH', '/preferences', patch)).status, JSON.stringify(patch)).toBe(400);
      expect((await app.call('GET', '/preferences')).body).toEqual(before);
    }
  });

  it('fall back to the defaults when the file is invalid', async () => {
    const root = temporaryFolder({ 'README.md': '# x\n', '.mesh/state/preferences.json': '{"theme": 7}' });
    const app = await testApp({ root });
    expect((await app.call('GET', '/preferences')).body).toMatchObject({ theme: 'system' });
  });
});

describe('Project files', () => {
  it('are found by a part of their path, except hidden ones', async () => {
    const app = await testApp();
    await app.untilIndexed();
    writeFileSync(join(app.root, '.env'), 'A=1\n');
    const find = async (search: string) => (await app.call('GET', `/project/files${search}`)).body;
    expect(await find('?q=readme')).toEqual({ paths: ['README.md'], count: 1 });
    expect(((await find('?q=.env')) as ProjectFiles).paths).not.toContain('.env');
    expect(await find('?q=zzz')).toEqual({ paths: [], count: 0 });
    expect(await find('?limit=1')).toMatchObject({ count: 1 });
    expect((await app.call('GET', '/project/files?limit=51')).status).toBe(400);
  });
});

describe('Code of the project', () => {
  const look = async (search: string, app: Awaited<ReturnType<typeof testApp>>) =>
    app.call('GET', `/project/code?${search}`);

  it('is found by name: definitions, uses, imports, environment variables and routes', async () => {
    const app = await testApp({
      root: temporaryFolder({
        'src/moon.ts': "export function rise(at: number) {\n  return at + Number(process.env['MOON_DELAY'] ?? 3);\n}\n",
        'src/sky.ts': "import { rise } from './moon.js';\n\nrise(1);\napp.get('/moon/:day', (request) => rise(2));\n",
      }),
    });
    await app.untilIndexed();
    const places = async (search: string) => ((await look(search, app)).body as CodePlaces).places;
    expect((await look('query=defs&name=rise', app)).body).toEqual({
      state: 'ready',
      is_known: true,
      total: 1,
      files: 1,
      by_name: false,
      near: [],
      places: [
        {
          path: 'src/moon.ts',
          start_line: 1,
          end_line: 3,
          text: 'function rise(at: number)',
          container: '',
          kind: 'function',
          is_source: true,
        },
      ],
    });
    expect((await places('query=refs&name=rise')).map(({ path, start_line }) => [path, start_line])).toEqual([
      ['src/sky.ts', 3],
      ['src/sky.ts', 4],
    ]);
    expect(await places('query=imports&name=src/moon.ts')).toMatchObject([{ path: 'src/sky.ts', start_line: 1 }]);
    expect(await places('query=env')).toMatchObject([{ path: 'src/moon.ts', text: 'MOON_DELAY', container: '3' }]);
    expect(await places('query=env&name=MOON')).toEqual([]);
    expect(await places('query=routes&name=/moon')).toMatchObject([{ path: 'src/sky.ts', text: 'GET /moon/:day' }]);
  });

  it('names what is near an unknown name, and refuses a look without the name that it needs', async () => {
    const app = await testApp({
      root: temporaryFolder({ 'src/moon.ts': 'export function moonrise() {}\nexport class Moon_ {}\n' }),
    });
    await app.untilIndexed();
    expect((await look('query=defs&name=moonset', app)).body).toMatchObject({
      is_known: false,
      near: ['Moon_', 'moonrise'],
    });
    expect((await look('query=defs&name=n_r', app)).body).toMatchObject({ is_known: false, near: [] });
    expect(await look('query=refs', app)).toMatchObject({
      status: 400,
      body: { error: 'bad_request', message: expect.stringContaining('`name` is missing') },
    });
    expect((await look('query=all&name=x', app)).status).toBe(400);
  });
});

describe('Names of the project', () => {
  it('finds tracked files and symbols by parts of their names, at most 20 of each', async () => {
    const many = Array.from({ length: 30 }, (_, n) => `export function tide${n}() {}`).join('\n');
    const root = temporaryRepository({
      'src/moon-rise.ts': 'export class Moon_ {\n  rise() {}\n}\nexport function moonrise() {}\n',
      'src/tides.ts': many,
      'moon/index.ts': 'export const moons = 2;\n',
    });
    writeFileSync(join(root, 'moon-plan.md'), '# Plan\n');
    const app = await testApp({ root });
    await app.untilIndexed();
    const find = async (search: string) => (await app.call('GET', `/project/names?${search}`)).body as ProjectNames;
    expect((await find('q=moon')).files).toEqual(['src/moon-rise.ts', 'moon/index.ts']);
    expect((await find('q=rise%20moon')).files).toEqual(['src/moon-rise.ts']);
    expect((await find('q=MOON')).symbols.map(({ name }) => name)).toEqual(['Moon_', 'moons', 'moonrise']);
    expect((await find('q=moonrise')).symbols).toEqual([
      { name: 'moonrise', kind: 'function', container: '', path: 'src/moon-rise.ts', start_line: 4, end_line: 4 },
    ]);
    expect((await find('q=n_')).symbols.map(({ name }) => name)).toEqual(['Moon_']);
    expect((await find('q=tide')).symbols).toHaveLength(20);
    expect(await find('q=%20')).toEqual({ files: [], symbols: [] });
    expect((await app.call('GET', '/project/names?q=')).status).toBe(400);
    expect((await app.call('GET', '/project/names?q=a&limit=21')).status).toBe(400);
  });
});

describe('Lines of a project file', () => {
  const read = async (path: string, app: Awaited<ReturnType<typeof testApp>>) =>
    app.call('GET', `/project/file?${new URLSearchParams({ path, start: '1', end: '3' })}`);

  it('are returned with their line numbers', async () => {
    const app = await testApp();
    await app.untilIndexed();
    const lines = (await read('README.md', app)).body as FileLines;
    expect(lines).toMatchObject({
      path: 'README.md',
      start_line: 1,
      end_line: 3,
      lines: ['# Lamp', '', 'Lamp switches the harbour lights on at dusk.'],
    });
  });

  it('are not returned for paths outside the project, hidden files and directories', async () => {
    const outside = temporaryFolder({ 'secret.txt': 'secret' });
    const app = await testApp();
    writeFileSync(join(app.root, '.env'), 'A=1\n');
    symlinkSync(join(outside, 'secret.txt'), join(app.root, 'link.txt'));
    const token = readFileSync(join(app.root, '.mesh/credentials/team-tokens.json'), 'utf8').slice(20, 40);
    for (const path of [
      '../../etc/passwd',
      '/etc/passwd',
      '.mesh/credentials/team-tokens.json',
      '.mesh/state/mesh.db',
      '.git/config',
      '.env',
      'src',
      'link.txt',
      'a\u0000b',
      'README.md/../.env',
      '..\\x',
    ]) {
      const reply = await read(path, app);
      expect([400, 404], path).toContain(reply.status);
      expect(reply.text, path).not.toContain(token);
    }
  });
});

describe('Blame of a project file', () => {
  const blame = (app: Awaited<ReturnType<typeof testApp>>, search: Record<string, string>) =>
    app.call('GET', `/project/blame?${new URLSearchParams(search)}`);

  it('names the commit of each line, and lines that differ from HEAD', async () => {
    const root = temporaryRepository({ 'src/moon.ts': 'one\ntwo\nthree\n' });
    const app = await testApp({ root });
    await app.untilIndexed();
    writeFileSync(join(root, 'src/moon.ts'), 'one\nTWO\nthree\n');
    writeFileSync(join(root, 'plan.md'), '# Plan\n');
    const found = (await blame(app, { path: 'src/moon.ts', from: '2', to: '9' })).body as FileBlame;
    expect(found).toMatchObject({ state: 'blamed', commits: [{ author: 'Test', subject: 'first' }] });
    expect(found.lines.map(({ start_line, end_line, commit }) => [start_line, end_line, commit])).toEqual([
      [2, 2, null],
      [3, 3, found.commits[0]?.hash],
    ]);
    expect((await blame(app, { path: 'plan.md' })).body).toMatchObject({ state: 'not_in_head', lines: [] });
  });

  it('refuses files that may not be read, and lines that are not there', async () => {
    const root = temporaryRepository({ '.env': 'A=1\n', 'a.md': 'a\n' });
    const app = await testApp({ root });
    await app.untilIndexed();
    for (const path of ['.env', '../a.md', '/etc/passwd', '.git/config'])
      expect([400, 404], path).toContain((await blame(app, { path })).status);
    expect(await blame(app, { path: 'a.md', from: '3', to: '2' })).toMatchObject({
      status: 400,
      body: { message: '`to` (2) is before `from` (3).' },
    });
    expect((await blame(app, { path: 'a.md', from: '3' })).status).toBe(400);
  });
});

describe('OpenAPI description and documentation', () => {
  it('cover every route, offline and without scripts', async () => {
    const app = await testApp();
    const { paths } = (await app.call('GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, { summary?: string }>>;
    };
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { summary }]) => [`${method.toUpperCase()} ${path}`, summary]),
    );
    // `/agents/` is `/agents`, which is described.
    const hidden = ['/', '/agents/', '/app', '/docs', '/docs.css', '/site.css', '/monitor.js'];
    for (const { method, url, isSocket } of app.routes) {
      // OpenAPI cannot describe a WebSocket.
      if (method === 'HEAD' || method === 'OPTIONS' || isSocket || hidden.includes(url)) continue;
      const path = url.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}');
      expect(described.find(([name]) => name === `${method} ${path}`)?.[1], `${method} ${path}`).toEqual(
        expect.any(String),
      );
    }
    const page = await app.call('GET', '/docs');
    expect(page.text).not.toMatch(/<script|https?:\/\/(?!127)/);
    expect(page.text).toContain('/team/{id}/ask');
  });
});

describe('Dashboard', () => {
  it('explains how to build it when it was not built', async () => {
    const app = await testApp();
    expect((await app.call('GET', '/')).headers.get('location')).toBe('/app');
    expect((await app.call('GET', '/app')).text).toContain('npm run build');
  });
});

describe('Dashboard files', () => {
  it('are served from their folder only: assets immutable, the page uncached, every view with the page', async () => {
    const ui = temporaryFolder({
      'index.html': '<!doctype html><html><title>meshd</title>',
      'assets/a-1.js': 'let a',
      'assets/notes.txt': 'SECRET',
      'icon.svg': '<svg/>',
      '.env': 'SECRET',
      'assets/.env': 'SECRET',
    });
    mkdirSync(join(ui, 'sub.d'));
    const app = await testApp({ uiFolder: ui });
    for (const path of ['/app', '/app/', '/app/team/developer', '/app/team?q=a.b']) {
      const page = await app.call('GET', path);
      expect([path, page.status, page.text.includes('<title>meshd')]).toEqual([path, 200, true]);
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    }
    await app.call('PATCH', '/preferences', { theme: 'dark', density: 'compact' });
    expect((await app.call('GET', '/app')).text).toContain(
      `<html data-theme="dark" data-density="compact" data-seq="${app.daemon.bus.seq}">`,
    );
    const asset = await app.call('GET', '/app/assets/a-1.js');
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect([asset.headers.get('content-type'), asset.text]).toEqual(['text/javascript; charset=utf-8', 'let a']);
    const tag = asset.headers.get('etag') ?? expect.fail('no ETag');
    // Without the second header fetch would send `no-cache`, which requests the whole file.
    const again = await app.call('GET', '/app/assets/a-1.js', undefined, {
      'if-none-match': tag,
      'cache-control': 'max-age=0',
    });
    expect([again.status, again.text, again.headers.get('cache-control')]).toEqual([
      304,
      '',
      'public, max-age=31536000, immutable',
    ]);
    const head = await app.call('HEAD', '/app/assets/a-1.js');
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '5']);
    expect(head.headers.get('x-content-type-options')).toBe('nosniff');
    const icon = await app.call('GET', '/app/icon.svg');
    expect([icon.status, icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'no-cache',
    ]);
    // A page opened before a build still finds its old assets, and one opened afterwards the new ones.
    rmSync(join(ui, 'assets/a-1.js'));
    writeFileSync(join(ui, 'assets/b-2.css'), 'p{}');
    expect((await app.call('GET', '/app/assets/a-1.js')).text).toBe('let a');
    expect((await app.call('GET', '/app/assets/b-2.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
    for (const path of [
      '/app/%2e%2e/%2e%2e/etc/passwd',
      '/app/..%2f..%2fetc/passwd.txt',
      '/app/..%5c..%5cx.txt',
      '/app/assets/..%2f..%2f.mesh/credentials/team-tokens.json',
      '/app/.env',
      '/app/assets/.env',
      '/app//etc/passwd.txt',
      '/.mesh/credentials/team-tokens.json',
      '/app/assets/none.js',
      '/app/assets/a-1.js/',
      '/app/sub.d',
    ]) {
      const reply = await app.call('GET', path);
      expect([400, 403, 404], path).toContain(
        reply.status === 200 && reply.text.includes('<title>meshd') ? 404 : reply.status,
      );
      expect(reply.text).not.toContain('SECRET');
      expect(reply.text).not.toContain('root:');
    }
    for (const path of ['/app/assets/none.js', '/app/assets/', '/app/assets/notes.txt', '/app/none.svg']) {
      const reply = await app.call('GET', path);
      expect([path, reply.status, reply.body]).toEqual([
        path,
        404,
        { error: 'not_found', message: 'The dashboard has no such file.' },
      ]);
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
    const posted = await app.call('POST', '/app/assets/none.js', {});
    expect([posted.status, posted.body]).toEqual([404, { error: 'not_found', message: 'There is no such route.' }]);
  });
});
