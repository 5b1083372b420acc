type Schemas = Record<string, unknown>;

/** Returns the schemas of `named` that `schema` refers to, directly or through others. */
export function schemasNeeded(schema: unknown, named: Schemas): Schemas {
  const needed: Schemas = {};
  const toRead: unknown[] = [schema];
  for (let value = toRead.pop(); value !== undefined; value = toRead.pop()) {
    if (value === null) continue;
    const { $ref } = value as { $ref?: unknown };
    const name = typeof $ref === 'string' ? ($ref.split('#')[0] as string) : '';
    if (Object.hasOwn(named, name) && !Object.hasOwn(needed, name)) {
      needed[name] = named[name];
      toRead.push(named[name]);
    }
    for (const part of Object.values(value as object)) if (typeof part === 'object') toRead.push(part);
  }
  return needed;
}

/**
 * The store of the server's named schemas. Fastify's own store copies every schema when it is added, and the list of
 * all schemas for each route. The contract's schemas are never modified, so one list serves every route.
 */
export class NamedSchemas {
  private list: Schemas | undefined;
  private readonly own: Schemas;

  constructor(inherited: Schemas = {}) {
    this.own = { ...inherited };
  }

  /** Throws when another schema has the same name. */
  add(schema: { $id: string }): void {
    if (Object.hasOwn(this.own, schema.$id)) throw new Error(`There is a schema named ${schema.$id} already.`);
    this.own[schema.$id] = schema;
    this.list = undefined;
  }

  getSchema(name: string): unknown {
    return this.own[name];
  }

  getSchemas(): Schemas {
    this.list ??= { ...this.own };
    return this.list;
  }
}
