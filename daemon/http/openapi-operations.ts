interface Operation {
  operationId?: string;
  parameters?: { name?: string; in?: string }[];
  responses?: Record<string, unknown>;
  security?: unknown[];
}
type PathItem = Record<string, Operation>;

/** The parts of an OpenAPI document that `completeOperations` changes. */
export interface OpenApiDocument {
  paths?: Record<string, PathItem>;
  components?: { schemas?: Record<string, unknown> };
}

/** What the description calls the rest of a path, which Fastify calls `*`. */
const REST = 'path';

const REFUSED = {
  description: 'Refused: `error` is a code for programs, `message` a sentence for people.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
};

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the id of an operation, such as `getTeamByIdHealth`. It is unique, since method and path are. */
function createOperationId(method: string, path: string): string {
  const words = path.split('/').flatMap((segment) => {
    const parameter = /^\{(.*)\}$/.exec(segment)?.[1];
    const parts = (parameter ?? segment).split(/[^A-Za-z0-9]/);
    return parameter === undefined ? parts : ['by', ...parts];
  });
  return method + words.map(capitalized).join('');
}

const COMPONENTS = '#/components/schemas/';

/** Returns the components that `part` refers to, directly or through others. */
function selectUsed(part: unknown, all: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const used = new Set<string>();
  const toRead: unknown[] = [part];
  while (toRead.length > 0) {
    const value = toRead.pop();
    if (typeof value !== 'object' || value === null) continue;
    const { $ref } = value as { $ref?: unknown };
    const name = typeof $ref === 'string' && $ref.startsWith(COMPONENTS) ? $ref.slice(COMPONENTS.length) : '';
    if (!used.has(name)) {
      used.add(name);
      toRead.push(all[name]);
    }
    toRead.push(...Object.values(value));
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
}

/**
 * Returns the document with what no route says by itself: the id of every operation, the body of every refusal, that an
 * operation without a credential needs none, and a name for the rest of a path. Without the schemas that nothing in it
 * refers to.
 */
export function completeOperations<T extends OpenApiDocument>(document: T): T {
  const paths = Object.entries(document.paths ?? {}).map(([given, item]) => {
    const path = given.replace('{*}', `{${REST}}`);
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      {
        ...operation,
        operationId: operation.operationId ?? createOperationId(method, path),
        security: operation.security ?? [],
        ...(operation.parameters && {
          parameters: operation.parameters.map((one) => (one.name === '*' ? { ...one, name: REST } : one)),
        }),
        responses: { '4XX': REFUSED, ...operation.responses },
      },
    ]);
    return [path, Object.fromEntries(operations)];
  });
  const completed = { ...document, paths: Object.fromEntries(paths) };
  const { components } = document;
  if (components?.schemas === undefined) return completed;
  return { ...completed, components: { ...components, schemas: selectUsed(completed.paths, components.schemas) } };
}
