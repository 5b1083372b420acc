import { expect, it } from 'vitest';
import { SIGNATURE_BYTES, SignatureScan } from './signature-scan.js';

const filled = (byte: number) => new Uint8Array(SIGNATURE_BYTES).fill(byte);

/** The slots near to no signs at all, and the differing signs of `slots`. */
function nearNothing(scan: SignatureScan, limit: number, slots: readonly number[]) {
  const close = new Uint32Array(100);
  const { apart, count } = scan.within(filled(0), limit, close);
  return { close: [...close.subarray(0, count)], apart: slots.map((slot) => apart[slot]), slots: apart.length };
}

// Around the sizes at which the memory must grow by a page.
const FAR = Array.from({ length: 24 }, (_, at) => 3_903 + 16 * at + (at % 3));

it.each([0, 1_023, 1_024, 1_535, 1_536, 20_000, ...FAR])('a signature far beyond the others, %i, has room', (slot) => {
  const scan = new SignatureScan();
  scan.put(slot, filled(0b11));
  expect(nearNothing(scan, 64, [slot])).toMatchObject({ apart: [64], slots: slot + 1 });
  const close = new Uint32Array(slot + 1);
  expect(scan.within(filled(0b11), 0, close).count).toBe(1);
  expect(close[0]).toBe(slot);
});

it('there is none at first', () => {
  expect(nearNothing(new SignatureScan(), 255, [])).toEqual({ close: [], apart: [], slots: 0 });
});

it('a signature is replaced without a change to the others', () => {
  const scan = new SignatureScan();
  for (const slot of [17, 0, 16, 1]) scan.put(slot, filled(slot === 17 ? 0xff : 1));
  scan.put(16, filled(0b111));
  expect(nearNothing(scan, 96, [0, 1, 16, 17])).toMatchObject({ apart: [32, 32, 96, 255], slots: 18 });
  expect(nearNothing(scan, 31, []).close).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
});

it.each([1, 127, 128, 129, 254])('a signature of %i signs is that many apart from none', (signs) => {
  const scan = new SignatureScan();
  const signature = new Uint8Array(SIGNATURE_BYTES);
  for (let sign = 0; sign < signs; sign += 1)
    signature[sign >> 3] = (signature[sign >> 3] as number) | (1 << (sign & 7));
  scan.put(5, signature);
  expect(nearNothing(scan, signs, [5]).close).toContain(5);
  expect(nearNothing(scan, signs - 1, [5])).toMatchObject({ close: [0, 1, 2, 3, 4], apart: [signs] });
});
