import type { TestApp } from '../apps/test-app.js';

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  responses?: Record<string, object>;
}

/** The schemas that a part of the description refers to, in their order, and its media types other than JSON. */
const schemasIn = (part: object | undefined) => [
  ...[...JSON.stringify(part ?? {}).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name),
  ...Object.keys((part as { content?: object } | undefined)?.content ?? {}).filter(
    (type) => type !== 'application/json',
  ),
];

/**
 * What the description of the API says of the operations whose path matches `paths`, each in one line: its tags, who
 * may call it, its responses with the schemas in them, and its texts.
 */
export async function describedOperations(
  { call, routes }: Pick<TestApp, 'call' | 'routes'>,
  paths: RegExp,
): Promise<Record<string, string>> {
  const access = new Map(
    routes.map((route) => [
      `${route.method} ${route.url.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
      route.access,
    ]),
  );
  const { body } = await call('GET', '/openapi.json');
  const described = Object.entries((body as { paths: Record<string, Record<string, Operation>> }).paths);
  const lines = described
    .filter(([path]) => paths.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, description, tags = [], responses = {} }]) => {
        const name = `${method.toUpperCase()} ${path}`;
        const answer = Object.entries(responses)
          .filter(([status]) => status !== '4XX')
          .map(([status, response]) => [status, ...schemasIn(response)].join(' '))
          .join(' or ');
        const told = [summary, ...(description === undefined ? [] : [description])].join(': ');
        return [name, `${tags.join(' ')}, ${access.get(name)}, ${answer}, ${told}`] as const;
      }),
    );
  return Object.fromEntries(lines);
}
