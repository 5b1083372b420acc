import { describe, expect, it } from 'vitest';
import { type CompilerInput, computeKey, lazySerializers, lazyValidators, validatorOptions } from './lazy-compilers.js';

const count = () => ({ type: 'object', properties: { count: { type: 'integer' } } });

describe('a compiled schema', () => {
  it('coerces text in a query string but not in a body of the same schema', () => {
    const validate = (httpPart: string) => lazyValidators()({ schema: count(), httpPart });
    expect(validate('querystring')({ count: '3' })).toBe(true);
    expect(validate('body')({ count: '3' })).toBe(false);
    expect(validate('body')({ count: 3 })).toBe(true);
  });

  it('reports errors to the validator that was called and to no other with the same schema', () => {
    const [one, other] = [lazyValidators(), lazyValidators()].map((compile) =>
      compile({ schema: count(), httpPart: 'body' }),
    );
    expect(one?.({ count: 'x' })).toBe(false);
    expect(other?.({ count: 1 })).toBe(true);
    expect(one?.errors).toMatchObject([{ instancePath: '/count' }]);
    expect(other?.errors).toBeNull();
  });

  it('cuts a response by the named schemas of its own server, not of another with the same names', () => {
    const answer = (kept: string) => {
      const named = { Answer: { $id: 'Answer', type: 'object', properties: { [kept]: { type: 'string' } } } };
      return lazySerializers()(named, undefined as never)({ schema: { $ref: 'Answer#' } } as never)({ a: 'A', b: 'B' });
    };
    expect(answer('a')).toBe('{"a":"A"}');
    expect(answer('b')).toBe('{"b":"B"}');
    expect(answer('a')).toBe('{"a":"A"}');
  });

  it('is taken from the precompiled ones for an identical schema and compiled otherwise', () => {
    const schema = (most: number) => ({ type: 'integer', maximum: most });
    const key = computeKey({ validates: schema(41), isText: false });
    const find = (asked: string) => (asked === key ? () => 'earlier' : undefined);
    const answer = (most: number, httpPart = 'body') =>
      lazyValidators({ find })({ schema: schema(most), httpPart })(42);
    expect(answer(41)).toBe('earlier');
    expect(answer(41, 'querystring')).toBe(false);
    expect(answer(42)).toBe(true);
  });

  it('has a key of everything that affects the compiled result', () => {
    const schemas: string[] = [];
    const precompiled = { onSchema: (input: CompilerInput) => void schemas.push(computeKey(input)) };
    const validators = lazyValidators(precompiled);
    for (const httpPart of ['body', 'params', 'querystring']) validators({ schema: count(), httpPart });
    const serializers = (kept: string) => {
      const named = { Kept: { $id: 'Kept', const: kept }, Other: { $id: 'Other' } };
      lazySerializers(precompiled)(named, undefined as never)({ schema: { $ref: 'Kept#' } } as never);
    };
    for (const kept of ['a', 'a', 'b']) serializers(kept);
    const [body, params, query, a, again, b] = schemas;
    expect([params, again]).toEqual([body, a]);
    expect(new Set([body, query, a, b]).size).toBe(4);
  });

  it('serializes as the precompiled one does, which is looked up once', () => {
    const looked: string[] = [];
    const find = (key: string) => {
      looked.push(key);
      return () => 'earlier';
    };
    const serialize = lazySerializers({ find })({}, undefined as never)({
      schema: { type: 'string', title: 'a' },
    } as never);
    expect(looked).toEqual([]);
    expect([serialize('a'), serialize('b'), looked.length]).toEqual(['earlier', 'earlier', 1]);
  });

  it('refuses at the first violation, changes nothing of a body, and may have keywords of its own', () => {
    const schema = {
      type: 'object',
      'x-lamp': true,
      properties: { mode: { type: 'string', default: 'on' }, count: { type: 'integer' }, place: { type: 'string' } },
      additionalProperties: false,
    };
    const validate = lazyValidators()({ schema, httpPart: 'body' });
    const empty = {};
    expect([validate(empty), empty]).toEqual([true, {}]);
    const more = { boat: 1 };
    expect([validate(more), more]).toEqual([false, { boat: 1 }]);
    expect([validate({ count: 'a', place: 1 }), validate.errors?.length]).toEqual([false, 1]);
  });

  it('is not checked against the meta-schema, which would cost the first request', () => {
    for (const isText of [true, false])
      expect(validatorOptions(isText)).toEqual({
        removeAdditional: false,
        allErrors: false,
        useDefaults: false,
        strict: false,
        meta: false,
        validateSchema: false,
        coerceTypes: isText,
      });
  });
});
