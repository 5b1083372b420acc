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
    const parts = (parameter ?? segment).split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
    return parameter === undefined ? parts : ['by', ...parts];
  });
  return method + words.map(capitalized).join('');
}

/**
 * Returns the document with what no route says by itself: the id of every operation, the body of every refusal, that an
 * operation without a credential needs none, and a name for the rest of a path.
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
  return { ...document, paths: Object.fromEntries(paths) };
}
