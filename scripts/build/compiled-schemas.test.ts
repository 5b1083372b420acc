import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import serializerSelector from '@fastify/fast-json-stringify-compiler';
import { Ajv, type ErrorObject } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CompilerInput, validatorOptions } from '../../daemon/http/lazy-compilers.js';
import { compiledModules } from '../../daemon/storage/compiled-modules.js';
import { routeSchemas } from './compiled-schemas.js';
import { trials } from './schema-trials.js';

type Compiled = ((value: unknown) => unknown) & { errors?: ErrorObject[] | null };

const find = compiledModules(fileURLToPath(new URL('../../dist/schemas', import.meta.url)));

/** Compiles the schema as a daemon without precompiled schemas does. A server may have loaded the compiled one. */
function compiledNow(input: CompilerInput): Compiled {
  return 'validates' in input
    ? new Ajv(validatorOptions(input.isText)).compile(input.validates as object)
    : (serializerSelector()(input.named, input.options)({ schema: input.serializes } as never) as Compiled);
}

/** Returns a copy of a value of JSON, in which `undefined` may stand. `structuredClone` takes ten times as long. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copy(part)]));
}

/** Returns everything observable when `compiled` is called with `value`, which it may convert. */
function seen(compiled: Compiled, value: unknown): unknown {
  const own = copy(value);
  try {
    const gives = compiled(own);
    return { gives, own, errors: compiled.errors ?? null };
  } catch (error) {
    // The message contains a running number for schemas without a name.
    return `${(error as Error).name}: ${(error as Error).message.replace(/__fjs_root_\d+/g, 'root')}`;
  }
}

describe('the compiled schemas of all routes', () => {
  let schemas: [string, CompilerInput][] = [];
  beforeAll(async () => {
    schemas = [...(await routeSchemas())];
  });

  it('exist for every schema', () => {
    expect(schemas.length).toBeGreaterThan(150);
    expect(schemas.filter(([key]) => typeof find(key) !== 'function')).toEqual([]);
  });

  it('return, convert, reject and throw the same as schemas compiled at run time', () => {
    const answers = new Set<unknown>();
    for (const [key, input] of schemas) {
      const [kept, now] = [find(key) as Compiled, compiledNow(input)];
      const [schema, named] = 'validates' in input ? [input.validates, {}] : [input.serializes, input.named];
      for (const value of trials(schema, named)) {
        const [given, expected] = [seen(kept, value), seen(now, value)];
        // `expect` compares slowly and there are many thousand values: it only tells of a difference.
        if (!isDeepStrictEqual(given, expected))
          expect(given, `${JSON.stringify(schema).slice(0, 120)} of ${JSON.stringify(value)?.slice(0, 200)}`).toEqual(
            expected,
          );
        const { gives } = expected as { gives?: unknown };
        answers.add(typeof gives === 'boolean' ? gives : typeof gives);
      }
    }
    // Otherwise the trials would prove little: both kinds must accept some values and reject some.
    expect(answers).toEqual(new Set([true, false, 'string', 'undefined']));
  });
});
