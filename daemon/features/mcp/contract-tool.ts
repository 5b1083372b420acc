import type { Static, TObject, TSchema } from 'typebox';
import { laterSkillSchema } from '../../lib/agents/skill-schema.js';
import { MeshError } from '../../lib/errors.js';
import type { CallToolResult, McpCall, McpTool, Tool } from './mcp-surface.js';
import { standaloneSchema } from './standalone-schema.js';

/** The fixed part of a tool: its input and output as contract schemas. */
interface ToolShape<Input extends TObject, Output> {
  input: Input;
  output: TSchema;
  /** The named schemas that `output` refers to. */
  named?: readonly TSchema[];
  /** The text result, for clients that do not read structured results. */
  words(output: Output): string;
}

/**
 * Creates tools of one shape. The schemas are built once, and the arguments of a call are validated before
 * anything else. An optional argument that is null or empty where its schema takes no such value counts as left out.
 */
export function createTool<Input extends TObject, Output extends object>({
  input,
  output,
  named = [],
  words,
}: ToolShape<Input, Output>) {
  const inputSchema = standaloneSchema(input);
  const outputSchema = standaloneSchema(output, named);
  const check = laterSkillSchema(inputSchema, 'inputSchema');
  const withoutUnset = unsetRemover(input, inputSchema);
  return (
    about: Pick<Tool, 'name' | 'title' | 'description' | 'annotations'>,
    run: (input: Static<Input>, call: McpCall) => Promise<Output> | Output,
  ): McpTool => ({
    definition: {
      ...about,
      inputSchema: inputSchema as Tool['inputSchema'],
      outputSchema: outputSchema as NonNullable<Tool['outputSchema']>,
    },
    async call(given, call): Promise<CallToolResult> {
      const args = withoutUnset(given);
      const mistake = check(args);
      if (mistake) {
        const { path, said, unknownKey } = mistake;
        throw new MeshError(
          unknownKey === undefined ? 'bad_request' : 'unknown_key',
          `${path === '' ? 'The arguments' : `"${path}"`} ${said}.`,
          { details: unknownKey === undefined ? { path } : { path, key: unknownKey } },
        );
      }
      const answer = await run(args as Static<Input>, call);
      return { content: [{ type: 'text', text: words(answer) }], structuredContent: answer as Record<string, unknown> };
    },
  });
}

/**
 * Returns a function that removes the optional arguments which a client sends as null or "" because its own model must
 * name every property. A required property, an unknown key and a value that the property takes are kept.
 */
function unsetRemover(input: TObject, { properties }: Record<string, unknown>) {
  const required = new Set(input.required);
  const checks = new Map(
    Object.entries(properties as Record<string, unknown>)
      .filter(([key]) => !required.has(key))
      .map(([key, schema]) => [key, laterSkillSchema(schema, 'inputSchema')]),
  );
  const isUnset = (key: string, value: unknown) =>
    (value === null || value === '') && checks.get(key)?.(value) !== undefined;
  return (args: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(args).filter(([key, value]) => !isUnset(key, value)));
}
