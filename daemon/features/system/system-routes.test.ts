import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import * as codeContract from '../../contract/code.js';
import * as foreignContract from '../../contract/foreign-state.js';
import * as systemContract from '../../contract/system.js';
import { addSchemas } from '../../http/openapi.js';
import { testApp } from '../../testing/apps/test-app.js';
import { openServer } from '../../testing/open-server.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { systemRoutes } from './system-routes.js';

const LINES = { path: 'a.ts', start_line: 1, end_line: 1, total_lines: 1, lines: ['a'], sha256: 'b' };
const PLACES = { state: 'ready', is_known: true, total: 0, files: 0, by_name: false, places: [], near: [] };
const VERSIONS = { meshd: '1.0.0', node: 'v24', sqlite: '3', platform: 'linux x64', revision: 30 };
const OTHERS = { identified: true, users: [], store_bytes: 7, store_bytes_max: 9 };

/** The routes over parts that note how they are called. */
async function routesAlone(licenses: string | null = 'MIT') {
  const calls: unknown[][] = [];
  const note =
    (name: string, answer: unknown) =>
    (...given: unknown[]) => {
      calls.push([name, ...given]);
      return answer;
    };
  const parts = {
    foreignState: () => ({ folders: [{ folder: '.mesh/foreign-1', reason: 'copy', sentence: 'A copy.' }] }),
    otherUsers: () => OTHERS,
    versions: () => VERSIONS,
    licenses: async () => licenses ?? undefined,
    examine: async () => ({ ok: true, checks: [] }),
    readLines: note('readLines', Promise.resolve(LINES)),
    findPaths: note('findPaths', Promise.resolve(['a.ts', 'b.ts'])),
    findNames: note('findNames', Promise.resolve({ files: ['a.ts'], symbols: [] })),
    findCode: note('findCode', Promise.resolve(PLACES)),
    blames: { read: note('blame', Promise.resolve({ path: 'a.ts', state: 'blamed', commits: [], lines: [] })) },
    editors: {
      list: note('editors', Promise.resolve({ editors: [], opens_in: null })),
      open: note('open', Promise.resolve({ path: 'a.ts', line: 2, editor: 'zed', name: 'Zed' })),
    },
    log: { read: note('log', Promise.resolve({ path: 'daemon.log', lines: [] })) },
    bundle: { make: async () => '{"made_at":"now"}' },
    copyStore: async () => ({ bytes: 5, contents: Readable.from([Buffer.from('store')]) }),
  };
  const app = await openServer();
  addSchemas(app, [systemContract, codeContract, foreignContract]);
  await app.register(systemRoutes, parts as unknown as Parameters<typeof systemRoutes>[1]);
  return { app, calls };
}

it('The description of the API tells what each route of the daemon itself returns, and who may call it', async () => {
  const paths =
    /^\/(health|doctor|foreign-state|other-users|preferences|project\/.*|logs|versions|licenses|support-bundle|database)$/;
  expect(await describedOperations(await testApp(), paths)).toEqual({
    'GET /health': 'system, public, 200 Health, Health of the daemon, with proof of identity for readers of its file',
    'GET /doctor': 'system, operator, 200 DoctorReport, Common problems, each with its fix',
    'GET /foreign-state': 'system, operator, 200 ForeignState, State from another machine that was set aside',
    'GET /other-users': 'system, operator, 200 OtherUsers, Other users of this machine, and what their programs stored',
    'GET /preferences': 'system, operator, 200 Preferences, Preferences of the dashboard',
    'PATCH /preferences': 'system, operator, 200 Preferences, Change preferences',
    'GET /project/file': 'system, operator, 200 FileLines, Lines of a project file, to show a citation in its place',
    'GET /project/blame': 'system, operator, 200 FileBlame, The commits that last changed lines of a project file',
    'GET /project/files':
      'system, operator, 200 ProjectFiles, Files of the project by a part of their path, to name one',
    'GET /project/names':
      'system, operator, 200 ProjectNames, Files and symbols of the project by a part of their name, to open one',
    'GET /project/code':
      'system, operator, 200 CodePlaces, Definitions, uses, imports, environment variables and routes in the project’s ' +
      'code',
    'GET /project/editors': 'system, operator, 200 Editors, The editors that files of the project can be opened in',
    'POST /project/open': 'system, operator, 200 FileOpened, Open a line of a project file in the operator’s editor',
    'GET /logs': 'system, operator, 200 LogLines, The end of the daemon’s log, without secrets',
    'GET /versions': 'system, operator, 200 Versions, Versions of what runs here',
    'GET /licenses': 'system, operator, 200, Licences of bundled software',
    'GET /support-bundle':
      'system, operator, 200, Diagnostic data for bug reports, without secrets, questions and answers',
    'GET /database': 'system, operator, 200, The database as it is at one moment, as one SQLite file, for a backup',
  });
});

describe('A request', () => {
  it('reaches what answers it, with what its query names and the defaults', async () => {
    const { app, calls } = await routesAlone();
    const expected: [string, unknown[]][] = [
      ['/project/file?path=a.ts', ['readLines', 'a.ts', undefined, undefined]],
      ['/project/file?path=a.ts&start=2&end=3', ['readLines', 'a.ts', 2, 3]],
      ['/project/blame?path=a.ts&from=2', ['blame', { path: 'a.ts', from: 2 }]],
      ['/project/files', ['findPaths', '', 20]],
      ['/project/files?q=lamp&limit=3', ['findPaths', 'lamp', 3]],
      ['/project/names?q=lamp', ['findNames', 'lamp', 20]],
      ['/project/names?q=lamp&limit=3', ['findNames', 'lamp', 3]],
      ['/project/code?query=env', ['findCode', 'env', undefined]],
      ['/project/code?query=defs&name=rise', ['findCode', 'defs', 'rise']],
      ['/project/editors', ['editors']],
      ['/logs?level=warn&limit=3', ['log', { level: 'warn', limit: 3 }]],
    ];
    for (const [url, call] of expected) {
      const { statusCode } = await app.inject(url);
      expect([url, statusCode, calls.splice(0)]).toEqual([url, 200, [call]]);
    }
  });

  it('with a name that its route does not know is refused', async () => {
    const { app, calls } = await routesAlone();
    const urls = ['/health?', '/project/file?path=a&', '/project/blame?path=a&', '/project/files?', '/logs?'];
    for (const url of [...urls, '/project/names?q=a&', '/project/code?query=env&'])
      expect([url, (await app.inject(`${url}colour=red`)).statusCode]).toEqual([url, 400]);
    expect(calls).toEqual([]);
  });

  it('to open a file names it and its line alone', async () => {
    const { app, calls } = await routesAlone();
    const open = async (payload: object) =>
      (await app.inject({ method: 'POST', url: '/project/open', payload })).json();
    expect(await open({ path: 'a.ts', line: 2 })).toEqual({ path: 'a.ts', line: 2, editor: 'zed', name: 'Zed' });
    expect(await open({ path: 'a.ts', editor: 'sh' })).toMatchObject({ error: 'unknown_key' });
    expect(calls).toEqual([['open', { path: 'a.ts', line: 2 }]]);
  });
});

it('Files are found together with their number', async () => {
  const { app } = await routesAlone();
  expect((await app.inject('/project/files')).json()).toEqual({ paths: ['a.ts', 'b.ts'], count: 2 });
});

it('What other machines and users left, and what runs here, is told as it is', async () => {
  const { app } = await routesAlone();
  const read = async (url: string) => (await app.inject(url)).json();
  expect(await read('/foreign-state')).toMatchObject({ folders: [{ folder: '.mesh/foreign-1', reason: 'copy' }] });
  expect(await read('/other-users')).toEqual(OTHERS);
  expect(await read('/versions')).toEqual(VERSIONS);
  expect(await read('/doctor')).toEqual({ ok: true, checks: [] });
});

it('Licences are text, and name the build while they are not there', async () => {
  const found = await (await routesAlone()).app.inject('/licenses');
  expect([found.headers['content-type'], found.body]).toEqual(['text/plain; charset=utf-8', 'MIT']);
  const missing = await (await routesAlone(null)).app.inject('/licenses');
  expect([missing.statusCode, missing.json()]).toEqual([
    404,
    { error: 'not_found', message: 'The licences are put together by the build: run "npm run build".' },
  ]);
});

it('The support bundle and the database are files of their own kinds', async () => {
  const { app } = await routesAlone();
  const bundle = await app.inject('/support-bundle');
  expect(bundle.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-disposition': 'attachment; filename="meshd-support.json"',
  });
  expect(bundle.body).toBe('{"made_at":"now"}');
  const store = await app.inject('/database');
  expect(store.headers).toMatchObject({ 'content-type': 'application/vnd.sqlite3', 'content-length': '5' });
  expect(store.body).toBe('store');
});
