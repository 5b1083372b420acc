import serializerSelector from '@fastify/fast-json-stringify-compiler';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { sha256Hex } from '../lib/crypto/digests.js';
import { schemasNeeded } from './named-schemas.js';

type BuildSerializer = ReturnType<typeof serializerSelector>;
type Validate = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null | undefined };
type Serialize = (data: unknown) => string;

/**
 * Everything that determines the compiled result of a schema: a validator, of text or of JSON, or a serializer with the
 * named schemas that it refers to.
 */
export type CompilerInput =
  | { validates: unknown; isText: boolean }
  | { serializes: unknown; named: Record<string, unknown>; options: Parameters<BuildSerializer>[1] };

/**
 * Shares schemas between the build and the server. Fastify's standalone compilers are not used, because they restore
 * one function per route while the server starts. Here routes with equal schemas share one function, which the first
 * request loads.
 */
export interface Precompiled {
  /**
   * Returns the function compiled for the schema with this key; undefined if there is none, and the server compiles it.
   */
  find?: (key: string) => unknown;
  /** Called, before the server listens, with every schema that its requests and responses may need. */
  onSchema?: (input: CompilerInput) => void;
}

export function computeKey(input: CompilerInput): string {
  return sha256Hex(JSON.stringify(input));
}

/**
 * Query strings are text, so numbers and booleans in them are converted. Bodies are not converted, and no property is
 * ever dropped. The schemas are the contract's own: checking them against the meta-schema would cost the first request
 * 40 ms.
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

/**
 * Compiled functions by key, shared by all routes and servers with equal schemas: most routes share their error
 * schemas, and many their parameters.
 */
const made = new Map<string, unknown>();

function once<Made>(input: CompilerInput, { find }: Precompiled, compile: () => Made): Made {
  const key = computeKey(input);
  const one = (made.get(key) ?? find?.(key) ?? compile()) as Made;
  made.set(key, one);
  return one;
}

/**
 * Returns validators that the first request compiles: compiling all of them takes longer than the rest of the start.
 */
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
    const input = { validates: schema, isText: httpPart === 'querystring' };
    precompiled.onSchema?.(input);
    let compiled: ValidateFunction | undefined;
    const validate: Validate = (data) => {
      compiled ??= once(input, precompiled, () => ajv(input.isText).compile(schema as object));
      const isValid = compiled(data);
      validate.errors = compiled.errors;
      return isValid;
    };
    return validate;
  };
}

/**
 * Returns serializers that the first response compiles, each only with the named schemas that it refers to, because the
 * compiler processes every schema it receives. They cut responses to their schema, so that no other data is sent.
 */
export function lazySerializers(precompiled: Precompiled = {}): BuildSerializer {
  return (externalSchemas, options) => (route) => {
    const getInput = () => ({
      serializes: route.schema as unknown,
      named: schemasNeeded(route.schema, externalSchemas as Record<string, unknown>),
      options,
    });
    precompiled.onSchema?.(getInput());
    const compile = () => {
      const input = getInput();
      return once<Serialize>(input, precompiled, () => serializerSelector()(input.named, options)(route));
    };
    let serialize: Serialize | undefined;
    return (data) => {
      serialize ??= compile();
      return serialize(data);
    };
  };
}
