import { testApp } from './apps/test-app.js';

interface Operation {
  tags?: string[];
  summary: string;
  security?: Record<string, unknown>[];
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string; type?: string } }> }>;
}

/**
 * What the description of the API says of the operations whose path or tag `isIt` takes: by method and path the tags, the
 * summary, the first status, what it is answered with, and the credentials.
 */
export async function describedOperations(
  isIt: (path: string, tag: string | undefined) => boolean,
): Promise<Record<string, unknown[]>> {
  const app = await testApp();
  const { paths } = (await app.call('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, Operation>>;
  };
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => isIt(path, tags?.[0]))
      .map(([method, { tags = [], summary, responses, security = [] }]): [string, unknown[]] => {
        const [[status, { content = {} }] = ['', {}]] = Object.entries(responses);
        const shapes = Object.entries(content).map(
          ([type, { schema }]) => `${type} ${schema.$ref?.split('/').at(-1) ?? schema.type}`,
        );
        const credentials = security.flatMap((one) => Object.keys(one));
        return [`${method.toUpperCase()} ${path}`, [...tags, summary, status, ...shapes, ...credentials]];
      }),
  );
  return Object.fromEntries(rows);
}
