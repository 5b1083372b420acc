import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CONTRACT = fileURLToPath(new URL('../../daemon/contract/', import.meta.url));

interface Schema {
  $id?: string;
  $ref?: string;
  type?: string;
  enum?: unknown;
  const?: unknown;
  pattern?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

function* freeTexts(schema: Schema, path: string): Generator<string> {
  const isFixed = [schema.enum, schema.const, schema.pattern].some((rule) => rule !== undefined);
  if (schema.type === 'string' && !isFixed) yield path;
  for (const [key, value] of Object.entries(schema.properties ?? {})) yield* freeTexts(value, `${path}.${key}`);
  for (const value of Object.values(schema.patternProperties ?? {})) yield* freeTexts(value, `${path}{}`);
  if (schema.items) yield* freeTexts(schema.items, `${path}[]`);
  for (const value of schema.anyOf ?? []) yield* freeTexts(value, path);
}

/** Returns every text in the contract's responses that no enumeration or pattern restricts, as `Post.title`. */
export async function contractTexts(): Promise<string[]> {
  const found = new Set<string>();
  for (const file of readdirSync(CONTRACT, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const exported = (await import(pathToFileURL(CONTRACT + file).href)) as Record<string, Schema | undefined>;
    for (const schema of Object.values(exported)) {
      const name = typeof schema === 'object' ? schema.$id : undefined;
      if (name !== undefined) for (const text of freeTexts(schema as Schema, name)) found.add(text);
    }
  }
  return [...found].sort();
}
