type Schema = Readonly<Record<string, unknown>>;

/** Values of the wrong kind, and on the edges of the right one. */
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

/** Values that `schema` takes, as far as can be told without its patterns: one for each of its alternatives. */
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

/** `value` with one thing in it wrong, left out or too many: one after the other, each once. */
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

/** Values that `schema` takes, and many that it does not or that it converts. `named` are the schemas that it refers to. */
export function* trials(schema: unknown, named: Readonly<Record<string, unknown>>): Generator<unknown> {
  const good = samples(schema as Schema, named);
  yield* good;
  yield* spoilt(good[0]);
}
