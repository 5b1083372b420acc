import { advance, get, OP, repeat, set, tee, unsigned, wasmFunction } from './wasm-code.js';

/** Bytes of a signature, which has 256 signs. */
export const SIGNATURE_BYTES = 32;
/** Number of rows that are compared together: the number of bytes in a WebAssembly SIMD register. */
const BLOCK_ROWS = 16;
const BLOCK_BYTES = SIGNATURE_BYTES * BLOCK_ROWS;
const PAGE_BYTES = 65_536;

const SIMD = {
  load: [0xfd, 0x00],
  store: [0xfd, 0x0b],
  splatBytes: [0xfd, 0x0f],
  atMostBytes: [0xfd, 0x2a],
  xor: [0xfd, 0x51],
  select: [0xfd, 0x52],
  popcnt: [0xfd, 0x62],
  bitmaskBytes: [0xfd, 0x64],
  addBytes: [0xfd, 0x70],
} as const;

/**
 * Generates code that counts the differing signs of sixteen rows and leaves one byte per row on the stack; 256 is
 * reported as 255. Carry-save adders combine three registers of one weight into one of that weight and one of the next,
 * bit by bit, so that few registers need a population count, which is the expensive part. Uses the locals from `free`
 * on.
 */
function countSigns(rows: number, query: number, free: number): number[] {
  const code: number[] = [];
  const waiting: number[][] = [];
  const spare: number[] = [];
  let next = free;
  const local = () => spare.pop() ?? next++;
  const add = (weight: number, value: number) => {
    const same = waiting[weight] ?? [];
    waiting[weight] = same;
    same.push(value);
    if (same.length < 3) return;
    const [a, b, c] = same.splice(0) as [number, number, number];
    const odd = local();
    const carry = local();
    code.push(...get(a), ...get(b), ...SIMD.xor, ...set(odd));
    code.push(...get(c), ...get(a), ...get(odd), ...SIMD.select, ...set(carry));
    code.push(...get(odd), ...get(c), ...SIMD.xor, ...set(odd));
    spare.push(a, b, c);
    same.push(odd);
    add(weight + 1, carry);
  };
  for (let byte = 0; byte < SIGNATURE_BYTES; byte += 1) {
    const at = [...SIMD.load, 0, ...unsigned(byte * BLOCK_ROWS)];
    const value = local();
    code.push(...get(rows), ...at, ...get(query), ...at, ...SIMD.xor, ...set(value));
    add(0, value);
  }
  const sum = local();
  waiting.reverse().forEach((values, index) => {
    if (index > 0) code.push(...tee(sum), ...get(sum), ...SIMD.addBytes);
    values.forEach((value, at) => {
      code.push(...get(value), ...SIMD.popcnt);
      if (index > 0 || at > 0) code.push(...SIMD.addBytes);
    });
  });
  return code;
}

type Scan = (rows: number, blocks: number, query: number, distances: number, close: number, limit: number) => void;

/**
 * Compiles a function that writes for each row of `blocks` the number of signs that differ from the query's, as a byte,
 * and for each block a bit mask of the rows where that number is at most `limit`.
 */
function scanOver(memory: WebAssembly.Memory): Scan {
  const [rows, blocks, query, distances, close, limit, apart, free] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  const isClose = [...get(apart), ...get(limit), ...SIMD.splatBytes, ...SIMD.atMostBytes, ...SIMD.bitmaskBytes];
  const block = [
    ...[...countSigns(rows, query, free), ...set(apart)],
    ...[...get(distances), ...get(apart), ...SIMD.store, 0, 0],
    ...[...get(close), ...isClose, OP.i32Store16, 0, 0],
    ...[...advance(rows, BLOCK_BYTES), ...advance(distances, BLOCK_ROWS), ...advance(close, 2)],
  ];
  return wasmFunction(memory, { parameters: 6, isTelling: false, registers: 100, code: repeat(blocks, block) });
}

/**
 * Signatures of 256 signs by slot, in a WebAssembly memory. Sixteen rows are interleaved: the first byte of each, then
 * the second byte of each. The counts of a block are in one register, and no sum crosses its lanes.
 */
export class SignatureScan {
  private readonly memory = new WebAssembly.Memory({ initial: 2 });
  private readonly scan = scanOver(this.memory);
  private slots = 0;
  private room = 0;

  constructor() {
    this.reserve(1024);
  }

  put(slot: number, signature: Uint8Array): void {
    if (slot >= this.room) this.reserve(Math.max(slot + 1, this.room * 1.5));
    this.slots = Math.max(this.slots, slot + 1);
    const row = slot % BLOCK_ROWS;
    const block = new Uint8Array(this.memory.buffer, BLOCK_BYTES + (slot - row) * SIGNATURE_BYTES, BLOCK_BYTES);
    for (let byte = 0; byte < SIGNATURE_BYTES; byte += 1) block[byte * BLOCK_ROWS + row] = signature[byte] as number;
  }

  /**
   * Writes the slots whose signature differs from `signature` in at most `limit` of 256 signs to `close`, in order, and
   * returns their number as `count`. `apart` has the number of differing signs of every slot (255 for 255 and 256) and
   * is valid until the next call.
   */
  within(signature: Uint8Array, limit: number, close: Uint32Array): { apart: Uint8Array; count: number } {
    const { buffer } = this.memory;
    const query = new Uint8Array(buffer, 0, BLOCK_BYTES);
    for (let byte = 0; byte < SIGNATURE_BYTES; byte += 1)
      query.fill(signature[byte] as number, byte * BLOCK_ROWS, (byte + 1) * BLOCK_ROWS);
    const blocks = Math.ceil(this.slots / BLOCK_ROWS);
    const distances = BLOCK_BYTES + this.room * SIGNATURE_BYTES;
    this.scan(BLOCK_BYTES, blocks, 0, distances, distances + this.room, limit);
    const masks = new Uint16Array(buffer, distances + this.room, blocks);
    const end = Math.min(this.slots, close.length);
    let count = 0;
    for (let block = 0; block < blocks; block += 1) {
      for (let mask = masks[block] as number; mask !== 0; mask &= mask - 1) {
        const slot = block * BLOCK_ROWS + 31 - Math.clz32(mask & -mask);
        if (slot < end) close[count++] = slot;
      }
    }
    return { apart: new Uint8Array(buffer, distances, this.slots), count };
  }

  /**
   * Memory layout: the query with each byte repeated sixteen times, the signatures, one distance byte per row, and a
   * two-byte mask of close rows per block.
   */
  private reserve(rows: number): void {
    this.room = Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS;
    const missing = BLOCK_BYTES + this.room * (SIGNATURE_BYTES + 1) + this.room / 8 - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }
}
