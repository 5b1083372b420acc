import swagger from '@fastify/swagger';
import type { TSchema } from 'typebox';
import { type Access, CREDENTIALS, type Credential } from './callers/access.js';
import { completeOperations, type OpenApiDocument } from './openapi-operations.js';
import type { App } from './route-types.js';

/**
 * Adds the contract's named schemas to the server, so that routes refer to them by name and responses are cut to them.
 */
export function addSchemas(app: App, modules: readonly Record<string, unknown>[]): void {
  for (const schema of modules.flatMap((module) => Object.values(module))) {
    if (isNamedSchema(schema)) app.addSchema(schema);
  }
}

function isNamedSchema(value: unknown): value is TSchema & { $id: string } {
  return typeof (value as { $id?: unknown } | null | undefined)?.$id === 'string';
}

/** Describes every route that is registered after the call, and serves the description at `/openapi.json`. */
export async function describeRoutes(app: App, version: string): Promise<void> {
  const securitySchemes = Object.fromEntries(
    Object.entries(CREDENTIALS).map(([name, description]) => [
      name,
      { type: 'http' as const, scheme: 'bearer', description },
    ]),
  );
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'meshd',
        version,
        description: 'One loopback daemon for one repository.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The daemon that serves this description.' }],
      components: { securitySchemes },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema-${index}`) },
    transform: ({ schema, url, route }) => {
      const { access = 'operator', credential = 'memberToken' } = (route.config ?? {}) as {
        access?: Access;
        credential?: Credential;
      };
      const security = access === 'bearer' ? [{ [credential]: [] }] : [];
      return { schema: { ...schema, 'x-access': access, security } as never, url };
    },
    transformObject: (given) => completeOperations((given as { openapiObject: OpenApiDocument }).openapiObject),
  });
  // Serialized once: it is most of a megabyte, and any program may request it any number of times.
  let written: Buffer | undefined;
  app.get(
    '/openapi.json',
    { config: { access: 'public' }, schema: { summary: 'This description', tags: ['system'] } },
    (_request, reply) => {
      written ??= Buffer.from(JSON.stringify(app.swagger()));
      return reply.type('application/json; charset=utf-8').send(written);
    },
  );
}
