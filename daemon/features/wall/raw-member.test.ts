import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawMember } from './raw-member.js';

describe('rawMember', () => {
  it.each([
    ['{"payload":1}', '1'],
    ['{ "payload" : [1, {"payload": 2}] , "to":"x"}', '[1, {"payload": 2}]'],
    ['{"to":{"payload":0},"payload":"a,}\\"]"}', '"a,}\\"]"'],
    ['{"payload":1,"payload":2}', '2'],
    ['{"pay\\u006coad":-1.50e+10}', '-1.50e+10'],
    ['{"x":"payload","payload":null}', 'null'],
    ['{"to":"payload"}', undefined],
    ['{}', undefined],
  ])('returns from %s the value %s', (text, value) => expect(rawMember(text, 'payload')).toBe(value));

  it('returns the same value as JSON.parse for any object and any spacing', () => {
    const key = fc.oneof(fc.constantFrom('payload', 'to', 'a"b', '\\', ''), fc.string());
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), fc.constantFrom(undefined, 1, '\t', '\n \r'), (object, space) => {
        const text = JSON.stringify(object, undefined, space);
        for (const name of Object.keys(object)) {
          expect(JSON.parse(rawMember(text, name) as string)).toEqual(JSON.parse(JSON.stringify(object[name])));
        }
      }),
    );
  });
});
