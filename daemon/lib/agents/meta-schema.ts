import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

const ID = 'https://json-schema.org/draft/2020-12/schema';

/** How skills' schemas and their meta-schema are compiled. */
export const PLAIN = { strict: false, allErrors: false, validateFormats: false, logger: false } as const;

/** A compiled check of a schema; `errors` are those of the last call. */
export interface MetaCheck {
  (schema: unknown): unknown;
  errors?: ErrorObject[] | null | undefined;
}

let check: MetaCheck | undefined;

/**
 * Returns the check of a JSON Schema (2020-12) against its meta-schema. Compiling it takes 35 ms, once; the build
 * replaces this module by the compiled check.
 */
export function getMetaCheck(): MetaCheck {
  check ??= new Ajv2020(PLAIN).getSchema(ID) as MetaCheck;
  return check;
}
