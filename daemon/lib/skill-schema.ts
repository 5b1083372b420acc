import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { MeshError, messageOf } from './errors.js';
import { LinearPattern, PatternBudget } from './linear-pattern.js';
import { PatternRefused } from './linear-pattern-parser.js';
import { checkSchemaShape, type JsonSchema } from './skill-schema-walk.js';

/** Steps that the patterns of one schema may take for one value: a fraction of a second. */
const PATTERN_STEPS = 10_000_000;

/** What is wrong with a value, and where in it. */
export interface SchemaMistake {
  /** Dotted; empty for the value itself. */
  path: string;
  said: string;
  /** The key that the schema does not know, when that is what is wrong. */
  unknownKey?: string;
}

/** The first thing that a value breaks, or undefined when it fits. */
export type SchemaCheck = (value: unknown) => SchemaMistake | undefined;

/**
 * Makes a check of a JSON Schema (2020-12) that a stranger may have written. Throws `bad_request` with `path` when it is not one that is safe to run: see
 * `checkSchemaShape`; patterns are run in time that grows with the text alone. `format` is a note and is not checked. Nothing is fetched, converted,
 * filled in or dropped. `at` is the place of the schema, for messages. Spec: Tier-2 public card.
 */
export function compileSkillSchema(schema: unknown, at: string): SchemaCheck {
  checkSchemaShape(schema, at);
  const plain = withoutDialect(schema);
  const wrong = metaMistake(plain);
  if (wrong !== undefined) throw refused(at, `is no JSON Schema: ${wrong}`);
  const budget = new PatternBudget(PATTERN_STEPS);
  const regExp = Object.assign((source: string) => new LinearPattern(source, budget), { code: 'pattern' });
  // One for each schema: what is compiled is let go of with it, and no name of one is known to another.
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
      return validate(value) ? undefined : mistakeOf((validate.errors ?? [])[0]);
    } catch (error) {
      if (error instanceof PatternRefused)
        return { path: '', said: 'takes too long to check against the patterns of the skill' };
      throw error;
    }
  };
}

/** As `compileSkillSchema` for a schema of our own, which is known to be right: compiled by its first value. */
export function laterSkillSchema(schema: unknown, at: string): SchemaCheck {
  let check: SchemaCheck | undefined;
  return (value) => {
    check ??= compileSkillSchema(schema, at);
    return check(value);
  };
}

/** Learns the rules of JSON Schema, which takes 35 ms, so that no schema of a caller has to wait for it. */
export function prepareSkillSchemas(): void {
  metaMistake({});
}

const PLAIN = { strict: false, allErrors: false, validateFormats: false, logger: false } as const;
/** Knows the rules of JSON Schema itself. */
let meta: Ajv2020 | undefined;

/** What keeps `schema` from being a JSON Schema, or undefined. */
function metaMistake(schema: JsonSchema): string | undefined {
  meta ??= new Ajv2020(PLAIN);
  if (meta.validateSchema(schema) === true) return undefined;
  const [error] = meta.errors ?? [];
  return `${error?.instancePath.slice(1).replaceAll('/', '.') ?? ''} ${error?.message ?? ''}`.trim().slice(0, 200);
}

const refused = (at: string, said: string) =>
  new MeshError('bad_request', `\`${at}\` ${said}.`, { details: { path: at } });

function compiled<T>(compile: () => T, at: string): T {
  try {
    return compile();
  } catch (error) {
    throw refused(
      at,
      error instanceof PatternRefused
        ? `has a pattern that ${error.message}`
        : `is no JSON Schema: ${messageOf(error).slice(0, 200)}`,
    );
  }
}

/** Both drafts that are taken are read as 2020-12, which no shape that is taken tells apart. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

function mistakeOf(error: ErrorObject | undefined): SchemaMistake {
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
