type Schema = Readonly<Record<string, unknown>>;

/** Values of wrong types and edge cases of valid types. */
const ODD: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  '',
  '7',
  'true',
  'é\u2028"',
  'x'.repeat(5000),
  [],
  [null],
  {},
  { surplus: 1 },
];
const DEPTH = 6;

/** Returns values that `schema` accepts, ignoring its patterns: at least one for each alternative. */
function samples(schema: Schema, named: Readonly<Record<string, unknown>>, depth = 0): unknown[] {
  const within = (one: unknown) => samples(one as Schema, named, depth + 1);
  if (depth > DEPTH) return [null];
  if (typeof schema['$ref'] === 'string') return within(named[schema['$ref'].replace(/#.*$/, '')] ?? {});
  if ('const' in schema) return [schema['const']];
  if (Array.isArray(schema['enum'])) return schema['enum'];
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) return choices.flatMap(within);
  if (Array.isArray(schema['allOf'])) return [Object.assign({}, ...schema['allOf'].map((one) => within(one)[0]))];
  switch ([schema['type']].flat()[0]) {
    case 'object': {
      const parts = Object.entries((schema['properties'] ?? {}) as Schema).map(
        ([name, part]) => [name, within(part)] as const,
      );
      const many = Math.max(1, ...parts.map(([, values]) => values.length));
      return Array.from({ length: Math.min(many, 12) }, (_, at) =>
        Object.fromEntries(parts.map(([name, values]) => [name, values[at % values.length]])),
      );
    }
    case 'array':
      return [
        Array.isArray(schema['items'])
          ? schema['items'].map((one) => within(one)[0])
          : within(schema['items'] ?? {}).slice(0, 12),
      ];
    case 'string':
      return ['x'.repeat(Math.max(Number(schema['minLength'] ?? 0), 3))];
    case 'integer':
    case 'number':
      return [schema['minimum'] ?? 3];
    case 'boolean':
      return [true];
    case 'null':
      return [null];
    default:
      return ['anything'];
  }
}

/** Yields `value` with one defect at a time: a wrong, missing or additional part. */
function* spoilt(value: unknown): Generator<unknown> {
  yield* ODD;
  if (Array.isArray(value)) {
    for (const one of spoilt(value[0])) yield [one, ...value.slice(1)];
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  yield { ...value, surplus: 'x' };
  for (const [name, part] of Object.entries(value)) {
    const { [name as never]: _, ...rest } = value;
    yield rest;
    for (const one of spoilt(part)) yield { ...value, [name]: one };
  }
}

/**
 * Yields values that `schema` accepts, and many that it rejects or converts. `named` contains the schemas that it
 * refers to.
 */
export function* trials(schema: unknown, named: Readonly<Record<string, unknown>>): Generator<unknown> {
  const good = samples(schema as Schema, named);
  yield* good;
  yield* spoilt(good[0]);
}
