import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { PricingRow } from '../../contract/team.js';
import { isMeshError, MeshError } from '../errors.js';
import { nameFromId } from './member-id.js';
import { type DeclarationMistake, findPricingMistake, priceRows, toJson } from './pricing-rules.js';
import { compileSkillSchema, type SchemaCheck } from './skill-schema.js';
import type { JsonSchema } from './skill-schema-walk.js';

/** Paths under `/v1` that cannot be the id of a skill. */
const RESERVED_SKILL_IDS: readonly string[] = ['topup', 'balance'];

const Schema = Type.Record(Type.String(), Type.Unknown());
const Declaration = Type.Object({
  id: Type.String({ pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 64 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  description: Type.String({ minLength: 1, maxLength: 10_000 }),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 32 })),
  examples: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { maxItems: 16 })),
  input_schema: Type.Optional(Schema),
  inputSchema: Type.Optional(Schema),
  output_schema: Type.Optional(Schema),
  outputSchema: Type.Optional(Schema),
  pricing: Type.Optional(Type.Union([PricingRow, Type.Array(PricingRow, { minItems: 1, maxItems: 16 })])),
});
type Declaration = Static<typeof Declaration>;

/** A declared skill with the compiled checks of its schemas. Spec: Tier-2 public card, skill object. */
export interface SkillDeclaration {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples: string[];
  input_schema?: { [key: string]: unknown };
  output_schema?: { [key: string]: unknown };
  /** The price rows of the skill, or those of the agent if it declares none. */
  prices: PricingRow[];
  /** Whether the skill declares `prices` itself. */
  hasOwnPrices: boolean;
  checkInput: SchemaCheck;
  checkOutput: SchemaCheck | undefined;
}

const refuse = (path: string, message: string) =>
  new MeshError('bad_request', `\`${path}\` ${message}.`, { details: { path } });

/** Returns the mistake in the examples of a member: 2 to 4, or none. Spec: skill object. */
export function findExamplesMistake(examples: readonly string[] | undefined): DeclarationMistake | undefined {
  if (examples?.length !== 1) return undefined;
  return { path: ['examples'], reason: '`examples` must be 2 to 4 asks, or none.' };
}

/**
 * Reads one declaration of a skill. Both spellings of the schema keys are accepted and unknown keys are ignored. Where
 * `prices` (its own or `agentPrices`) have tiers, the input may name one of them. `compile` compiles the schemas.
 * Throws `bad_request` with `path` for anything that prevents the skill from being served.
 */
export function readSkill(
  declared: unknown,
  at: string,
  agentPrices: readonly PricingRow[],
  compile: typeof compileSkillSchema = compileSkillSchema,
): SkillDeclaration {
  const plain = toJson(declared);
  const [error] = Value.Errors(Declaration, plain);
  if (error) {
    const missing = (error.params as { requiredProperties?: string[] }).requiredProperties?.[0];
    const steps = [...error.instancePath.split('/').slice(1), ...(missing === undefined ? [] : [missing])];
    throw refuse([at, ...steps].join('.'), missing === undefined ? wording(steps, error.message) : 'is required');
  }
  const skill = plain as Declaration;
  const { id, name, description, tags, examples, pricing } = skill;
  if (RESERVED_SKILL_IDS.includes(id))
    throw refuse(`${at}.id`, `\`${id}\` is a path of the agent itself: choose another`);
  const wrongPrice = findPricingMistake(pricing, [...at.split('.'), 'pricing']);
  if (wrongPrice)
    throw new MeshError('bad_request', wrongPrice.reason, { details: { path: wrongPrice.path.join('.') } });
  const prices = pricing === undefined ? [...agentPrices] : priceRows(pricing);
  const input = withTier(resolveAlias(skill, 'input_schema', 'inputSchema', at), prices);
  const output = resolveAlias(skill, 'output_schema', 'outputSchema', at);
  return {
    id,
    name: name ?? nameFromId(id),
    description,
    tags: tags ?? [],
    examples: examples ?? [],
    ...(input === undefined ? {} : { input_schema: input }),
    ...(output === undefined ? {} : { output_schema: output }),
    prices,
    hasOwnPrices: pricing !== undefined,
    checkInput: compile(input ?? { type: 'object' }, `${at}.input_schema`),
    checkOutput: output && compile(output, `${at}.output_schema`),
  };
}

/**
 * Reads every declaration independently. One that is invalid, or has the id of an earlier one or of `taken`, is
 * reported in `mistakes` and omitted from `skills`.
 */
export function readSkills(
  declared: readonly unknown[],
  agentPrices: readonly PricingRow[],
  taken: readonly string[] = [],
): { skills: SkillDeclaration[]; mistakes: DeclarationMistake[] } {
  const skills = new Map<string, SkillDeclaration>();
  const mistakes: DeclarationMistake[] = [];
  for (const [index, one] of declared.entries()) {
    const at = `skills.${index}`;
    try {
      const skill = readSkill(one, at, agentPrices);
      if (taken.includes(skill.id)) throw refuse(`${at}.id`, `\`${skill.id}\` is a skill that it has anyway`);
      if (skills.has(skill.id)) throw refuse(`${at}.id`, `\`${skill.id}\` stands twice`);
      skills.set(skill.id, skill);
    } catch (error) {
      if (!isMeshError(error)) throw error;
      mistakes.push({ path: String(error.details['path'] ?? at).split('.'), reason: error.message });
    }
  }
  return { skills: [...skills.values()], mistakes };
}

const wording = (steps: readonly string[], message: string) =>
  steps.at(-1) === 'id' ? 'must be kebab-case, such as `tweet-with-image`: it is a part of a path' : message;

type SchemaKey = 'input_schema' | 'inputSchema' | 'output_schema' | 'outputSchema';

function resolveAlias(
  skill: Declaration,
  key: SchemaKey,
  alias: SchemaKey,
  at: string,
): { [key: string]: unknown } | undefined {
  if (skill[key] !== undefined && skill[alias] !== undefined)
    throw refuse(`${at}.${alias}`, `is another word for \`${key}\`: give one of them`);
  return skill[key] ?? skill[alias];
}

/** Adds the property `tier` to an input schema that does not declare it, where the prices have tiers. */
function withTier(
  schema: { [key: string]: unknown } | undefined,
  prices: readonly PricingRow[],
): { [key: string]: unknown } | undefined {
  const tiers = [...new Set(prices.flatMap(({ tier }) => tier ?? []))];
  if (tiers.length === 0) return schema;
  const tier: JsonSchema = {
    type: 'string',
    enum: tiers,
    description: 'Which price the call is made at; the first one when none is named.',
  };
  if (schema === undefined) return { type: 'object', properties: { tier } };
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    return { ...schema, properties: { tier } };
  return 'tier' in properties ? schema : { ...schema, properties: { ...properties, tier } };
}
