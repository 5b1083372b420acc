import { describe, expect, it } from 'vitest';
import { NamedSchemas, schemasNeeded } from './named-schemas.js';

const lamp = { $id: 'Lamp', properties: { place: { $ref: 'Place' } } };
const place = {
  $id: 'Place',
  properties: { near: { type: 'array', items: { $ref: 'Place' } }, keeper: { $ref: 'Keeper#' } },
};
const keeper = { $id: 'Keeper', type: 'string' };
const boat = { $id: 'Boat', type: 'string' };

describe('the schemas that an answer needs', () => {
  it('are those that it refers to, through others and in circles', () => {
    const named = { Lamp: lamp, Place: place, Keeper: keeper, Boat: boat };
    expect(schemasNeeded({ anyOf: [{ $ref: 'Lamp' }, { type: 'null' }] }, named)).toEqual({
      Lamp: lamp,
      Place: place,
      Keeper: keeper,
    });
    expect(schemasNeeded({ type: 'object', properties: { here: { $ref: '#/definitions/here' } } }, named)).toEqual({});
    expect(schemasNeeded(true, named)).toEqual({});
  });

  it('take no part of a name that every object has for a schema', () => {
    expect(schemasNeeded({ $ref: 'constructor' }, {})).toEqual({});
  });
});

describe('the named schemas of a server', () => {
  it('are one list until another is added, and leave those of the parent as they are', () => {
    const parent = new NamedSchemas();
    parent.add(lamp);
    const child = new NamedSchemas(parent.getSchemas());
    expect(child.getSchemas()).toBe(child.getSchemas());
    child.add(place);
    expect(child.getSchemas()).toEqual({ Lamp: lamp, Place: place });
    expect(child.getSchema('Place')).toBe(place);
    expect(parent.getSchemas()).toEqual({ Lamp: lamp });
  });

  it('refuse a second one of the same name', () => {
    const schemas = new NamedSchemas();
    schemas.add(lamp);
    expect(() => schemas.add({ $id: 'Lamp' })).toThrow('There is a schema named Lamp already.');
  });
});
