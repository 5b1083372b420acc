import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeId, idFromName, isMemberId, nameFromId } from './member-id.js';

describe('a member id', () => {
  it.each([
    ['Doc Writer', 'doc-writer'],
    ['  Übersetzer für Doku! ', 'ubersetzer-fur-doku'],
    ['3D Artist', 'd-artist'],
    ['X', 'x-member'],
    ['Requests', 'requests-member'],
    ['日本語', 'member'],
    [`${'a'.repeat(31)} bc`, 'a'.repeat(31)],
    ['', 'member'],
  ])('derived from the name %j is %s', (name, id) => {
    expect(idFromName(name)).toBe(id);
  });

  it('derived from any name is valid, and so is the next free one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (name, taken) => {
        const id = idFromName(name);
        expect(isMemberId(id)).toBe(true);
        const used = new Set<string>();
        for (let i = 0; i <= taken; i += 1) {
          const free = freeId(id, (candidate) => used.has(candidate));
          expect(isMemberId(free)).toBe(true);
          expect(used.has(free)).toBe(false);
          used.add(free);
        }
      }),
      { seed: 20261121 },
    );
  });

  it('is displayed in title case as a name', () => {
    expect(nameFromId('api-developer')).toBe('Api Developer');
    expect(nameFromId('a--b-')).toBe('A B');
  });
});
