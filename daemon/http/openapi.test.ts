import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { openServer } from '../testing/open-server.js';
import { CREDENTIALS } from './callers/access.js';
import type { RouteRow } from './create-server.js';
import { DOCS_CSS } from './docs-page.js';
import { docsRoutes } from './docs-routes.js';
import { contentSecurityPolicy } from './headers.js';
import { addSchemas, describeRoutes } from './openapi.js';

const Lamp = Type.Object({ place: Type.Ref('Place') }, { $id: 'Lamp' });
const Place = Type.String({ $id: 'Place' });
const ErrorBody = Type.Object({}, { $id: 'ErrorBody' });

/** Returns a server that describes its routes. Its contract has more than named schemas. */
async function described() {
  const rows: RouteRow[] = [];
  const app = await openServer({ onRoute: (row) => void rows.push(row) });
  const others = {
    LIMIT: 5,
    WORDS: 'words',
    NONE: null,
    UNSET: undefined,
    table: { $id: 7 },
    list: [],
    Bare: Type.Null(),
  };
  addSchemas(app, [
    { ...others, Lamp },
    { Place, ErrorBody },
  ]);
  await describeRoutes(app, '1.2.3');
  await app.register(docsRoutes, { port: () => 4747 });
  const schema = { response: { 200: Type.Ref('Lamp') } };
  app.get('/unsaid', { schema }, async () => ({ place: 'pier', more: 1 }) as never);
  app.get('/member', { config: { access: 'bearer' }, schema: { summary: 'Tells' } }, async () => null);
  app.get('/turn', { config: { access: 'bearer', credential: 'turnToken' } }, async () => null);
  app.get('/public', { config: { access: 'public', credential: 'turnToken' } }, async () => null);
  const read = async () => (await app.inject('/openapi.json')).json();
  return { app, rows, read };
}

describe('the named schemas of the contract', () => {
  it('are those with a name, and cut the answers that refer to them', async () => {
    const { app } = await described();
    expect(Object.keys(app.getSchemas())).toEqual(['Lamp', 'Place', 'ErrorBody']);
    expect((await app.inject('/unsaid')).json()).toEqual({ place: 'pier' });
  });
});

describe('the description of the routes', () => {
  it('says what it describes, and how callers prove who they are', async () => {
    const { read } = await described();
    const { openapi, info, servers, components } = await read();
    expect({ openapi, info, servers }).toEqual({
      openapi: '3.1.0',
      info: {
        title: 'meshd',
        version: '1.2.3',
        description: 'One loopback daemon for one repository.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The daemon that serves this description.' }],
    });
    expect(Object.keys(components.securitySchemes)).toEqual(Object.keys(CREDENTIALS));
    expect(components.securitySchemes.turnToken).toEqual({
      type: 'http',
      scheme: 'bearer',
      description: CREDENTIALS.turnToken,
    });
    expect(Object.keys(components.schemas)).toEqual(['Lamp', 'Place', 'ErrorBody']);
  });

  it('says of each who may call it, and with which credential', async () => {
    const { read } = await described();
    const { paths } = await read();
    const access = Object.entries(paths).map(([path, item]) => {
      const { get } = item as { get: Record<string, unknown> };
      return [path, get['x-access'], get['security']];
    });
    expect(access).toEqual([
      ['/openapi.json', 'public', []],
      ['/unsaid', 'operator', []],
      ['/member', 'bearer', [{ memberToken: [] }]],
      ['/turn', 'bearer', [{ turnToken: [] }]],
      ['/public', 'public', []],
    ]);
    expect(paths['/member'].get.summary).toBe('Tells');
    expect(paths['/openapi.json'].get).toMatchObject({ summary: 'This description', tags: ['system'] });
  });

  it('is the same at every request, and any program may read it', async () => {
    const { app, rows } = await described();
    const [first, second] = [await app.inject('/openapi.json'), await app.inject('/openapi.json')];
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(second.body).toBe(first.body);
    expect(rows.find(({ url }) => url === '/openapi.json')?.access).toBe('public');
  });
});

describe('the description for people', () => {
  it('is a page with the policy of its port, the same at every request', async () => {
    const { app, rows } = await described();
    const [first, second] = [await app.inject('/docs'), await app.inject('/docs')];
    expect(first.statusCode).toBe(200);
    expect(first.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(4747),
    });
    expect(first.body).toContain('<code>/member</code> <span>Tells</span>');
    expect(second.body).toBe(first.body);
    expect(rows.find(({ url }) => url === '/docs')?.access).toBe('page');
  });

  it('has a style that any page of the daemon may load', async () => {
    const { app, rows } = await described();
    const style = await app.inject('/docs.css');
    expect([style.headers['content-type'], style.body]).toEqual(['text/css; charset=utf-8', DOCS_CSS]);
    expect(rows.find(({ url }) => url === '/docs.css')?.access).toBe('public');
  });
});
