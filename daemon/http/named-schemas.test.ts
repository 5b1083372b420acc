import { describe, expect, it } from 'vitest';
import { NamedSchemas, schemasNeeded } from './named-schemas.js';

const lamp = { $id: 'Lamp', properties: { place: { $ref: 'Place' } } };
const place = {
  $id: 'Place',
  properties: { near: { type: 'array', items: { $ref: 'Place' } }, keeper: { $ref: 'Keeper#' } },
};
const keeper = { $id: 'Keeper', type: 'string' };
const boat = { $id: 'Boat', type: 'string' };

describe('the schemas that a response needs', () => {
  it('are those that it refers to, also indirectly and in cycles', () => {
    const named = { Lamp: lamp, Place: place, Keeper: keeper, Boat: boat };
    expect(schemasNeeded({ anyOf: [{ $ref: 'Lamp' }, { type: 'null' }] }, named)).toEqual({
      Lamp: lamp,
      Place: place,
      Keeper: keeper,
    });
    expect(schemasNeeded({ type: 'object', properties: { here: { $ref: '#/definitions/here' } } }, named)).toEqual({});
    expect(schemasNeeded(true, named)).toEqual({});
  });

  it('are found beside values of any kind, and by the part of a reference before its fragment', () => {
    const named = { Keeper: keeper, Boat: boat };
    const parts = [{ $ref: 'Keeper#/x#\n/y' }, null, undefined, 'Boat', 7, { $ref: 5 }];
    expect(schemasNeeded({ anyOf: parts, none: null, unset: undefined }, named)).toEqual({ Keeper: keeper });
    for (const schema of [null, undefined, 'Boat']) expect(schemasNeeded(schema, named)).toEqual({});
  });

  it('do not include inherited object properties such as constructor', () => {
    expect(schemasNeeded({ $ref: 'constructor' }, {})).toEqual({});
  });
});

describe('the named schemas of a server', () => {
  it('are returned as the same list until another is added, and leave the parent’s unchanged', () => {
    const parent = new NamedSchemas();
    parent.add(lamp);
    const child = new NamedSchemas(parent.getSchemas());
    expect(child.getSchemas()).toBe(child.getSchemas());
    child.add(place);
    expect(child.getSchemas()).toEqual({ Lamp: lamp, Place: place });
    expect(child.getSchema('Place')).toBe(place);
    expect(parent.getSchemas()).toEqual({ Lamp: lamp });
  });

  it('reject a second schema of the same name', () => {
    const schemas = new NamedSchemas();
    schemas.add(lamp);
    expect(() => schemas.add({ $id: 'Lamp' })).toThrow('There is a schema named Lamp already.');
  });
});
