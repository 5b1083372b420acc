import type { TSchema } from 'typebox';

type JsonSchema = Record<string, unknown> & { type: 'object' };

/**
 * Converts a contract schema to self-contained JSON: references to named schemas are inlined and `$id` is removed.
 * `named` are the schemas that it may refer to.
 */
export function standaloneSchema(schema: TSchema, named: readonly TSchema[] = []): JsonSchema {
  const byName = new Map(named.map((one) => [(one as { $id?: string }).$id, one]));
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, $id: _, ...rest } = value as Record<string, unknown>;
    if (typeof $ref === 'string') {
      const target = byName.get($ref);
      if (!target) throw new Error(`no schema is named ${$ref}`);
      return plain({ ...target, ...rest });
    }
    return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, plain(one)]));
  };
  return plain(schema) as JsonSchema;
}
