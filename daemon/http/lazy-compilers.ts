import serializerSelector from '@fastify/fast-json-stringify-compiler';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { sha256Hex } from '../lib/digests.js';
import { schemasNeeded } from './named-schemas.js';

type BuildSerializer = ReturnType<typeof serializerSelector>;
type Validate = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null | undefined };
type Serialize = (data: unknown) => string;

/** All that decides what comes of a schema: a validator, of text or of JSON, or a serialiser, with the named schemas that it leads to. */
export type Given =
  | { validates: unknown; isText: boolean }
  | { serializes: unknown; named: Record<string, unknown>; options: Parameters<BuildSerializer>[1] };

/**
 * How the build and the server speak of the same schema. Ours, because Fastify's standalone compilers restore one function
 * for each route while the server gets ready; here routes with equal schemas share one, loaded by the first request.
 */
export interface Precompiled {
  /** What was compiled of the schema with this key; undefined where nothing was, and the server compiles it. */
  find?: (key: string) => unknown;
  /** Told, before the server listens, of every schema that its requests and answers may need. */
  onSchema?: (given: Given) => void;
}

export function keyOf(given: Given): string {
  return sha256Hex(JSON.stringify(given));
}

/**
 * Query strings are text, so numbers and booleans in them are converted; bodies are taken as they are, and nothing is ever dropped. The schemas are the
 * contract's own: checking them against the meta-schema would cost the first request 40 ms.
 */
export function validatorOptions(isText: boolean): Options {
  return {
    removeAdditional: false,
    allErrors: false,
    useDefaults: false,
    strict: false,
    meta: false,
    validateSchema: false,
    coerceTypes: isText,
  };
}

/** By key, so that routes, and servers, with equal schemas share what was made: most share what they refuse with, and many their parameters. */
const made = new Map<string, unknown>();

function once<Made>(given: Given, { find }: Precompiled, compile: () => Made): Made {
  const key = keyOf(given);
  const one = (made.get(key) ?? find?.(key) ?? compile()) as Made;
  made.set(key, one);
  return one;
}

/** Validators that the first request that needs them brings in: compiling all of them takes longer than the rest of the start. */
export function lazyValidators(
  precompiled: Precompiled = {},
): (route: { schema: unknown; httpPart?: string }) => Validate {
  const compilers = new Map<boolean, Ajv>();
  const ajv = (isText: boolean) => {
    const known = compilers.get(isText) ?? new Ajv(validatorOptions(isText));
    compilers.set(isText, known);
    return known;
  };
  return ({ schema, httpPart }) => {
    const given = { validates: schema, isText: httpPart === 'querystring' };
    precompiled.onSchema?.(given);
    let compiled: ValidateFunction | undefined;
    const validate: Validate = (data) => {
      compiled ??= once(given, precompiled, () => ajv(given.isText).compile(schema as object));
      const isValid = compiled(data);
      validate.errors = compiled.errors;
      return isValid;
    };
    return validate;
  };
}

/**
 * Serialisers that the first answer that needs them brings in, each with the named schemas that it leads to and no others: the compiler goes through
 * all that it is given. They cut answers to their schema, so that nothing else gets out.
 */
export function lazySerializers(precompiled: Precompiled = {}): BuildSerializer {
  return (externalSchemas, options) => (route) => {
    const givenOf = () => ({
      serializes: route.schema as unknown,
      named: schemasNeeded(route.schema, externalSchemas as Record<string, unknown>),
      options,
    });
    precompiled.onSchema?.(givenOf());
    let serialize: Serialize | undefined;
    return (data) => {
      if (!serialize) {
        const given = givenOf();
        serialize = once<Serialize>(given, precompiled, () => serializerSelector()(given.named, options)(route));
      }
      return serialize(data);
    };
  };
}
