import { describe, expect, it } from 'vitest';
import { testApp } from '../testing/apps/test-app.js';
import { completeOperations, type OpenApiDocument } from './openapi-operations.js';

interface Described {
  operationId: string;
  security: object[];
  parameters?: { name: string }[];
  responses: Record<string, unknown>;
}

it('names every operation once, and says of each who may call it and how it is refused', async () => {
  const app = await testApp();
  const { paths } = (await app.call('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, Described>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  expect(operations.length).toBeGreaterThan(150);
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z]+(?:[A-Z0-9][A-Za-z0-9]*)+$/.test(id))).toEqual([]);
  expect(operations.filter(({ responses }) => !('4XX' in responses))).toEqual([]);
  expect(operations.filter(({ security }) => !Array.isArray(security))).toEqual([]);
  expect(paths['/team/{id}/ask']?.['post']?.security).toEqual([{ memberToken: [] }]);
  expect(Object.keys(paths).filter((path) => /\*|.\/$/.test(path))).toEqual([]);
});

it('keeps what a route says, and names the rest of a path in the path and in its parameters', () => {
  const responses = { 402: {}, '4XX': { description: 'mine' } };
  const [operation] = Object.entries(
    completeOperations({
      paths: { '/a/{id}/b/{*}': { get: { parameters: [{ name: 'id' }, { name: '*' }], responses } } },
    }).paths,
  );
  expect(operation).toEqual([
    '/a/{id}/b/{path}',
    {
      get: {
        operationId: 'getAByIdBByPath',
        security: [],
        parameters: [{ name: 'id' }, { name: 'path' }],
        responses,
      },
    },
  ]);
});

it('holds the schemas that something refers to, directly or through others, and no more', async () => {
  const referred = { schema: { $ref: '#/components/schemas/A' } };
  const schemas = {
    A: { items: { $ref: '#/components/schemas/B' } },
    B: {},
    C: { $ref: '#/components/schemas/D' },
    D: {},
  };
  const paths = { '/a': { get: { responses: { 200: referred, '4XX': {} } } } };
  expect(Object.keys(completeOperations({ paths, components: { schemas } }).components.schemas)).toEqual(['A', 'B']);
  const { text } = await (await testApp()).call('GET', '/openapi.json');
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
  const names = Object.keys(components.schemas);
  expect(names).toContain('ErrorBody');
  expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
});

it('tells of a license by its identifier', async () => {
  const { body } = await (await testApp()).call('GET', '/openapi.json');
  expect(body).toMatchObject({ info: { license: { name: 'MIT', identifier: 'MIT' } } });
});

describe('the id of an operation', () => {
  it.each([
    ['get', '/', 'get'],
    ['get', '/team/{id}/ask-all', 'getTeamByIdAskAll'],
    ['post', '/a2a/{agent-id}:cancel', 'postA2aAgentIdCancel'],
    ['put', '/v{number}/{id}x', 'putVNumberIdX'],
    ['get', '/.well-known//agent.json', 'getWellKnownAgentJson'],
    ['get', '/files/{*}', 'getFilesByPath'],
  ])('of %s %s is %s', (method, path, id) => {
    const { paths } = completeOperations<OpenApiDocument>({ paths: { [path]: { [method]: {} } } });
    expect(Object.values(paths ?? {})[0]?.[method]?.operationId).toBe(id);
  });

  it('is the route’s own when it has one', () => {
    const { paths } = completeOperations({
      paths: { '/a': { get: { operationId: 'mine', security: [{ token: [] }] } } },
    });
    expect(paths['/a'].get).toMatchObject({ operationId: 'mine', security: [{ token: [] }] });
  });
});

it('an operation is told with the body of its refusals, and with no parameters when it has none', () => {
  expect(completeOperations({ paths: { '/a': { get: {} } } }).paths['/a'].get).toEqual({
    operationId: 'getA',
    security: [],
    responses: {
      '4XX': {
        description: 'Refused: `error` is a code for programs, `message` a sentence for people.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
      },
    },
  });
});

describe('the schemas of a document', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const namesFor = (responses: Record<string, unknown>, schemas: Record<string, unknown>) =>
    Object.keys(
      completeOperations({
        paths: { '/a': { get: { responses: { '4XX': {}, ...responses } } } },
        components: { schemas },
      }).components.schemas,
    );

  it('are found through values of any kind, and in cycles', () => {
    const schemas = { A: { b: ref('B') }, B: { a: ref('A'), $ref: 5 }, C: {} };
    expect(namesFor({ 200: [ref('A'), null, undefined, 'C', 1] }, schemas)).toEqual(['A', 'B']);
  });

  it('are not those with the name of something else', () => {
    const schemas = { A: {}, B: {}, constructor: {} };
    const others = ['#/components/headers/A', 'B', ref('missing').$ref, ref('toString').$ref];
    expect(namesFor({ 200: others.map(($ref) => ({ $ref })) }, schemas)).toEqual([]);
  });

  it('are left alone where there are none, with the other components', () => {
    const components: object = { securitySchemes: { token: {} } };
    expect(completeOperations({})).toEqual({ paths: {} });
    expect(completeOperations({ components })).toEqual({ paths: {}, components });
    expect(completeOperations({ components: { ...components, schemas: { A: {} } } })).toEqual({
      paths: {},
      components: { ...components, schemas: {} },
    });
  });
});
