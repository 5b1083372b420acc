import { describe, expect, it } from 'vitest';
import { lazySerializers, lazyValidators } from './lazy-compilers.js';

const count = () => ({ type: 'object', properties: { count: { type: 'integer' } } });

describe('what is compiled of a schema', () => {
  it('tells a query string, whose numbers are text, from a body of the same schema', () => {
    const validate = (httpPart: string) => lazyValidators()({ schema: count(), httpPart });
    expect(validate('querystring')({ count: '3' })).toBe(true);
    expect(validate('body')({ count: '3' })).toBe(false);
    expect(validate('body')({ count: 3 })).toBe(true);
  });

  it('tells what was wrong to the one whose request it was', () => {
    const [one, other] = [lazyValidators(), lazyValidators()].map((compile) => compile({ schema: count(), httpPart: 'body' }));
    expect(one?.({ count: 'x' })).toBe(false);
    expect(other?.({ count: 1 })).toBe(true);
    expect(one?.errors).toMatchObject([{ instancePath: '/count' }]);
    expect(other?.errors).toBeNull();
  });

  it('cuts an answer to what its own name means, not what another server means by it', () => {
    const answer = (kept: string) => {
      const named = { Answer: { $id: 'Answer', type: 'object', properties: { [kept]: { type: 'string' } } } };
      return lazySerializers(named, undefined as never)({ schema: { $ref: 'Answer#' } } as never)({ a: 'A', b: 'B' });
    };
    expect(answer('a')).toBe('{"a":"A"}');
    expect(answer('b')).toBe('{"b":"B"}');
    expect(answer('a')).toBe('{"a":"A"}');
  });
});
