import { describe, expect, it } from 'vitest';
import { hasAcceptedForm } from './ed25519-form.js';

/** RFC 8032, section 5.1: the prime of the field and the order of the subgroup, in hexadecimal. */
const P = BigInt('0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed');
const L = BigInt('0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed');

const littleEndian = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
/** A key with that y and, with `isOdd`, the bit that gives the sign of x; and a signature with that S. */
const accepts = (y: bigint, s: bigint, isOdd = false) =>
  hasAcceptedForm(littleEndian(isOdd ? y + 2n ** 255n : y), Buffer.concat([Buffer.alloc(32, 0xff), littleEndian(s)]));

describe('the accepted form of a key and a signature', () => {
  it('has an S below the order of the subgroup', () => {
    expect([0n, 1n, L - 1n].map((s) => accepts(3n, s))).toEqual([true, true, true]);
    expect([L, L + 1n, 2n ** 253n, 2n ** 256n - 1n].map((s) => accepts(3n, s))).toEqual([false, false, false, false]);
  });

  it('has a y below the prime, whatever the sign of x', () => {
    for (const isOdd of [false, true]) {
      expect([2n, P - 2n].map((y) => accepts(y, 1n, isOdd))).toEqual([true, true]);
      expect([P, P + 2n, 2n ** 255n - 1n].map((y) => accepts(y, 1n, isOdd))).toEqual([false, false, false]);
    }
  });

  it.each([
    ['1', 1n],
    ['2', P - 1n],
    ['4', 0n],
    ['8', BigInt('0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826')],
    ['8, the other one', BigInt('0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7')],
  ])('has no key of order %s', (_order, y) => {
    expect([accepts(y, 1n), accepts(y, 1n, true)]).toEqual([false, false]);
  });
});
