import type { TSchema } from 'typebox';

export type JsonSchema = Record<string, unknown> & { type: 'object' };

/**
 * A schema of the contract as plain JSON that stands for itself: the named schemas that it refers to are put in their places, and no name is left that a
 * reader could look for. `named` are those that it may refer to.
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
