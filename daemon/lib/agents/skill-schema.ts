import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getErrorMessage, MeshError } from '../errors.js';
import { LinearPattern, PatternBudget } from '../text/linear-pattern.js';
import { PatternError } from '../text/linear-pattern-parser.js';
import { getMetaCheck, PLAIN } from './meta-schema.js';
import { checkSchemaShape, type JsonSchema } from './skill-schema-walk.js';

/** The number of steps that the patterns of one schema may take for one value: a fraction of a second. */
const PATTERN_STEPS = 10_000_000;

/** An error in a value, and its location. */
export interface SchemaMistake {
  /** Dotted; empty for the value itself. */
  path: string;
  said: string;
  /** The key that the schema does not declare, when that is the error. */
  unknownKey?: string;
}

/** Returns the first error in a value, or undefined when it is valid. */
export type SchemaCheck = (value: unknown) => SchemaMistake | undefined;

/**
 * Compiles a JSON Schema (2020-12) that may be untrusted. Throws `bad_request` with `path` when it is not safe to run
 * (see `checkSchemaShape`). Patterns run in time linear in the text. `format` is an annotation and is not checked.
 * Nothing is fetched, and no value is coerced, defaulted or removed. `at` is the path of the schema, for messages.
 * Spec: Tier-2 public card.
 */
export function compileSkillSchema(schema: unknown, at: string): SchemaCheck {
  checkSchemaShape(schema, at);
  const plain = withoutDialect(schema);
  const wrong = metaMistake(plain);
  if (wrong !== undefined) throw refused(at, `is no JSON Schema: ${wrong}`);
  const budget = new PatternBudget(PATTERN_STEPS);
  const regExp = Object.assign((source: string) => new LinearPattern(source, budget), { code: 'pattern' });
  // One instance per schema: the compiled code is freed with it, and the schemas do not share names.
  const ajv = new Ajv2020({
    ...PLAIN,
    meta: false,
    validateSchema: false,
    ownProperties: true,
    addUsedSchema: false,
    code: { regExp },
  });
  const validate = compiled(() => ajv.compile(plain), at);
  return (value) => {
    budget.refill();
    try {
      return validate(value) ? undefined : toMistake((validate.errors ?? [])[0]);
    } catch (error) {
      if (error instanceof PatternError)
        return { path: '', said: 'takes too long to check against the patterns of the skill' };
      throw error;
    }
  };
}

/** As `compileSkillSchema` for a trusted, valid schema of this project: compiled at the first value. */
export function laterSkillSchema(schema: unknown, at: string): SchemaCheck {
  let check: SchemaCheck | undefined;
  return (value) => {
    check ??= compileSkillSchema(schema, at);
    return check(value);
  };
}

/** Loads the check of schemas, so that no caller's schema waits for it. */
export function prepareSkillSchemas(): void {
  metaMistake({});
}

/** Returns why `schema` is not a valid JSON Schema, or undefined. */
function metaMistake(schema: JsonSchema): string | undefined {
  const check = getMetaCheck();
  if (check(schema) === true) return undefined;
  const [error] = check.errors ?? [];
  return `${error?.instancePath.slice(1).replaceAll('/', '.') ?? ''} ${error?.message ?? ''}`.trim().slice(0, 200);
}

const refused = (at: string, message: string) =>
  new MeshError('bad_request', `\`${at}\` ${message}.`, { details: { path: at } });

function compiled<T>(compile: () => T, at: string): T {
  try {
    return compile();
  } catch (error) {
    throw refused(
      at,
      error instanceof PatternError
        ? `has a pattern that ${error.message}`
        : `is no JSON Schema: ${getErrorMessage(error).slice(0, 200)}`,
    );
  }
}

/** Both accepted drafts are read as 2020-12: no accepted schema means different things in them. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

function toMistake(error: ErrorObject | undefined): SchemaMistake {
  if (!error) return { path: '', said: 'is not valid' };
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const params = error.params as Record<string, unknown>;
  const path = (further?: unknown) => (further === undefined ? steps : [...steps, String(further)]).join('.');
  switch (error.keyword) {
    case 'required':
      return { path: path(params['missingProperty']), said: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknownKey = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return { path: path(unknownKey), said: 'is not a key that the skill knows', unknownKey };
    }
    case 'enum':
      return {
        path: path(),
        said: `must be one of ${(params['allowedValues'] as unknown[])
          .map((one) => JSON.stringify(one))
          .join(', ')
          .slice(0, 300)}`,
      };
    default:
      return { path: path(), said: error.message ?? 'is not valid' };
  }
}
