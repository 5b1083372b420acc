import serializerSelector from '@fastify/fast-json-stringify-compiler';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { schemasNeeded } from './named-schemas.js';

/** Made of the schema alone, so that routes, and servers, with equal ones share it: most share what they refuse with, and many their parameters. */
const validators = new Map<string, ValidateFunction>();
const serializers = new Map<string, (data: unknown) => string>();

function once<Made>(kept: Map<string, Made>, parts: readonly unknown[], make: () => Made): Made {
  const key = JSON.stringify(parts);
  const made = kept.get(key) ?? make();
  kept.set(key, made);
  return made;
}

type Validate = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null | undefined };

/**
 * Validators that are compiled by the first request that needs them: compiling all of them takes longer than the rest of the start.
 * Query strings are text, so numbers and booleans in them are converted; bodies are taken as they are, and nothing is ever dropped.
 */
export function lazyValidators(): (route: { schema: unknown; httpPart?: string }) => Validate {
  // The schemas are the contract's own: checking them against the meta-schema would cost the first request 40 ms.
  const options = {
    removeAdditional: false,
    allErrors: false,
    useDefaults: false,
    strict: false,
    meta: false,
    validateSchema: false,
  } as const;
  const made = new Map<boolean, Ajv>();
  const ajv = (coerceTypes: boolean) => {
    const known = made.get(coerceTypes) ?? new Ajv({ ...options, coerceTypes });
    made.set(coerceTypes, known);
    return known;
  };
  return ({ schema, httpPart }) => {
    const isText = httpPart === 'querystring';
    let compiled: ValidateFunction | undefined;
    const validate: Validate = (data) => {
      compiled ??= once(validators, [schema, isText], () => ajv(isText).compile(schema as object));
      const isValid = compiled(data);
      validate.errors = compiled.errors;
      return isValid;
    };
    return validate;
  };
}

type BuildSerializer = ReturnType<typeof serializerSelector>;

/**
 * Serialisers that are compiled by the first answer that needs them, each with the named schemas that it leads to and no others: the compiler
 * goes through all that it is given. They cut answers to their schema, so that nothing else gets out.
 */
export const lazySerializers: BuildSerializer = (externalSchemas, options) => (route) => {
  let serialize: ReturnType<ReturnType<BuildSerializer>> | undefined;
  return (data) => {
    if (!serialize) {
      const needed = schemasNeeded(route.schema, externalSchemas as Record<string, unknown>);
      serialize = once(serializers, [route.schema, needed, options], () => serializerSelector()(needed, options)(route));
    }
    return serialize(data);
  };
};
