import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BuiltUi } from '../storage/built-ui.js';
import { openServer } from '../testing/open-server.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import type { RouteRow } from './create-server.js';
import { contentSecurityPolicy } from './headers.js';
import { describeRoutes } from './openapi.js';
import { dashboardRoutes } from './static-ui.js';

const PAGE = '<!doctype html><html lang="en"><body>Lamp</body></html>';
const BUILT = {
  'index.html': PAGE,
  'other.html': PAGE,
  'notes.txt': 'notes',
  'lamp.js': 'lamp()',
  'lamp.min.js': 'lamp()',
  'lamp.css': 'lamp{}',
  'lamp.svg': '<svg/>',
  'lamp.json': '{}',
  'lamp.woff2': 'font',
  'lamp.bin': 'bytes',
  '.hidden.js': 'hidden()',
  'deep/lamp.js': 'deep()',
  'deep.js/lamp.js': 'deep()',
  'assets/lamp-1.js': 'asset()',
  'assets/notes.txt': 'notes',
  'assets/deep/lamp.js': 'deep()',
};
const IMMUTABLE = 'public, max-age=31536000, immutable';
const NO_SUCH_FILE = { error: 'not_found', message: 'The dashboard has no such file.' };
const NOT_BUILT = {
  error: 'not_found',
  message: 'The dashboard was not built: run "npm run build" and start again.',
};

/** Serves a dashboard with the files; without any it was not built. */
async function aDashboard(files?: Record<string, string>) {
  const rows: RouteRow[] = [];
  const app = await openServer({ onRoute: (row) => void rows.push(row) });
  await describeRoutes(app, '1.0.0');
  const folder = files && temporaryFolder(files);
  const kept: string[] = [];
  const built = folder === undefined ? undefined : new BuiltUi(folder);
  if (built !== undefined) {
    const keepCopy = built.keepCopy.bind(built);
    built.keepCopy = (file) => {
      kept.push(file);
      return keepCopy(file);
    };
  }
  const look = () => ({ theme: 'dark', density: 'compact' }) as const;
  await app.register(dashboardRoutes, { built, port: () => 4747, look, seq: () => 42 });
  const get = (url: string) => app.inject({ url });
  const remove = (path: string) => rmSync(join(folder ?? '', path), { recursive: true });
  return { app, rows, get, remove, kept, folder };
}

describe('the dashboard', () => {
  it('is where the daemon’s address leads', async () => {
    for (const files of [undefined, BUILT]) {
      const answer = await (await aDashboard(files)).get('/');
      expect([answer.statusCode, answer.headers['location']]).toEqual([302, '/app']);
    }
  });

  it('that was not built says so', async () => {
    const { get, rows } = await aDashboard();
    const answer = await get('/app');
    expect([answer.statusCode, answer.json()]).toEqual([404, NOT_BUILT]);
    expect(rows.find(({ url }) => url === '/app')?.access).toBe('page');
  });

  it('that is gone since the start says so', async () => {
    const { get, remove } = await aDashboard(BUILT);
    remove('index.html');
    const answer = await get('/app/team');
    expect([answer.statusCode, answer.json()]).toEqual([404, NOT_BUILT]);
  });

  it('is a page that links of other sites may lead to, and its assets are not', async () => {
    const { rows } = await aDashboard(BUILT);
    const access = Object.fromEntries(
      rows.filter(({ method }) => method === 'GET').map((row) => [row.url, row.access]),
    );
    expect(access).toEqual({
      '/openapi.json': 'public',
      '/': 'page',
      '/app': 'page',
      '/app/*': 'page',
      '/app/assets/*': 'operator',
    });
  });

  it.each([
    ['without a build', undefined],
    ['with a build', BUILT],
  ])('is no part of the description for programs, %s', async (_how, files) => {
    const { get } = await aDashboard(files);
    expect(Object.keys((await get('/openapi.json')).json().paths)).toEqual(['/openapi.json']);
  });
});

describe('the page of the dashboard', () => {
  it('has the operator’s look and the newest event, and the policy of its port', async () => {
    const { get } = await aDashboard(BUILT);
    const answer = await get('/app');
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe(PAGE.replace('<html', '<html data-theme="dark" data-density="compact" data-seq="42"'));
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(4747),
      'cache-control': 'no-store',
    });
  });

  it('says that it is of another build than the daemon', async () => {
    const { get, folder } = await aDashboard(BUILT);
    writeFileSync(join(folder ?? '', 'index.html'), PAGE.replace('Lamp', 'A new lamp'));
    expect((await get('/app')).body).toContain(
      '<html data-theme="dark" data-density="compact" data-seq="42" data-replaced',
    );
  });

  it.each(['/app/', '/app/team', '/app/agent/v1.2/asks', '/app/search?q=lamp.js', '/app/index.html'])(
    'is shown at %s',
    async (url) => {
      const { get } = await aDashboard(BUILT);
      expect((await get(url)).body).toContain('data-seq="42"');
    },
  );
});

describe('a file of the dashboard', () => {
  it.each([
    ['lamp.js', 'text/javascript; charset=utf-8'],
    ['lamp.js?v=1', 'text/javascript; charset=utf-8'],
    ['lamp.min.js', 'text/javascript; charset=utf-8'],
    ['lamp.css', 'text/css; charset=utf-8'],
    ['lamp.svg', 'image/svg+xml'],
    ['lamp.json', 'application/json; charset=utf-8'],
    ['lamp.woff2', 'font/woff2'],
    ['lamp.bin', 'application/octet-stream'],
  ])('%s has the type %s, and is asked for anew each time', async (path, type) => {
    const { get, kept } = await aDashboard(BUILT);
    const answer = await get(`/app/${path}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe(BUILT[path.replace('?v=1', '') as keyof typeof BUILT]);
    expect(answer.headers).toMatchObject({ 'content-type': type, 'cache-control': 'no-cache' });
    expect(answer.headers).not.toHaveProperty('accept-ranges');
    expect(kept).toEqual([]);
  });

  it.each([
    'other.html',
    'notes.txt',
    'missing.js',
    '.hidden.js',
    'deep/lamp.js',
    'deep.js/lamp.js',
    'deep.js',
    '..%2flamp.js',
    'assets/notes.txt',
    'assets/deep/lamp.js',
    'assets/missing.js',
    'assets/lamp',
    'assets/',
  ])('is none at %s', async (path) => {
    const { get } = await aDashboard(BUILT);
    const answer = await get(`/app/${path}`);
    expect([answer.statusCode, answer.json()]).toEqual([404, NO_SUCH_FILE]);
  });

  it('is only read', async () => {
    const { app } = await aDashboard(BUILT);
    for (const url of ['/app/lamp.js', '/app/assets/lamp-1.js', '/app/none']) {
      const answer = await app.inject({ method: 'POST', url });
      expect([answer.statusCode, answer.json()]).toEqual([
        404,
        { error: 'not_found', message: 'There is no such route.' },
      ]);
    }
  });
});

describe('an asset of the dashboard', () => {
  it('never changes under its name', async () => {
    const { get, kept, folder } = await aDashboard(BUILT);
    const { statusCode, body, headers } = await get('/app/assets/lamp-1.js');
    expect([statusCode, body]).toEqual([200, 'asset()']);
    expect(headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': IMMUTABLE });
    expect(kept).toEqual([join(folder ?? '', 'assets/lamp-1.js')]);
  });

  it('that was served once is there for open pages after another build', async () => {
    const { app, get, remove, folder } = await aDashboard(BUILT);
    await get('/app/assets/lamp-1.js');
    const whole = readFileSync(join(folder ?? '', 'assets/lamp-1.js'), 'utf8');
    remove('assets');
    const { statusCode, body, headers } = await get('/app/assets/lamp-1.js?v=2');
    expect([statusCode, body]).toEqual([200, whole]);
    expect(headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': IMMUTABLE });
    expect((await app.inject({ method: 'HEAD', url: '/app/assets/lamp-1.js' })).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url: '/app/assets/lamp-1.js' })).statusCode).toBe(404);
  });
});
