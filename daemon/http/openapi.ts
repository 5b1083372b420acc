import swagger from '@fastify/swagger';
import type { TSchema } from 'typebox';
import type { Access } from './access.js';
import type { App } from './create-server.js';

const SECURITY: Readonly<Record<Access, readonly Record<string, string[]>[] | undefined>> = {
  operator: undefined,
  bearer: [{ memberToken: [] }],
  public: undefined,
  page: undefined,
  card: undefined,
};

/** Puts the contract's named schemas on the server, so that routes refer to them by name and answers are cut to them. */
export function addSchemas(app: App, modules: readonly Record<string, unknown>[]): void {
  for (const schema of modules.flatMap((module) => Object.values(module))) {
    if (isNamedSchema(schema)) app.addSchema(schema);
  }
}

function isNamedSchema(value: unknown): value is TSchema & { $id: string } {
  return typeof value === 'object' && value !== null && typeof (value as { $id?: unknown }).$id === 'string';
}

/** Describes every route that is registered after it; `/openapi.json` answers the description. */
export async function describeRoutes(app: App, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'meshd', version, description: 'One loopback daemon for one repository.', license: { name: 'MIT' } },
      components: { securitySchemes: { memberToken: { type: 'http', scheme: 'bearer', description: 'Token of an exposed member.' } } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema-${index}`) },
    transform: ({ schema, url, route }) => {
      const access = (route.config as { access?: Access } | undefined)?.access ?? 'operator';
      const security = SECURITY[access];
      return { schema: { ...schema, 'x-access': access, ...(security ? { security } : {}) } as never, url };
    },
  });
  app.get('/openapi.json', { config: { access: 'public' }, schema: { summary: 'This description', tags: ['system'] } }, () =>
    app.swagger(),
  );
}
