import { describe, expect, it } from 'vitest';
import { leadingDirections } from './vectors/leading-directions.js';
import { Signature } from './vectors/signature.js';
import { SIGNATURE_BYTES, SignatureScan } from './vectors/signature-scan.js';
import { unit, VectorSpace, wholeNumbers } from './vectors/vector-space.js';

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

const aVector = (length: number, random: () => number) => unit(Float32Array.from({ length }, random)) as Float32Array;
const signsApart = (a: Uint8Array, b: Uint8Array) =>
  a.reduce((sum, byte, at) => sum + (byte ^ (b[at] as number)).toString(2).replaceAll('0', '').length, 0);

describe('the scan over signatures', () => {
  const random = seeded(7);
  const signatures = Array.from({ length: 5_003 }, () =>
    Uint8Array.from({ length: SIGNATURE_BYTES }, () => (random() + 0.5) * 256),
  );
  const query = signatures[42] as Uint8Array;
  signatures[43] = query.map((byte) => ~byte);
  const apart = signatures.map((signature) => signsApart(signature, query));
  const scan = new SignatureScan();
  signatures.forEach((signature, slot) => void scan.put(slot, signature));

  it('counts the differing signs of every slot, and reports all 256 as 255', () => {
    expect(apart[43]).toBe(256);
    expect([...scan.within(query, 108, new Uint32Array(6_000)).apart]).toEqual(
      apart.map((signs) => Math.min(255, signs)),
    );
  });

  it.each([0, 107, 108, 120, 254, 255])('lists the slots with at most %i differing signs, in order', (limit) => {
    const close = new Uint32Array(6_000);
    const { count } = scan.within(query, limit, close);
    expect([...close.subarray(0, count)]).toEqual(
      apart.flatMap((signs, slot) => (Math.min(255, signs) <= limit ? [slot] : [])),
    );
  });

  it('lists at most as many slots as there is room for', () => {
    const close = new Uint32Array(100);
    expect(scan.within(query, 255, close).count).toBe(100);
  });
});

describe.each([2, 3, 100, 128, 384, 1536])('signatures of %i dimensions', (dimensions) => {
  it('differ in a share of signs that is proportional to the angle between the vectors', () => {
    const random = seeded(dimensions);
    const signature = new Signature(dimensions);
    let error = 0;
    for (let round = 0; round < 20; round += 1) {
      const a = aVector(dimensions, random);
      const b = aVector(dimensions, random);
      const cosine = a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
      const expected = (256 * Math.acos(Math.min(1, Math.max(-1, cosine)))) / Math.PI;
      error += Math.abs(signsApart(signature.of(a), signature.of(b)) - expected) / 20;
    }
    expect(signsApart(signature.of(aVector(dimensions, seeded(1))), signature.of(aVector(dimensions, seeded(1))))).toBe(
      0,
    );
    if (dimensions >= 100) expect(error).toBeLessThan(16);
  });
});

describe('a vector space', () => {
  it('returns cosines with 8-bit precision, 0 for a slot without a vector, and removes vectors', () => {
    const random = seeded(3);
    const space = new VectorSpace(128);
    const vectors = Array.from({ length: 3_000 }, () => aVector(128, random));
    vectors.forEach((vector, slot) => void space.put(slot, vector));
    const query = aVector(128, random);
    for (const slot of [0, 1500, 2999]) {
      const exact = (vectors[slot] as Float32Array).reduce((sum, value, at) => sum + value * (query[at] as number), 0);
      expect(space.similarity(slot, wholeNumbers(query))).toBeCloseTo(exact, 2);
    }
    expect(space.similarity(3000, wholeNumbers(query))).toBe(0);
    space.remove(7);
    expect([space.has(7), space.size]).toEqual([false, 2999]);
    space.put(8, new Float32Array(128));
    expect(space.has(8)).toBe(true);
  });
});

describe('the leading directions of a matrix', () => {
  it('reproduce a matrix whose rank is the number of dimensions', () => {
    // Two blocks of words that occur only with words of the same block.
    const words = 12;
    const block = (word: number) => (word < 6 ? 0 : 1);
    const strength = (a: number, b: number) => (block(a) === block(b) ? 2 - block(a) : 0);
    const starts = new Uint32Array(words + 1);
    const partners: number[] = [];
    const strengths: number[] = [];
    for (let a = 0; a < words; a += 1) {
      for (let b = 0; b < words; b += 1) {
        if (strength(a, b) === 0) continue;
        partners.push(b);
        strengths.push(strength(a, b));
      }
      starts[a + 1] = partners.length;
    }
    const pairs = {
      terms: Int32Array.from({ length: words }, (_, word) => word),
      starts,
      partners: Uint16Array.from(partners),
      strengths: Float32Array.from(strengths),
    };
    const run = leadingDirections(pairs, 2);
    let step = run.next();
    while (!step.done) step = run.next();
    const vectors = step.value;
    for (const [a, b] of [
      [0, 1],
      [7, 8],
      [0, 8],
    ] as const) {
      const product = [0, 1].reduce(
        (sum, d) => sum + (vectors[a * 2 + d] as number) * (vectors[b * 2 + d] as number),
        0,
      );
      expect(product).toBeCloseTo(strength(a, b), 3);
    }
  });
});
