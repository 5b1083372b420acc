import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeId, idFromName, isMemberId, nameFromId, requireMemberId } from './member-id.js';

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
    ['Draft', 'draft-member'],
    ['a--b', 'a-b'],
    ['ab', 'ab'],
    ['42 tests-', 'tests'],
    ['-7-', 'member'],
    ['a'.repeat(33), 'a'.repeat(32)],
    ['ﬁle ①', 'file-1'],
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

  it('is the first that is not taken, shortened for its number', () => {
    const taken =
      (...ids: string[]) =>
      (id: string) =>
        ids.includes(id);
    expect(freeId('a-b', taken())).toBe('a-b');
    expect(freeId('a-b', taken('a-b', 'a-b-2'))).toBe('a-b-3');
    const long = `${'a'.repeat(29)}-bc`;
    expect(freeId(long, taken(long))).toBe(`${'a'.repeat(29)}-2`);
    const dashed = `${'a'.repeat(28)}--bc`;
    expect(freeId(dashed, taken(dashed))).toBe(`${'a'.repeat(28)}-2`);
    const longer = 'a'.repeat(32);
    expect(freeId(longer, taken(longer))).toBe(`${'a'.repeat(30)}-2`);
    expect(freeId(`${longer}x`, taken())).toBe(longer);
  });

  it.each(['ab', 'api-developer', `a${'1'.repeat(31)}`])('accepts %s', (id) => {
    expect(() => requireMemberId(id)).not.toThrow();
  });

  it.each([
    ['../x', 'A member id starts with a small letter and has 2 to 32 small letters, digits and hyphens, such as '],
    ['a', '`api-developer`.'],
    ['a'.repeat(33), 'A member id starts'],
    ['Api', 'A member id starts'],
    ['1a', 'A member id starts'],
    ['draft', '`draft` is a route and cannot name a member: choose another id.'],
    ['requests', '`requests` is a route'],
  ])('rejects %j and says why', (id, reason) => {
    expect(() => requireMemberId(id)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: expect.stringContaining(reason),
        details: { path: 'id' },
      }),
    );
  });
});
